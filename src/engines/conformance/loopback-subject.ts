import type { EngineResolver } from '../contract.ts'
import type { ScriptedOutcome, ScriptedStream } from '../loopback/script.ts'
import { type LoopbackProvider, startLoopbackProvider } from '../loopback/server.ts'
import type { LoopbackProtocol } from '../loopback/voices.ts'
import { CONFORMANCE_ENTRY, conformanceRequest } from './request.ts'
import type { ConformanceSubject, Prepared, Situation, SteppedClock } from './subject.ts'

export interface LoopbackSubjectOptions {
  readonly name: string
  readonly protocol: LoopbackProtocol
  readonly engines: EngineResolver
  /** A new clock for every situation; the provider's own waits are real and short. */
  readonly clock: () => SteppedClock
  readonly lacks?: ConformanceSubject['lacks']
  /** How long, in real ms, a provider and an engine may keep silent before nothing more is expected of them; 5,000 by default. */
  readonly giveUpMs?: number | undefined
}

/** Long past everything that takes real time; reached only by an engine that never ends. */
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
  const clock = options.clock()
  const giveUpMs = options.giveUpMs ?? GIVE_UP_MS
  const request = conformanceRequest(situation, { api: options.protocol, endpoint: provider.endpoint(CONFORMANCE_ENTRY), clock })
  const engine = options.engines(request.profile)
  if (engine === undefined) throw new Error(`${options.name}: no engine for a profile with api ${options.protocol}`)
  return {
    engine,
    request,
    observe: {
      requests: () => provider.requests.length,
      bytes: () => provider.requests.at(-1)?.bytesSent ?? 0,
      arrived: () => provider.requested(1),
      async aborted() {
        const last = provider.requests.at(-1)
        return last !== undefined && (await within(giveUpMs, last.ended)) && last.abortedByClient
      },
    },
    until: (done) => untilQuiet(done, provider, clock, giveUpMs),
    settle: rounds,
    pass: (ms) => clock.moveTo(clock.now() + ms),
    dispose: () => provider.close(),
  }
}

/**
 * Waits for `done` in real time as long as the provider has something to say. Once it has said its last, only the engine's clock can
 * bring anything about, and it is stepped.
 */
async function untilQuiet(done: Promise<unknown>, provider: LoopbackProvider, clock: SteppedClock, giveUpMs: number): Promise<boolean> {
  let settled = false
  const settle = (): void => {
    settled = true
  }
  done.then(settle, settle)
  const quiet = provider.requested(1).then((request) => request.quiet)
  if (!(await within(giveUpMs, Promise.race([done, quiet])))) return false
  if (settled) return true
  await rounds()
  while (!settled && clock.step()) await rounds()
  return settled || within(giveUpMs, done)
}

async function rounds(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await new Promise((resolve) => void setImmediate(resolve))
}

/** True when `done` settles, false when it does not within any reasonable time. */
async function within(ms: number, done: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const settled = done.then(
    () => true,
    () => true,
  )
  const result = await Promise.race([settled, late])
  clearTimeout(timer)
  return result
}
