/**
 * What is asked of a child process, and what it comes to. The runner starts and stops processes and cuts their output into lines; it knows
 * nothing of what they say and reads no clock of the kernel but for the grace between two signals.
 */
export interface ProcessRequest {
  /** Absolute; found on PATH when the engines were made. */
  readonly path: string
  readonly args: readonly string[]
  /** Null: the directory of this process. */
  readonly directory: string | null
  /** All that the child sees. */
  readonly environment: Readonly<Record<string, string>>
  /** Written and closed; null: closed from the start. */
  readonly stdin: string | null
}

export interface ProcessListener {
  /** One line, without its end. */
  onLine(from: 'stdout' | 'stderr', text: string): void
  /** Called once, last, and never after `stop`. */
  onEnd(end: ProcessEnd): void
}

export type ProcessEnd =
  /** It has exited, and its output was read to the end or for the drain time. */
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: string | null }
  /** It could not be started, or was stopped because its output broke a bound. */
  | { readonly kind: 'failed'; readonly reason: ProcessFault; readonly message: string }

/** `not_started`: no such program or no right to run it · `not_now`: what passes keeps it from starting · `no_directory` · `too_long`: arguments and environment (E2BIG) · `endless_line` · `too_much`: output. */
export type ProcessFault = 'not_started' | 'not_now' | 'no_directory' | 'too_long' | 'endless_line' | 'too_much'

export interface RunningProcess {
  /** Stops reading; the child blocks once its pipe is full. */
  pause(): void
  resume(): void
  /** Nothing is told from now on; TERM to the group, KILL after the grace. Twice is once. */
  stop(): void
  /** Resolves when no process of the group is left. */
  readonly gone: Promise<void>
}
