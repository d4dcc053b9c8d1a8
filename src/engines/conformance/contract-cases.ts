import type { ScriptedStream } from '../loopback/script.ts'
import { attemptCase, attempted, type ConformanceCase, caseOf, expectEqual } from './case.ts'
import { Recording } from './recording.ts'
import type { Prepared } from './subject.ts'

const served: ScriptedStream = { events: [{ text: 'Hel' }, { text: 'lo' }, { final: 'stop' }] }

/** Contract 1 to 4: one subscription one attempt, one end, a cancel that arrives, and no retry of its own. */
export function contractCases(): ConformanceCase[] {
  return [
    attemptCase('contract 2: a stream ends in one final and completes', { mode: 'stream', items: [served] }, (recording) => {
      expectEqual('text', recording.text, 'Hello')
      expectEqual('finish', recording.final().finish, 'stop')
      expectEqual('terminated', recording.final().terminated, true)
    }),
    attemptCase('contract 2: a call ends in one final and completes', { mode: 'call', items: [{ ok: 'Hello' }] }, (recording) => {
      expectEqual('text', recording.text, 'Hello')
      expectEqual('finish', recording.final().finish, 'stop')
    }),
    attemptCase('contract 2: a failing stream ends in one failed and completes', { mode: 'stream', items: [{ http: 500 }] }, (recording) => {
      recording.failure('server_error')
    }),
    caseOf('contract 1: nothing is sent before a subscription', { mode: 'stream', items: [served, served] }, unsubscribed),
    caseOf(
      'contract 1: each subscription is one attempt',
      { mode: 'stream', items: [served, { events: [{ text: 'again' }, { final: 'stop' }] }] },
      twoSubscriptions,
    ),
    caseOf('contract 3, R30: unsubscribing reaches the provider and nothing is said afterwards', cancellable, cancelFromOutside, 'streaming'),
    caseOf('contract 3, R30: a cancel inside a callback stops within it', cancellable, cancelInside, 'streaming'),
    caseOf(
      'contract 3, R30: a cancel before the first byte reaches the provider',
      { mode: 'stream', items: [{ pending: true }] },
      cancelWhilePending,
    ),
    caseOf('contract 3, R30: a cancel of a call reaches the provider', { mode: 'call', items: [{ pending: true }] }, cancelWhilePending),
    ...retriesNothing(),
  ]
}

/**
 * What was sent too early may need a while to arrive: it has done so by the end of an attempt that began after it. That is another attempt,
 * since one that is asked for early could be handed to whoever subscribes to it late.
 */
async function unsubscribed(prepared: Prepared): Promise<void> {
  prepared.engine.attempt(prepared.request)
  await prepared.settle()
  expectEqual('requests before a subscription', prepared.observe.requests(), 0)
  const recording = new Recording(prepared.engine, prepared.request)
  if (!(await prepared.until(recording.over))) throw new Error('never completed')
  await prepared.settle()
  expectEqual('requests of two attempts of which one was subscribed to', prepared.observe.requests(), 1)
}

async function twoSubscriptions(prepared: Prepared): Promise<void> {
  const observable = prepared.engine.attempt(prepared.request)
  const engine = { attempt: () => observable }
  const first = new Recording(engine, prepared.request)
  await prepared.until(first.over)
  const second = new Recording(engine, prepared.request)
  await prepared.until(second.over)
  first.lawful()
  second.lawful()
  expectEqual('texts of two subscriptions', [first.text, second.text], ['Hello', 'again'])
  expectEqual('requests of two subscriptions', prepared.observe.requests(), 2)
}

/** The second text is far enough away never to come together with the first; nobody waits for it. */
function cancellable() {
  return { mode: 'stream', items: [{ events: [{ text: 'first' }, { text: 'second', afterMs: 500 }, { stall: true }] }] } as const
}

async function cancelFromOutside(prepared: Prepared): Promise<void> {
  const recording = await firstText(prepared, () => {})
  recording.stop()
  await expectSilentAbort(prepared, recording)
}

async function cancelInside(prepared: Prepared): Promise<void> {
  const recording = await firstText(prepared, (one) => one.stop())
  await expectSilentAbort(prepared, recording)
}

/** A recording that has got its first text, with `then` called inside that very callback. */
async function firstText(prepared: Prepared, then: (recording: Recording) => void): Promise<Recording> {
  let seen: () => void = () => {}
  const first = new Promise<void>((resolve) => {
    seen = resolve
  })
  const recording = new Recording(prepared.engine, prepared.request, (event, one) => {
    if (event.type !== 'text') return
    then(one)
    seen()
  })
  if (!(await prepared.until(Promise.race([first, recording.over])))) throw new Error('the first text never came')
  return recording
}

async function expectSilentAbort(prepared: Prepared, recording: Recording): Promise<void> {
  const aborted = await prepared.observe.aborted()
  if (!aborted) throw new Error('the provider never saw that the attempt was cancelled')
  await prepared.settle()
  expectEqual('text up to the cancel', recording.text, 'first')
  expectEqual('events after the cancel', recording.late.length, 0)
  expectEqual('completions after the cancel', recording.completions, 0)
}

async function cancelWhilePending(prepared: Prepared): Promise<void> {
  const recording = new Recording(prepared.engine, prepared.request)
  if (!(await prepared.until(prepared.observe.arrived()))) throw new Error('the request never reached the provider')
  recording.stop()
  if (!(await prepared.observe.aborted())) throw new Error('the provider never saw that the attempt was cancelled')
  await prepared.settle()
  expectEqual('events after the cancel', recording.late.length, 0)
}

/** Contract 4, R23: the second item of each script must stay unused. */
function retriesNothing(): ConformanceCase[] {
  const situations = [
    ['a 503', 'stream', { http: 503, headers: { 'retry-after': '0' } }],
    ['a 429', 'call', { http: 429, headers: { 'retry-after': '0' } }],
    ['a reset', 'stream', { network: 'ECONNRESET' }],
    ['a reset', 'call', { network: 'ECONNRESET' }],
    ['a cut stream', 'stream', { events: [{ text: 'par' }, { eof: true }] }],
  ] as const
  return situations.map(([what, mode, item]) =>
    caseOf(
      `contract 4, R23: retries nothing after ${what} (${mode})`,
      { mode, items: [item, mode === 'call' ? { ok: 'again' } : served] },
      async (prepared) => {
        const recording = await attempted(prepared)
        await prepared.settle()
        if (recording.events.at(-1)?.type !== 'failed') throw new Error(`${what} was not told as a failure`)
        expectEqual('requests', prepared.observe.requests(), 1)
      },
    ),
  )
}
