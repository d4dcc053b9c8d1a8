import type { Subscriber } from 'rxjs'
import { OWN_MODEL } from '../../model/cli.ts'
import { type Failure, type FailureKind, type FailurePhase, failure } from '../../model/failure.ts'
import type { ProviderEvent } from '../../model/provider-event.ts'
import { CannotSend } from '../cannot-send.ts'
import type { AttemptRequest } from '../contract.ts'
import { Deadlines, deadlineFailure } from '../deadlines.ts'
import { redacted, secretsOf } from '../redact.ts'
import { credentialsIn, environmentFor, timeZoneOf } from './environment.ts'
import { machineClock } from './machine-clock.ts'
import { NoticeListener } from './notice/listener.ts'
import { noticeFailure } from './notice-failure.ts'
import { outputLine } from './output-line.ts'
import type { ProcessEnd, ProcessFault, ProcessRequest, RunningProcess } from './process/process.ts'
import type { ProcessTable } from './process/process-table.ts'
import type { CliDecoder, CliProgram, Invocation } from './program.ts'
import { promptOf } from './prompt.ts'
import { normalised } from './reset/normalise.ts'

/**
 * One run of a coding-agent CLI: what the engine contract promises, for every program.
 *
 * 1. It ends once, in `final` or `failed`. A run that is broken off is cancelled before it is signalled, so that its exit is never
 *    classified (cli-engines.md §5b).
 * 2. `final` takes the completion signal of the program and an exit that agrees. One that stays after its signal gets a moment and is then
 *    stopped: its answer is whole. So is that of one whose output breaks a bound after its signal.
 * 3. What the program says of itself is heard line by line and judged once, when the run is over, unless the run will not end by itself.
 * 4. While the reader is full nothing is read, and the silence that this brings is no stall. Neither is a suspend of the machine (T17).
 */
export interface CliHost {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly processes: Pick<ProcessTable, 'start'>
}

/** How long a program may stay after it has said that its run is over. */
const STAY_MS = 5_000

/**
 * What is told and kept of one answer, thoughts included: two hundred novels. The bounds of a pipe are wider, since what a program prints
 * beside its answer, images that it looks at and output of its tools, is kept by nobody.
 */
const ANSWER_LENGTH = 32 * 1024 * 1024

/** Of the word for how an answer ended; it is the program's own where it is none that is known. */
const FINISH_LENGTH = 100

export class CliAttempt {
  readonly #program: CliProgram
  readonly #request: AttemptRequest
  readonly #subscriber: Subscriber<ProviderEvent>
  readonly #deadlines: Deadlines
  readonly #decoder: CliDecoder
  #listener: NoticeListener | null = null
  /** What is taken out of the words of a failure. */
  #secrets: readonly string[]
  #process: RunningProcess | null = null
  #cancelStay: (() => void) | null = null
  #opened = false
  #answered = false
  #answerLength = 0
  #over = false

  constructor(program: CliProgram, request: AttemptRequest, subscriber: Subscriber<ProviderEvent>) {
    this.#program = program
    this.#request = request
    this.#subscriber = subscriber
    this.#secrets = secretsOf(request)
    this.#decoder = program.decoder(request.mode)
    const { clock, profile } = request
    // A CLI connects by itself, and prints while it works whether its answer is streamed or not.
    const timeouts = { ...profile.timeouts, connectMs: null, idleMs: profile.cli?.stallMs ?? null }
    this.#deadlines = new Deadlines({
      clock: machineClock(clock),
      timeouts,
      mode: 'stream',
      onExpire: (name) => this.#onDeadline(deadlineFailure(name, timeouts, this.#phase)),
    })
  }

  begin(host: CliHost): void {
    const written = writeRun(this.#program, this.#request, host.environment)
    if ('kind' in written) return this.#fail(written)
    this.#listener = new NoticeListener(this.#program.provider, timeZoneOf(written.environment))
    this.#secrets = [...this.#secrets, ...credentialsIn(written.environment, this.#request.profile.cli?.env ?? {})]
    this.#deadlines.start()
    this.#process = host.processes.start(written, { onLine: (from, text) => this.#onLine(from, text), onEnd: (end) => this.#onEnd(end) })
    if (this.#over) this.#process.stop()
  }

  /** The subscriber left, or was told the end; a process that has ended is not reached by it. */
  cancel(): void {
    this.#close()
    this.#process?.stop()
  }

  #onLine(from: 'stdout' | 'stderr', text: string): void {
    if (this.#over) return
    this.#deadlines.byte()
    const line = outputLine(from, text)
    if (from === 'stdout') this.#open()
    this.#listener?.take(line)
    this.#decoder.take(line, this.#tell)
    if (this.#over) return
    if (this.#answerLength + (this.#decoder.heldLength ?? 0) > ANSWER_LENGTH) return this.#fail(this.#tooMuch())
    if (this.#decoder.broken !== null) return this.#fail(failure('truncated', this.#phase, `${this.#program.command}: ${this.#decoder.broken}`))
    if ((this.#listener?.unending ?? null) !== null) return this.#failAsHeard({ exitCode: null, signal: null, killed: true })
    if (this.#decoder.over) this.#awaitExit()
    if (this.#request.flow.full) this.#wait()
  }

  #open(): void {
    if (this.#opened) return
    this.#opened = true
    this.#tell({ type: 'opened' })
  }

  #onEnd(end: ProcessEnd): void {
    if (this.#over) return
    if (end.kind === 'exited') return this.#settle(end.code, end.signal, false)
    if (this.#decoder.over) return this.#settle(null, null, true)
    this.#fail(processFailure(end, this.#phase))
  }

  /** The run is over: with an answer if its program says so, else as it was heard. */
  #settle(exitCode: number | null, signal: string | null, killed: boolean): void {
    const ended = this.#decoder.end(exitCode, this.#tell)
    if (this.#over) return
    if (!ended.completed) return this.#failAsHeard({ exitCode, signal, killed })
    this.#open()
    const after = this.#decoder.contentAfter === true ? { contentAfter: true } : {}
    this.#tell({ type: 'final', finish: normalised(ended.finish.slice(0, FINISH_LENGTH)), terminated: true, ...after })
  }

  #failAsHeard({ exitCode, signal, killed }: { exitCode: number | null; signal: string | null; killed: boolean }): void {
    const now = this.#request.clock.now()
    const notice = this.#listener?.read({ exitCode, killed, now })
    if (notice === undefined) return
    this.#fail(noticeFailure(notice, { program: this.#program.command, phase: this.#phase, exitCode, signal, answered: this.#answered, now }))
  }

  /** An outage or a limit that was heard says more than the silence after it. */
  #onDeadline(expired: Failure): void {
    if (this.#over) return
    const now = this.#request.clock.now()
    const heard = this.#listener?.read({ exitCode: null, killed: true, now })
    const isCause = heard !== undefined && (heard.kind === 'network' || heard.kind === 'limit_reset' || heard.kind === 'limit_no_reset')
    if (isCause) return this.#failAsHeard({ exitCode: null, signal: null, killed: true })
    this.#fail(expired)
  }

  #awaitExit(): void {
    if (this.#cancelStay !== null) return
    const clock = machineClock(this.#request.clock)
    this.#deadlines.stop()
    this.#cancelStay = clock.wakeAt(clock.now() + STAY_MS, () => {
      this.#process?.stop()
      if (!this.#over) this.#settle(null, null, true)
    })
  }

  /** The reader is full: stop reading until it drains. */
  #wait(): void {
    this.#process?.pause()
    this.#deadlines.hold()
    this.#request.flow.onDrain(() => {
      if (this.#over) return
      this.#deadlines.release()
      this.#process?.resume()
    })
  }

  #tooMuch(): Failure {
    const words = `${this.#program.command} was stopped: its answer has more than ${ANSWER_LENGTH} characters; ask for less at once`
    return failure('protocol', this.#phase, words, { code: 'too_much' })
  }

  get #phase(): FailurePhase {
    return this.#opened ? this.#request.mode : 'connect'
  }

  readonly #tell = (event: ProviderEvent): void => {
    if (this.#over) return
    if (event.type === 'text' || event.type === 'reasoning' || event.type === 'providerToolCall') {
      this.#answered = true
      this.#deadlines.output()
    }
    if (event.type === 'text' || event.type === 'reasoning') this.#answerLength += event.text.length
    if (event.type !== 'final' && event.type !== 'failed') return this.#subscriber.next(event)
    this.#close()
    this.#process?.stop()
    const usage = event.type === 'failed' ? (this.#decoder.usageSoFar ?? null) : null
    if (usage !== null) this.#subscriber.next({ type: 'usage', ...usage })
    this.#subscriber.next(event.type === 'final' ? event : { type: 'failed', failure: redacted(event.failure, this.#secrets) })
    this.#subscriber.complete()
  }

  #fail(reason: Failure): void {
    this.#tell({ type: 'failed', failure: reason })
  }

  #close(): void {
    this.#over = true
    this.#deadlines.stop()
    this.#cancelStay?.()
  }
}

/**
 * What is handed to a program as a model. Nothing of it can be an option or end a line, and it holds all that names of theirs hold:
 * `sonnet[1m]`, `claude-sonnet-4@20250514`, an ARN, `Gemini 3 Pro (High)`.
 */
const MODEL_NAME = /^[A-Za-z0-9][\w.:@/+ ()[\]-]{0,127}$/

/** The run as it is started, or the failure that it cannot be. */
function writeRun(program: CliProgram, request: AttemptRequest, host: CliHost['environment']): ProcessRequest | Failure {
  const { profile, secret, mode, model, messages, tools, options } = request
  const { cli } = profile
  if (cli === null || cli.path === null)
    return refused(`profile ${profile.id} has no program to run; install ${program.command}, or name it in cli.command`)
  if (secret !== null && program.keyVariable === null)
    return refused(`${program.command} takes no key, it has its own login; remove apiKey from profile ${profile.id}`)
  if (!MODEL_NAME.test(model)) {
    const shown = normalised(model).slice(0, 80)
    const form = 'a letter or a digit, then at most 127 of these, spaces and signs of ._:@/+-()[]'
    return refused(`${program.command} was not started: \`${shown}\` is no name of a model; write another: ${form}`)
  }
  if (tools.length > 0) return refused(`${program.command} uses its own tools only; leave \`tools\` out, or ask an HTTP profile`)
  let invocation: Invocation
  try {
    const { system, prompt } = promptOf(messages, program.command)
    invocation = program.invocation({ mode, model: model === OWN_MODEL ? null : model, system, prompt, options })
  } catch (error) {
    if (error instanceof CannotSend) return refused(error.message)
    throw error
  }
  const key: Record<string, string> = secret === null || program.keyVariable === null ? {} : { [program.keyVariable]: secret.reveal() }
  return {
    path: cli.path,
    args: [...invocation.args, ...cli.args, ...(invocation.last ?? [])],
    directory: cli.directory,
    environment: environmentFor(host, {
      variables: program.variables,
      withheld: secret === null ? [] : program.signIn,
      switched: program.switched,
      fixed: program.environment,
      own: { ...cli.env, ...key },
      defaults: program.defaults,
    }),
    stdin: invocation.stdin,
  }
}

function refused(what: string): Failure {
  return failure('invalid_request', 'connect', what)
}

/** A program that cannot be run as it is asked to be is not asked again (R17); what passes, and one whose output breaks a bound, may do better. */
function processFailure({ reason, message }: Extract<ProcessEnd, { kind: 'failed' }>, phase: FailurePhase): Failure {
  return failure(KINDS[reason], phase, message, { code: reason })
}

const KINDS: Readonly<Record<ProcessFault, FailureKind>> = {
  not_started: 'invalid_request',
  not_now: 'overloaded',
  no_directory: 'invalid_request',
  too_long: 'invalid_request',
  endless_line: 'protocol',
  too_much: 'protocol',
}
