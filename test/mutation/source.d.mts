/** Every TypeScript file below the given folders as it is now: path → text. */
export function readSources(root: string, folders: readonly string[]): Map<string, string>
