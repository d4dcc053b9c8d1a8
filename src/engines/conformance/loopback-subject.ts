import type { Clock } from '../../model/clock.ts'
import type { EngineResolver } from '../contract.ts'
import type { ScriptedOutcome, ScriptedStream } from '../loopback/script.ts'
import { type LoopbackProtocol, startLoopbackProvider } from '../loopback/server.ts'
import { CONFORMANCE_ENTRY, conformanceRequest } from './request.ts'
import type { ConformanceSubject, Prepared, Situation } from './subject.ts'

export interface LoopbackSubjectOptions {
  readonly name: string
  readonly protocol: LoopbackProtocol
  readonly engines: EngineResolver
  /** The real clock. */
  readonly clock: Clock
  readonly lacks?: ConformanceSubject['lacks']
}

/** Long past every limit under test; reached only by an engine that never ends. */
const GIVE_UP_MS = 5000
/** Rounds of the event loop after which a connection on this machine has done what it could do at once. */
const ROUNDS = 40

/** An engine that speaks a protocol over HTTP, against a loopback provider of its own for every situation. */
export function loopbackSubject(options: LoopbackSubjectOptions): ConformanceSubject {
  return {
    name: options.name,
    ...(options.lacks === undefined ? {} : { lacks: options.lacks }),
    prepare: (situation) => prepareLoopback(options, situation),
  }
}

async function prepareLoopback(options: LoopbackSubjectOptions, situation: Situation): Promise<Prepared> {
  const queues = situation.mode === 'call' ? { call: situation.items as ScriptedOutcome[] } : { stream: situation.items as ScriptedStream[] }
  const provider = await startLoopbackProvider({ script: { [CONFORMANCE_ENTRY]: queues }, protocol: options.protocol })
  const request = conformanceRequest(situation, { api: options.protocol, endpoint: provider.endpoint(CONFORMANCE_ENTRY), clock: options.clock })
  const engine = options.engines(request.profile)
  if (engine === undefined) throw new Error(`${options.name}: no engine for a profile with api ${options.protocol}`)
  return {
    engine,
    request,
    observe: {
      requests: () => provider.requests.length,
      arrived: () => provider.requested(1),
      async aborted() {
        const last = provider.requests.at(-1)
        return last !== undefined && (await within(last.ended)) && last.abortedByClient
      },
    },
    until: within,
    async settle() {
      for (let round = 0; round < ROUNDS; round++) await new Promise((resolve) => void setImmediate(resolve))
    },
    dispose: () => provider.close(),
  }
}

/** True when `done` settles, false when it does not within any reasonable time. */
async function within(done: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), GIVE_UP_MS)
  })
  const settled = done.then(
    () => true,
    () => true,
  )
  const result = await Promise.race([settled, late])
  clearTimeout(timer)
  return result
}
