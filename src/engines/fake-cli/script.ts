/**
 * What fake CLIs are told to do. A script holds, for each of them (`claude`) or for one model of it (`claude:opus`), its runs in the order of
 * use; the last one repeats. A call of a model that has no list of its own takes from the list of its CLI.
 */
export const FAKE_CLI_NAMES = ['claude', 'codex', 'agy', 'gemini'] as const
export type FakeCliName = (typeof FAKE_CLI_NAMES)[number]

/** A tool that the CLI runs itself. */
export interface FakeTool {
  readonly name: string
  readonly arguments?: Readonly<Record<string, unknown>> | undefined
  readonly output: string
  readonly isError?: boolean | undefined
}

/** Tokens as relevo counts them: `input` with the cached ones. */
export interface FakeUsage {
  readonly input: number
  readonly output: number
  readonly cachedInput?: number | undefined
}

/** What is said of an answer at once, in a stream; a text alone is cut into pieces of three words. `afterMs` is waited before it. */
export type FakePiece = string | { readonly text: string; readonly afterMs?: number | undefined }

/** What may stand beside any run. */
interface Manner {
  /** Waited before each thing that is printed; 0 by default. */
  readonly afterMs?: number | undefined
  /** Takes no notice of SIGTERM, SIGINT and SIGHUP. */
  readonly ignoreTerm?: boolean | undefined
  /** Starts a process of its own group that keeps standard output open and stays when its parent has gone. */
  readonly grandchild?: boolean | undefined
  /** Ends with this instead of its own exit code. */
  readonly exit?: number | undefined
}

/**
 * An answer; one of no pieces is empty. `stall`: begun, and then silent for good · `cut`: begun, and then over without a last event, exit 0 ·
 * `late`: text that is printed behind the last event · `finish`: why it ended where it did · `usage`: null where it is not known · `costUsd`: what it
 * says that the run would have cost by the token, 0 by default. Only claude says why it ended, and what it cost.
 */
export type FakeAnswer = Manner & {
  readonly text: string | readonly FakePiece[]
  readonly reasoning?: string | undefined
  readonly tools?: readonly FakeTool[] | undefined
  readonly usage?: FakeUsage | null | undefined
  readonly costUsd?: number | undefined
  readonly finish?: 'length' | 'refusal' | undefined
  readonly late?: string | undefined
  readonly stall?: boolean | undefined
  readonly cut?: boolean | undefined
}

/**
 * Why it fails; told in the words of each CLI, behind the pieces of an answer that had begun (`after`). A limit without a time has no
 * readable reset; `scope` is its name there, such as `seven_day`.
 */
export type FakeFailure = Manner & { readonly after?: readonly FakePiece[] | undefined } & (
    | {
        readonly limit: {
          /** An instant: ISO 8601, or epoch ms. */
          readonly resetAt?: string | number | undefined
          readonly resetInMs?: number | undefined
          readonly scope?: string | undefined
        }
      }
    | { readonly throttle: true }
    | { readonly overloaded: true }
    /** `said`: what the server said of the key, which is repeated. */
    | { readonly auth: true | { readonly said: string } }
    | { readonly spend: true }
    | { readonly context: true }
    | { readonly model: true }
    | { readonly server: true }
    /** Words of its own that nobody has seen before. */
    | { readonly says: string }
    /** claude, agy and gemini say so and end; codex waits for the network until it is stopped, a line every `afterMs`, 200 ms by default. */
    | { readonly network: 'down' }
  )

/** What no CLI says, but any may do. */
export type FakeMishap = Manner &
  (
    | { readonly crash: { readonly exit: number; readonly stderr?: string | undefined } }
    /** Prints nothing and stays. */
    | { readonly silence: true }
    /** Begins, and then gives signs of life that say nothing, one every `afterMs`, 200 ms by default. */
    | { readonly busy: true }
    /** So many bytes without the end of a line. */
    | { readonly flood: number }
    /** These lines, and this exit. */
    | {
        readonly raw: {
          readonly stdout?: readonly string[] | undefined
          readonly stderr?: readonly string[] | undefined
          readonly exit?: number | undefined
        }
      }
  )

export type FakeRun = FakeAnswer | FakeFailure | FakeMishap

export type FakeCliScript = Readonly<Record<string, readonly FakeRun[]>>

/** The list that a call takes its run from; undefined when nothing is scripted for it. */
export function queueOf(script: FakeCliScript, name: FakeCliName, model: string | null): string | undefined {
  const own = `${name}:${model}`
  return [own, name].find((queue) => Object.hasOwn(script, queue))
}
