import type { ActorRefFrom } from 'xstate'
import { createActor } from 'xstate'
import { streamMachine } from '../../machines/stream.ts'
import type { Attempt, Close, TurnEmitted, TurnMachineEvent, TurnOutput, TurnPort, Wait } from '../../machines/turn.ts'
import { contentAfterFinal } from '../config/diagnostics.ts'
import type { AttemptRequest, CallOptions } from '../engines/contract.ts'
import type { Failure } from '../model/failure.ts'
import type { Hold } from '../model/hold.ts'
import type { Message, ToolDefinition } from '../model/message.ts'
import type { AttemptRecord, FailureEvent, Outcome } from '../model/outcome.ts'
import { type Diagnostic, type Entry, entryName, type Plan } from '../model/plan.ts'
import type { TurnFact } from '../model/turn-event.ts'
import type { AttemptResult } from '../model/usage.ts'
import { costOf } from '../policy/cost.ts'
import { entryOf, type Needs } from '../policy/walk.ts'
import { Bridge } from './bridge.ts'
import type { KernelCore, RunningTurn } from './core.ts'
import { factOf } from './fact.ts'
import { closingOf, outcomeOf } from './outcome.ts'
import type { TurnHandle } from './turn-handle.ts'
import type { wiredTurn } from './wire.ts'

/** What a turn works on, fixed when it starts (R12). */
export interface TurnWork {
  readonly plan: Plan
  readonly messages: readonly Message[]
  /** The history without its older half, or null when there is nothing to drop (R20). */
  readonly shortened: readonly Message[] | null
  readonly tools: readonly ToolDefinition[]
  readonly options: CallOptions
  readonly needs: Needs
  readonly eventSink: boolean
  readonly draftSink: boolean
}

/**
 * Carries out what the turn's chart decides: opens attempts, keeps the ledger, sets timers, forwards content, and builds the outcome.
 *
 * 1. A cancel closes the attempt before anything else hears of it, so that nothing is forwarded in between (R30).
 * 2. An attempt has one ledger row, appended before its engine is asked and closed once (R34).
 * 3. What the chart emits becomes a public fact; nothing is decided here.
 * 4. What a step orders (an attempt, a wait) is carried out once the facts of that step are told: a listener reads why before what, and
 *    its cancel comes before the attempt (R30).
 */
export class TurnRun implements TurnPort, RunningTurn {
  readonly id: string
  readonly #core: KernelCore
  readonly #work: TurnWork
  readonly #handle: TurnHandle
  readonly #startedAt: number
  readonly #attempts: AttemptRecord[] = []
  readonly #failures: FailureEvent[] = []
  #actor: ActorRefFrom<typeof wiredTurn> | null = null
  #open: OpenAttempt | null = null
  #answer: Bridge | null = null
  #forwarded = ''
  #wait: { readonly wait: Wait; cancel: () => void; fired: boolean } | null = null
  #lastFailure: Failure | null = null
  #order: (() => void) | null = null
  #cancelled = false
  #over = false

  constructor(core: KernelCore, work: TurnWork, handle: TurnHandle) {
    this.id = handle.id
    this.#core = core
    this.#work = work
    this.#handle = handle
    this.#startedAt = core.clock.now()
  }

  start(): void {
    const { plan } = this.#work
    this.#fact({ type: 'turn.started', turn: this.id, at: this.#now(), requested: plan.requested, entries: plan.entries.map(entryName) })
    if (this.#cancelled) return this.finishUnstarted('cancelled')
    const actor = this.#core.spawnTurn({
      plan,
      needs: this.#work.needs,
      reliability: this.#core.settings.reliability,
      shortenable: this.#work.shortened !== null,
      random: this.#core.random,
      port: this,
      ...this.#core.facts(),
    })
    this.#actor = actor
    actor.on('*', (fact) => this.#tell(fact))
    actor.subscribe({
      next: () => this.#carryOut(),
      complete: () => this.#finish(actor.getSnapshot().output),
      error: (defect) => this.#fail(defect),
    })
    actor.start()
  }

  cancel(): void {
    if (this.#over) return
    this.#cancelled = true
    this.#open?.bridge.close()
    this.#send({ type: 'turn.cancel', ...this.#core.facts() })
  }

  lift(): void {
    this.#send({ type: 'hold.lifted', ...this.#core.facts() })
  }

  openAttempt(attempt: Attempt): void {
    this.#order = () => this.#ask(attempt)
  }

  startWait(wait: Wait): void {
    this.#order = () => this.#pause(wait)
  }

  #carryOut(): void {
    const order = this.#order
    this.#order = null
    if (order === null || this.#cancelled) return
    try {
      order()
    } catch (defect) {
      this.#fail(defect)
    }
  }

  #ask(attempt: Attempt): void {
    const entry = entryOf(this.#work.plan, attempt.entry)
    const startedAt = this.#now()
    const { n, mode } = attempt
    this.#core.ledger.append({
      turn: this.id,
      n,
      profile: entry.label,
      model: entry.model,
      mode,
      startedAt,
      endedAt: null,
      outcome: null,
      accepted: false,
      usage: null,
      cost: null,
    })
    const request = this.#requestOf(attempt, entry)
    const stream = mode === 'stream' ? createActor(streamMachine, { parent: this.#actor as never, id: 'stream' }).start() : null
    const bridge = new Bridge(request, this.#core.settings.endMarkers, this.#listener(attempt, entry, stream))
    this.#open = { n, entry, mode, startedAt, bridge, stream }
    this.#fact({ type: 'attempt.started', turn: this.id, at: startedAt, n, entry: entryName(entry), profile: entry.label, model: entry.model, mode })
    bridge.open(this.#core.engineOf(entry.profile), request)
  }

  closeAttempt(close: Close): void {
    const open = this.#open
    if (open === null) return
    this.#open = null
    if (close.accepted) this.#answer = open.bridge
    this.#record(open, close.result, close.accepted)
  }

  abortAttempt(): void {
    const open = this.#open
    if (open === null) return
    this.#open = null
    open.bridge.close()
    if (open.stream?.getSnapshot().status === 'active') open.stream.send({ type: 'stream.cancelled' })
    this.#forwarded += open.bridge.forwarded
    this.#record(open, 'cancelled', false)
  }

  cancelWait(): void {
    const waiting = this.#wait
    if (waiting === null) return
    this.#wait = null
    waiting.cancel()
    if (waiting.wait.why === 'hold') this.#core.waitingEnded(this)
    this.#fact({ type: 'wait.ended', turn: this.id, at: this.#now(), cut: !waiting.fired })
  }

  reportHold(hold: Hold): void {
    this.#core.reportHold(hold)
  }

  /** A warning about this turn. */
  warn(warning: Diagnostic): void {
    this.#fact({ type: 'warning.raised', turn: this.id, at: this.#now(), warning })
  }

  /** Ends a turn that was cancelled in the instant of its start (C26). */
  finishUnstarted(kind: 'cancelled'): void {
    this.#settle(this.#outcome({ kind, retryAt: null, attempt: null, recoveredFrom: null }))
  }

  #pause(wait: Wait): void {
    const waiting = { wait, cancel: () => {}, fired: false }
    this.#wait = waiting
    this.#fact({ type: 'wait.started', turn: this.id, at: this.#now(), ms: wait.ms, why: wait.why, key: wait.key })
    if (wait.why === 'hold') this.#core.waitingStarted(this)
    waiting.cancel = this.#core.clock.wakeAt(wait.untilAt, () => {
      waiting.fired = true
      this.#send({ type: 'wait.elapsed', number: wait.number, ...this.#core.facts() })
    })
  }

  #requestOf(attempt: Attempt, entry: Entry): AttemptRequest {
    const { messages, shortened, tools, options } = this.#work
    return {
      turn: this.id,
      n: attempt.n,
      mode: attempt.mode,
      profile: entry.profile,
      secret: entry.secret,
      entry: entryName(entry),
      model: entry.model,
      messages: attempt.history === 'shortened' && shortened !== null ? shortened : messages,
      tools,
      options,
      clock: this.#core.clock,
      flow: this.#handle.flow,
    }
  }

  #listener(attempt: Attempt, entry: Entry, stream: OpenAttempt['stream']): ConstructorParameters<typeof Bridge>[2] {
    const { n, mode } = attempt
    return {
      eventSink: this.#work.eventSink,
      draftSink: this.#work.draftSink,
      opened: () => stream?.send({ type: 'stream.opened' }),
      committed: () => {
        stream?.send({ type: 'output.committed' })
        this.#fact({ type: 'output.committed', turn: this.id, at: this.#now(), n })
      },
      content: (event) => this.#handle.publish(event),
      ended: (end, contentAfter) => {
        stream?.send({ type: 'stream.ended', end })
        if (contentAfter) this.warn(contentAfterFinal(this.id, entryName(entry)))
        const committed = stream?.getSnapshot().output?.committed ?? false
        this.#send({ type: 'attempt.ended', n, end: { ...end, mode, committed }, ...this.#core.facts() })
      },
    }
  }

  #record(open: OpenAttempt, result: AttemptResult, accepted: boolean): void {
    const { n, entry, mode, startedAt, bridge } = open
    const { usage } = bridge
    const price = entry.profile.price[entry.model]
    const cost = costOf(usage, price)
    const endedAt = this.#now()
    const priceUnknown = usage !== null && price === undefined ? this.#core.priceUnknown(entry) : null
    this.#core.ledger.close(this.id, n, { endedAt, outcome: result, accepted, usage, cost })
    this.#attempts.push({ n, entry: entryName(entry), mode, startedAt, endedAt, result, accepted, usage, cost })
    this.#fact({ type: 'attempt.ended', turn: this.id, at: endedAt, n, entry: entryName(entry), result, accepted, usage, cost })
    if (priceUnknown !== null) this.warn(priceUnknown)
    if (!accepted && result !== 'cancelled') this.#forwarded += bridge.forwarded
  }

  #tell(fact: TurnEmitted): void {
    if ('event' in fact) this.#failures.push(fact.event)
    if (fact.type === 'attempt.failed') {
      this.#lastFailure = fact.failure
      this.#core.log.attemptFailed(this.id, fact.n, fact.failure)
    }
    this.#fact(factOf(fact, this.id, this.#now(), this.#work))
  }

  #finish(output: TurnOutput | undefined): void {
    if (output === undefined) return this.#fail(new Error('the turn chart ended without an output'))
    const outcome = this.#outcome(output)
    for (const event of closingOf(outcome, this.#answer, output.attempt.mode)) this.#handle.publish(event)
    this.#settle(outcome)
  }

  #outcome(output: Omit<TurnOutput, 'attempt'> & { readonly attempt: Attempt | null }): Outcome {
    return outcomeOf({
      ...output,
      plan: this.#work.plan,
      answer: this.#answer,
      forwarded: this.#forwarded,
      attempts: this.#attempts,
      failures: this.#failures,
      noticeMode: this.#core.settings.modelFallbackNotice,
      startedAt: this.#startedAt,
      endedAt: this.#now(),
    })
  }

  #fail(defect: unknown): void {
    if (this.#over) return
    this.#core.log.defect(this.id, defect)
    try {
      this.cancelWait()
      this.abortAttempt()
    } catch (another) {
      this.#core.log.defect(this.id, another)
    }
    this.#settle(this.#outcome({ kind: 'defect', retryAt: null, attempt: null, recoveredFrom: null }), defect)
    this.#send({ type: 'turn.cancel', ...this.#core.facts() })
  }

  #settle(outcome: Outcome, cause: unknown = this.#lastFailure ?? undefined): void {
    if (this.#over) return
    this.#over = true
    this.#core.turnEnded(this)
    this.#fact({ type: 'turn.ended', turn: this.id, at: outcome.endedAt, outcome })
    this.#handle.finish(outcome, cause)
  }

  #fact(fact: TurnFact): void {
    this.#core.log.fact(fact)
    this.#handle.publish(fact)
  }

  #send(event: TurnMachineEvent): void {
    if (this.#actor?.getSnapshot().status === 'active') this.#actor.send(event)
  }

  #now(): number {
    return this.#core.clock.now()
  }
}

interface OpenAttempt {
  readonly n: number
  readonly entry: Entry
  readonly mode: 'stream' | 'call'
  readonly startedAt: number
  readonly bridge: Bridge
  readonly stream: ActorRefFrom<typeof streamMachine> | null
}
