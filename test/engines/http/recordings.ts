import { existsSync, readFileSync } from 'node:fs'

/** The recorded streams (house.md §6): other people's data, read in place, never copied. */
export interface Recording {
  readonly file: string
  readonly family: string
  readonly bytes: number
  readonly final_text: string
  readonly finish_reason: string | null
  readonly usage: Readonly<Record<string, unknown>> | null
  readonly tool_calls: number
  readonly tool_names: readonly string[]
  readonly tool_args_valid_json: boolean
  readonly reasoning: boolean
  readonly in_stream_error: unknown
  readonly finish_marker_at_byte: number | null
  readonly terminator_at_byte: number | null
  readonly expect_failed?: string
}

const STREAMS = new URL('../../../../shared/corpus/streams/', import.meta.url)

/** Whether the recordings are there; where they are not, their suites are skipped by name. */
export const present = existsSync(new URL('index.json', STREAMS))
if (!present) console.warn('SKIPPED recorded streams: ../shared/corpus/streams is not there; the streams of our own making stand in')

/** The recordings of these families; none where they are absent. */
export function recordingsOf(...families: readonly string[]): readonly Recording[] {
  if (!present) return []
  const all = JSON.parse(readFileSync(new URL('index.json', STREAMS), 'utf8')) as Recording[]
  return all.filter((one) => families.includes(one.family))
}

export const bodyOf = (one: Recording): Uint8Array => readFileSync(new URL(one.file, STREAMS))

export const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** A count inside a group of counts, such as `prompt_tokens_details.cached_tokens`. */
export const detail = (usage: Readonly<Record<string, unknown>>, group: string, name: string): number | undefined => {
  const details = usage[group]
  return typeof details === 'object' && details !== null ? number((details as Record<string, unknown>)[name]) : undefined
}
