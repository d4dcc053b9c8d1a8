import type { ActorRefFrom } from 'xstate'
import { createActor } from 'xstate'
import { streamMachine } from '../../machines/stream.ts'
import type { TurnMachineEvent, TurnOutput, TurnPort } from '../../machines/turn.ts'
import { contentAfterFinal } from '../config/turn-diagnostics.ts'
import type { Failure } from '../model/failure.ts'
import { type Board, type Hold, withHold } from '../model/hold.ts'
import type { FailureEvent, Outcome } from '../model/outcome.ts'
import { type Diagnostic, type Entry, entryName } from '../model/plan.ts'
import type { TurnFact } from '../model/turn-event.ts'
import type { MoneyRules } from '../policy/budget.ts'
import type { Attempt, closeOf, Facts, TurnNews, Wait } from '../policy/turn-step.ts'
import { entryOf } from '../policy/walk.ts'
import { AttemptBook, type BookedAttempt } from './attempt-book.ts'
import { attemptRequest } from './attempt-request.ts'
import { Bridge } from './bridge.ts'
import { chartPlan } from './chart-plan.ts'
import type { KernelCore, RunningTurn } from './core.ts'
import { factOf, judgeable, withoutWords } from './fact.ts'
import { closingOf, outcomeOf } from './outcome.ts'
import { moneyRules } from './pricing.ts'
import type { TurnHandle } from './turn-handle.ts'
import { TurnRim } from './turn-rim.ts'
import type { TurnWork } from './turn-work.ts'
import type { wiredTurn } from './wire.ts'

/**
 * Carries out what the turn's chart decides: opens attempts, keeps the ledger, sets timers, forwards content, and builds the outcome.
 *
 * 1. A cancel closes the attempt before anything else hears of it, so that nothing is forwarded in between (R30).
 * 2. What the chart emits becomes a public fact; nothing is decided here.
 * 3. What a step orders (an attempt, a wait) is carried out once the facts of that step are told: a listener reads why before what, and
 *    its cancel comes before the attempt (R30).
 */
export class TurnRun implements TurnPort, RunningTurn {
  readonly id: string
  readonly #core: KernelCore
  readonly #work: TurnWork
  readonly #handle: TurnHandle
  readonly #startedAt: number
  readonly book: AttemptBook
  readonly #money: MoneyRules | undefined
  readonly #failures: FailureEvent[] = []
  #actor: ActorRefFrom<typeof wiredTurn> | null = null
  #open: OpenAttempt | null = null
  #answer: Bridge | null = null
  #forwarded = ''
  /** Holds of credentials that a reload has put others in the place of since: nobody but this turn calls them still (R12). */
  readonly #rim: TurnRim
  #own: Board = new Map()
  #wait: { readonly wait: Wait; cancel: () => void; fired: boolean } | null = null
  /** The last failure with the words of its provider, which go to the log and no further (R21, R36). */
  #words: Failure | null = null
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
    this.#rim = new TurnRim(this.id, this)
    this.book = new AttemptBook(this.id, work.plan.requested, core, work.before.picoUsd, (fact) => this.#fact(fact))
    this.#money = moneyRules(core, work.budgets, work.plan)
  }

  start(): void {
    const { plan } = this.#work
    this.#fact({ type: 'turn.started', turn: this.id, at: this.#now(), requested: plan.requested, entries: plan.entries.map(entryName) })
    for (const warning of this.#work.warnings) this.#warn(warning)
    if (this.#money !== undefined) for (const warning of this.#core.pricing.barredWarnings(plan, this.#money)) this.#warn(warning)
    if (this.#cancelled) return this.#finishUnasked()
    const actor = this.#core.spawnTurn({
      fixed: {
        plan: chartPlan(plan),
        needs: this.#work.needs,
        reliability: this.#work.reliability,
        shortenable: this.#work.shortened !== null,
        random: this.#core.random,
        attemptsBefore: this.#work.before.attempts,
        money: this.#money,
      },
      port: this.#rim,
      ...this.#facts(),
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
    this.#send({ type: 'turn.cancel', ...this.#facts() })
  }

  lift(): void {
    this.#send({ type: 'hold.lifted', ...this.#facts() })
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
    const { n, mode } = attempt
    const booked = this.book.open(n, entry, mode)
    const request = attemptRequest(this.#handle, this.#work, attempt, entry, this.#core.clock)
    const stream = mode === 'stream' ? this.#startStream() : null
    const bridge = new Bridge(request, this.#work.endMarkers, this.#listener(attempt, entry, stream))
    this.#open = { booked, bridge, stream }
    this.book.tellStart(booked)
    bridge.open(this.#core.engineOf(entry.profile), request)
  }

  #startStream(): ActorRefFrom<typeof streamMachine> {
    const stream = createActor(streamMachine, { parent: this.#actor as never, id: 'stream' })
    this.#core.made(stream)
    return stream.start()
  }

  closeAttempt(close: ReturnType<typeof closeOf>): void {
    const open = this.#open
    if (open === null) return
    this.#open = null
    if (close.accepted) this.#answer = open.bridge
    else this.#forwarded += open.bridge.forwarded
    this.book.close(open.booked, close.result, close.accepted, open.bridge)
  }

  abortAttempt(): void {
    const open = this.#open
    if (open === null) return
    this.#open = null
    open.bridge.close()
    if (open.stream?.getSnapshot().status === 'active') open.stream.send({ type: 'stream.cancelled' })
    this.#forwarded += open.bridge.forwarded
    this.book.close(open.booked, 'cancelled', false, open.bridge)
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
    const by = this.#work.plan.entries.find(({ holdKey, modelHoldKey }) => holdKey === hold.key || modelHoldKey === hold.key)
    this.#core.reportHold(hold, by)
    if (!this.#core.facts().board.has(hold.key)) this.#own = withHold(this.#own, hold)
  }

  /** Ends a turn that was cancelled in the instant of its start (C26). */
  finishUnstarted(): void {
    for (const warning of this.#work.warnings) this.#warn(warning)
    this.#finishUnasked()
  }

  #finishUnasked(): void {
    this.#settle(this.#outcome({ kind: 'cancelled', retryAt: null, attempt: null, recoveredFrom: null }))
  }

  #pause(wait: Wait): void {
    const waiting = { wait, cancel: () => {}, fired: false }
    this.#wait = waiting
    this.#fact({ type: 'wait.started', turn: this.id, at: this.#now(), ms: wait.ms, why: wait.why, key: wait.key })
    if (wait.why === 'hold') this.#core.waitingStarted(this)
    waiting.cancel = this.#core.clock.wakeAt(wait.untilAt, () => {
      waiting.fired = true
      this.#send({ type: 'wait.elapsed', number: wait.number, ...this.#facts() })
    })
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
      teardownThrew: (error) => this.#core.log.defect(this.id, error),
      ended: (end, contentAfter) => {
        this.#words = end.failure
        const wordless = withoutWords(end)
        stream?.send({ type: 'stream.ended', end: wordless })
        if (contentAfter) this.#warn(contentAfterFinal(this.id, entryName(entry)))
        if (this.#open !== null) this.book.reckon(this.#open.booked, this.#open.bridge)
        const committed = stream?.getSnapshot().output?.committed ?? false
        this.#send({ type: 'attempt.ended', n, end: judgeable(wordless, mode, committed), ...this.#facts() })
      },
    }
  }

  #tell(fact: TurnNews): void {
    if ('event' in fact) this.#failures.push(fact.event)
    if (fact.type === 'attempt.failed') {
      this.#lastFailure = this.#words ?? fact.failure
      this.#core.log.attemptFailed(this.id, fact.n, this.#lastFailure)
    }
    this.#fact(factOf(fact, this.id, this.#now(), this.#work))
  }

  #finish(output: TurnOutput | undefined): void {
    if (output === undefined) return this.#fail(new Error('the turn chart ended without an output'))
    const outcome = this.#outcome(output)
    for (const event of closingOf(outcome, this.#answer, output.attempt.mode)) this.#handle.publish(event)
    this.#settle(outcome)
  }

  #outcome({ kind, retryAt, attempt, recoveredFrom }: Omit<TurnOutput, 'attempt'> & { readonly attempt: Attempt | null }): Outcome {
    return outcomeOf({
      kind,
      retryAt,
      attempt,
      recoveredFrom,
      plan: this.#work.plan,
      answer: this.#answer,
      forwarded: this.#forwarded,
      attempts: this.book.records,
      usage: this.book.usage,
      cost: this.book.cost,
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
    this.#send({ type: 'turn.cancel', ...this.#facts() })
  }

  #settle(outcome: Outcome, cause: unknown = this.#lastFailure ?? undefined): void {
    if (this.#over) return
    this.#over = true
    this.#rim.release()
    this.#core.turnEnded(this)
    this.#handle.onEnd(outcome, this.book)
    this.#fact({ type: 'turn.ended', turn: this.id, at: outcome.endedAt, outcome })
    this.#handle.finish(outcome, cause)
  }

  /** A warning about this turn. */
  #warn(warning: Diagnostic): void {
    this.#fact({ type: 'warning.raised', turn: this.id, at: this.#now(), warning })
  }

  #fact(fact: TurnFact): void {
    this.#core.log.fact(fact)
    this.#handle.publish(fact)
  }

  #send(event: TurnMachineEvent): void {
    if (this.#actor?.getSnapshot().status === 'active') this.#actor.send(event)
  }

  #facts(): Facts {
    const { now, board } = this.#core.facts()
    const facts = { now, board: this.#own.size === 0 ? board : [...this.#own.values()].reduce(withHold, board) }
    return this.#money === undefined ? facts : { ...facts, spent: this.#core.spending.spent(this.book.spentPicoUsd, facts.now) }
  }

  #now(): number {
    return this.#core.clock.now()
  }
}

interface OpenAttempt {
  readonly booked: BookedAttempt
  readonly bridge: Bridge
  readonly stream: ActorRefFrom<typeof streamMachine> | null
}
