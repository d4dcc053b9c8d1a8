/** Flag as written → its own name; with `=` behind it takes a value. */
export type KnownFlags = Readonly<Record<string, string>>

/** A command line, read. */
export interface ReadArguments {
  /** By the flag's own name; an empty text for one that takes no value. */
  readonly flags: ReadonlyMap<string, string>
  readonly positionals: readonly string[]
}

/**
 * Reads a command line. A flag that takes a value takes the next argument whatever it begins with, so that a prompt that begins with `-` arrives.
 * What is not known is told, never passed over.
 */
export function readArguments(args: readonly string[], known: KnownFlags): ReadArguments | { readonly unknown: string } {
  const flags = new Map<string, string>()
  const positionals: string[] = []
  const left = args.values()
  for (const arg of left) {
    if (arg === '--') positionals.push(...left)
    else if (!arg.startsWith('-') || arg === '-') positionals.push(arg)
    else {
      const flag = readFlag(arg, known, left)
      if (flag === undefined) return { unknown: arg }
      flags.set(flag.name, flag.value)
    }
  }
  return { flags, positionals }
}

/** Undefined for one that is not known, has a value that it does not take, or lacks the one that it does. */
function readFlag(arg: string, known: KnownFlags, left: Iterator<string>): { name: string; value: string } | undefined {
  const at = arg.indexOf('=')
  const written = at < 0 ? arg : arg.slice(0, at)
  const name = Object.hasOwn(known, written) ? known[written] : undefined
  if (name === undefined) return undefined
  if (!name.endsWith('=')) return at < 0 ? { name, value: '' } : undefined
  const value: string | undefined = at < 0 ? left.next().value : arg.slice(at + 1)
  return value === undefined ? undefined : { name: name.slice(0, -1), value }
}
