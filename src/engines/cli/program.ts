import type { NoticeProvider } from '../../model/notice.ts'
import type { ProviderEvent } from '../../model/provider-event.ts'
import type { Usage } from '../../model/usage.ts'
import type { CallOptions } from '../contract.ts'
import type { SwitchedVariables } from './environment.ts'
import type { OutputLine } from './output-line.ts'

/**
 * What relevo knows of one coding-agent CLI. A program is a folder: `command.ts` (how it is called), `decode.ts` (what its output means),
 * `voice.ts` (where in its output it speaks for itself), `notices.ts` (its wordings), `program.ts` (the four as one value).
 *
 * 1. A program retries nothing: its own retries are switched down and its silent re-sends off, so that the replay boundary is ours (R23, R32).
 * 2. A prompt reaches the program byte for byte, or `invocation` throws CannotSend before anything starts.
 * 3. A program never sees an environment variable that is not on its list.
 */
export interface CliProgram {
  /** Family of its profiles (T1), such as `gemini-cli`. */
  readonly family: string
  /** The name its notices go by. */
  readonly provider: NoticeProvider
  /** Name of the executable on PATH. */
  readonly command: string
  /** How to get it, one line for a person. */
  readonly install: string
  /** The variable in which it takes a profile's credential; null when it only has its own login. */
  readonly keyVariable: string | null
  /** Variables of the host that it may see beside those that every program sees: names, or beginnings of names that end in `*`. */
  readonly variables: readonly string[]
  /** Those of them by which it would sign in otherwise; kept from it where the profile has a key. */
  readonly signIn?: readonly string[]
  /** Keys of the host that it may see in one of its modes alone. */
  readonly switched?: readonly SwitchedVariables[]
  /** Set in every run; a profile's own `cli.env` wins. */
  readonly environment: Readonly<Record<string, string>>
  /** Set where neither the host nor the profile says otherwise; it is shown what the program would see without them. */
  defaults?(seen: Readonly<Record<string, string>>): Readonly<Record<string, string>>
  /** Throws CannotSend for what the program cannot be asked. */
  invocation(ask: CliAsk): Invocation
  decoder(mode: 'stream' | 'call'): CliDecoder
}

export interface CliAsk {
  readonly mode: 'stream' | 'call'
  /** Null: the program's own choice. */
  readonly model: string | null
  /** What the system messages say, joined; null without any. */
  readonly system: string | null
  /** The conversation as one text: the user's message alone where there is nothing else. */
  readonly prompt: string
  readonly options: CallOptions
}

export interface Invocation {
  readonly args: readonly string[]
  /** What must stand at the end of the command line. A profile's own `cli.args` stand between `args` and these. */
  readonly last?: readonly string[]
  /** Written to standard input, which is then closed; null: standard input is closed from the start. */
  readonly stdin: string | null
}

type Tell = (event: ProviderEvent) => void

/**
 * Reads the output of one run.
 *
 * 1. It tells neither `opened`, `final` nor `failed`: the attempt does.
 * 2. It never throws, whatever the lines hold.
 * 3. Text that was told is never told again, also where the program begins its answer anew.
 */
export interface CliDecoder {
  take(line: OutputLine, tell: Tell): void
  /** The program said that its run is over; one that stays afterwards is stopped. */
  readonly over: boolean
  /** Something of an answer came behind the completion signal; it was not read (R25). */
  readonly contentAfter?: boolean
  /** Characters of the answer that are kept back until the end; left out where none are. */
  readonly heldLength?: number
  /** Tokens of a run that has not told those of the whole; left out by a program that says nothing of them before. */
  readonly usageSoFar?: Usage | null
  /** Why the run must be stopped: what it does now would contradict what it told before. Null as long as it may go on. */
  readonly broken: string | null
  /** The process has ended and its output was read: tells what was held back. Called once, last. */
  end(exitCode: number | null, tell: Tell): RunEnd
}

/** `completed`: the completion signal of the program was seen and its exit agrees. `finish` as in ProviderEvent. */
export type RunEnd = { readonly completed: true; readonly finish: string } | { readonly completed: false }
