import type { KnownFlags, ReadArguments } from './arguments.ts'
import type { FakeAnswer, FakeFailure, FakePiece } from './script.ts'

/** One thing that a fake CLI does. */
export type Step =
  /** `afterMs`: waited before, in place of what the run waits before each line. */
  | { readonly do: 'out' | 'err'; readonly lines: readonly string[]; readonly afterMs?: number | undefined }
  /** A line again and again, until it is stopped. */
  | { readonly do: 'repeat'; readonly line: string }
  | { readonly do: 'flood'; readonly bytes: number }
  | { readonly do: 'stay' }
  | { readonly do: 'exit'; readonly code: number }

/** What a call asks for. */
export interface Ask {
  readonly model: string | null
  /** On the command line; null when there is none. */
  readonly prompt: string | null
  /** Whether standard input is read to its end, as (part of) the prompt. */
  readonly readsStdin: boolean
  /** Whether the answer is wanted as it is made. */
  readonly partial: boolean
}

/** A call that the CLI does not serve, as it says so. */
export interface Refusal {
  readonly refused: readonly Step[]
}

/** What a run knows of its surroundings. */
export interface Stage {
  readonly ask: Ask
  readonly prompt: string
  /** Epoch ms. */
  readonly now: number
  /** The `TZ` of the process. */
  readonly zone: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Id of the run. */
  readonly session: string
  /** Makes another id. */
  readonly id: () => string
}

/**
 * How one of the CLIs talks. The shapes are those of cli-engines.md §2 to §5; what is said of a failure is what these CLIs say of it there.
 */
export interface FakeVoice {
  /** What `--version` prints. */
  readonly version: string
  readonly usage: string
  readonly flags: KnownFlags
  /** Exit code of a command line that it does not know. */
  readonly usageExit: number
  asked(read: ReadArguments): Ask | Refusal
  /** What it says where a prompt is wanted and standard input held none. */
  readonly promptless: readonly Step[]
  /** Before anything of the model: printed by every run but silence, flood and raw. */
  opening(stage: Stage): readonly Step[]
  /** `begun`: as far as an answer gets that never ends; `rest`: from there to the end. */
  answer(run: FakeAnswer, stage: Stage): { readonly begun: readonly Step[]; readonly rest: readonly Step[] }
  failure(run: FakeFailure, stage: Stage): readonly Step[]
  /** Shows that it is alive and says nothing. */
  sign(stage: Stage): object
}

export function out(...events: readonly object[]): Step {
  return { do: 'out', lines: events.map((event) => JSON.stringify(event)) }
}

export function err(...lines: readonly string[]): Step {
  return { do: 'err', lines }
}

export function exit(code: number): Step {
  return { do: 'exit', code }
}

export interface Piece {
  readonly text: string
  readonly afterMs?: number | undefined
}

/** A text in the pieces in which it is streamed: three words each, unless it comes in pieces. */
export function piecesOf(text: string | readonly FakePiece[]): Piece[] {
  const pieces = typeof text === 'string' ? (text.match(/\s*(?:\S+\s*){1,3}|\s+/g) ?? []) : text
  return pieces.map((piece) => (typeof piece === 'string' ? { text: piece } : piece))
}

/** The whole of a text. */
export function textOf(text: string | readonly FakePiece[]): string {
  return piecesOf(text)
    .map((piece) => piece.text)
    .join('')
}

/** A piece as it is streamed, in the event that the CLI has for it. */
export function said({ afterMs }: Piece, event: object): Step {
  return { do: 'out', lines: [JSON.stringify(event)], afterMs }
}

/** An answer that says nothing of its tokens has some; null: they are not known, which all of them write as zeros. */
export function tokensOf({ usage }: FakeAnswer): { readonly input: number; readonly output: number; readonly cachedInput: number } {
  if (usage === null) return { input: 0, output: 0, cachedInput: 0 }
  return { input: usage?.input ?? 12, output: usage?.output ?? 6, cachedInput: usage?.cachedInput ?? 0 }
}

/** When a limit ends (epoch ms); null when that is not told. */
export function resetOf(limit: Extract<FakeFailure, { limit: unknown }>['limit'], now: number): number | null {
  if (limit.resetInMs !== undefined) return now + limit.resetInMs
  return limit.resetAt === undefined ? null : new Date(limit.resetAt).getTime()
}
