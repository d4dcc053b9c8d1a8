/** Sent as the model of a coding-agent CLI that no model was named for: the program's own choice. */
export const OWN_MODEL = 'default'

/** How a coding-agent CLI is run for a profile; null on every profile that is no such program (T1). */
export interface CliSettings {
  /** Name or path of the program; null: the one of the family. */
  readonly command: string | null
  readonly args: readonly string[]
  /** Null: the directory of this process. */
  readonly directory: string | null
  /** Variables of its environment beside those it may see of ours. */
  readonly env: Readonly<Record<string, string>>
  /** Longest silence of a run, in ms; null: none. */
  readonly stallMs: number | null
  /** Where the program is on this machine; null when it was not looked for. */
  readonly path: string | null
  /** It was looked for and is not there: its entries are in no plan (T10). */
  readonly absent: boolean
}
