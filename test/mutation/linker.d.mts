/** Makes a function that gives a `require` of project files by absolute path. `sources`: path → text. */
export function linkerOf(
  sources: ReadonlyMap<string, string>,
): (changed: { readonly path: string; readonly text: string } | null) => (path: string) => Record<string, unknown>
