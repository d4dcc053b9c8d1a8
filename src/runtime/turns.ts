import { callInFlight, turnInFlight } from '../config/turn-diagnostics.ts'
import { hasImage } from '../model/message.ts'
import type { Outcome } from '../model/outcome.ts'
import { onAbort } from './abort-signal.ts'
import { lastPrompt, workOf } from './asked-work.ts'
import { CallerCore } from './caller-core.ts'
import type { KernelCore, RunningTurn } from './core.ts'
import { ConfigError } from './errors.ts'
import { unstarted } from './outcome.ts'
import { type CheckedRequest, messagesOf, type Sinks, type TurnRequest } from './request.ts'
import { type Turn, TurnHandle } from './turn-handle.ts'
import { TurnRun } from './turn-run.ts'
import type { CallPlan, TurnWork } from './turn-work.ts'

/**
 * The turns in flight of one kernel.
 *
 * 1. A turn starts at the end of the task that asked for it: until then whoever wants to listen is heard, and a cancel costs no attempt (C26).
 * 2. Names are told apart: one that is in flight, or kept for a turn of several calls, is not given to another.
 */
export class Turns {
  readonly #core: KernelCore
  readonly #ensure: (key: string) => void
  readonly #prefix: string
  /** By name. What stands under it is let go with the turn: the Map may keep it (decision 0012). */
  readonly #running = new Map<string, Flight>()
  readonly #kept = new Set<string>()
  #made = 0
  #stopped = false

  /** `ensure` is told each engine that a turn may report on, before it starts. */
  constructor(core: KernelCore, prefix: string, ensure: (key: string) => void) {
    this.#core = core
    this.#prefix = prefix
    this.#ensure = ensure
  }

  /** A name that nobody has. */
  mint(): string {
    return `${this.#prefix}-${++this.#made}`
  }

  /** Keeps a name for a turn of several calls. Throws ConfigError when it is taken. */
  keep(id: string): void {
    if (this.#running.has(id) || this.#kept.has(id)) throw new ConfigError([turnInFlight(id)])
    this.#kept.add(id)
  }

  letGo(id: string): void {
    this.#kept.delete(id)
  }

  /** Starts a turn of one call. Throws ConfigError when its name is taken. */
  begin(id: string, request: CheckedRequest, plan: () => CallPlan): Turn {
    if (this.#kept.has(id) || this.#running.has(id)) throw new ConfigError([turnInFlight(id)])
    return this.call(id, request, plan)
  }

  /** Starts a call of the turn of this name. Throws ConfigError while another one is in flight. */
  call(id: string, request: CheckedRequest, plan: () => CallPlan): TurnHandle {
    if (this.#running.has(id)) throw new ConfigError([callInFlight(id)])
    const { signal, caller } = request
    const core = caller === undefined ? this.#core : new CallerCore(this.#core, caller)
    const handle = new TurnHandle(id, callbacksOf(request), (error) => core.log.listenerThrew(error))
    let cancelled = false
    handle.onCancel = () => {
      cancelled = true
    }
    this.#running.set(id, { run: null })
    if (signal !== undefined) void handle.outcome.then(onAbort(signal, handle.cancel))
    queueMicrotask(() => this.#begin(core, request, handle, plan, () => cancelled || this.#stopped || signal?.aborted === true))
    return handle
  }

  /** Starts what was planned elsewhere, now. */
  launch(core: KernelCore, work: TurnWork, handle: TurnHandle, isCancelled: () => boolean = () => this.#stopped): TurnRun {
    for (const { holdKey, modelHoldKey } of work.plan.entries) {
      this.#ensure(holdKey)
      if (modelHoldKey !== null) this.#ensure(modelHoldKey)
    }
    const run = new TurnRun(core, work, handle)
    if (isCancelled()) run.finishUnstarted()
    else {
      this.#took(handle.id, run)
      handle.onCancel = () => run.cancel()
      run.start()
    }
    return run
  }

  ended(id: string): void {
    const flight = this.#running.get(id)
    if (flight === undefined) return
    flight.run = null
    this.#running.delete(id)
  }

  cancelAll(): void {
    for (const { run } of [...this.#running.values()]) run?.cancel()
  }

  /** What has not started is cancelled when it would. */
  stop(): void {
    this.#stopped = true
  }

  /** A turn that cannot even start, because a port throws or a host's object is not what was checked, ends as a defect all the same. */
  #begin(core: KernelCore, request: CheckedRequest, handle: TurnHandle, plan: () => CallPlan, isCancelled: () => boolean): void {
    try {
      this.#start(core, request, handle, plan(), isCancelled)
    } catch (defect) {
      core.log.defect(handle.id, defect)
      this.#endUnstarted(core, handle, unstarted('defect', null, null, this.#instant()), defect)
    }
  }

  #start(core: KernelCore, request: CheckedRequest, handle: TurnHandle, call: CallPlan, isCancelled: () => boolean): void {
    const messages = messagesOf(request)
    const needs = { tools: (request.tools ?? []).length > 0, vision: hasImage(messages) }
    const planned = call.plan(needs, lastPrompt(messages))
    if ('error' in planned) {
      return this.#endUnstarted(core, handle, unstarted('config_error', planned.requested, planned.error, core.clock.now()))
    }
    this.launch(core, workOf(call, request, planned.plan, handle), handle, isCancelled)
  }

  #endUnstarted(core: KernelCore, handle: TurnHandle, outcome: Outcome, cause?: unknown): void {
    this.ended(handle.id)
    handle.onEnd(outcome, null)
    const fact = { type: 'turn.ended', turn: handle.id, at: outcome.endedAt, outcome } as const
    core.log.fact(fact)
    handle.publish(fact)
    handle.finish(outcome, cause)
  }

  /** One that was started without a call of its own has no place yet. */
  #took(id: string, run: RunningTurn): void {
    const flight = this.#running.get(id)
    if (flight === undefined) this.#running.set(id, { run })
    else flight.run = run
  }

  /** The present instant; 0 where it is the clock that is broken. */
  #instant(): number {
    try {
      return this.#core.clock.now()
    } catch {
      return 0
    }
  }
}

interface Flight {
  /** Null until the turn starts. */
  run: RunningTurn | null
}

function callbacksOf({ sinks }: TurnRequest): ConstructorParameters<typeof TurnHandle>[1] {
  return sinks === undefined || Array.isArray(sinks) ? {} : (sinks as Sinks)
}
