import type { Clock } from '../../model/clock.ts'
import type { Engine } from '../contract.ts'
import type { LoopbackScript, ScriptedOutcome, ScriptedStream } from '../loopback/script.ts'
import { CONFORMANCE_ENTRY, conformanceRequest } from './request.ts'
import type { ConformanceSubject, Prepared, Situation, SteppedClock } from './subject.ts'

export type VirtualScript = Readonly<Record<string, { readonly call?: readonly ScriptedOutcome[]; readonly stream?: readonly ScriptedStream[] }>>

export interface VirtualSubjectOptions {
  readonly name: string
  readonly engine: (script: VirtualScript, clock: Clock) => Engine
  readonly clock: () => SteppedClock
  readonly lacks?: ConformanceSubject['lacks']
}

const MOST_STEPS = 10_000

/**
 * An engine without a provider, which plays a script on a virtual clock. There is no connection to look at, so an attempt counts as
 * broken off when it has left no wake on the clock, and a request as sent when the script was looked into.
 */
export function virtualSubject(options: VirtualSubjectOptions): ConformanceSubject {
  return {
    name: options.name,
    ...(options.lacks === undefined ? {} : { lacks: options.lacks }),
    async prepare(situation) {
      return prepareVirtual(options, situation)
    },
  }
}

function prepareVirtual(options: VirtualSubjectOptions, situation: Situation): Prepared {
  const clock = options.clock()
  const counted = { requests: 0 }
  const engine = options.engine(countedScript(situation, counted), clock)
  return {
    engine,
    request: conformanceRequest(situation, { api: null, endpoint: null, clock }),
    observe: {
      requests: () => counted.requests,
      arrived: async () => {},
      bytes: () => 0,
      aborted: async () => clock.pending === 0,
    },
    async until(done) {
      let settled = false
      const settle = (): void => {
        settled = true
      }
      done.then(settle, settle)
      for (let step = 0; step < MOST_STEPS; step++) {
        await macrotask()
        if (settled) return true
        if (!clock.step()) break
      }
      await macrotask()
      return settled
    },
    async settle() {
      for (let step = 0; step < MOST_STEPS && clock.step(); step++) await Promise.resolve()
      await macrotask()
    },
    pass: (ms) => clock.moveTo(clock.now() + ms),
    dispose: async () => {},
  }
}

/** The script of the situation, counting how often the queue of its mode is asked for. */
function countedScript(situation: Situation, counted: { requests: number }): VirtualScript {
  const queues: LoopbackScript[string] =
    situation.mode === 'call' ? { call: situation.items as ScriptedOutcome[] } : { stream: situation.items as ScriptedStream[] }
  const proxy = new Proxy(queues, {
    get(target, key, receiver) {
      if (key === situation.mode) counted.requests++
      return Reflect.get(target, key, receiver) as unknown
    },
  })
  return { [CONFORMANCE_ENTRY]: proxy as VirtualScript[string] }
}

function macrotask(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
