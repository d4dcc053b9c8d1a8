import type { FailureKind } from '../../model/failure.ts'
import { attemptCase, attempted, type ConformanceCase, caseOf, expectEqual } from './case.ts'
import { Recording } from './recording.ts'
import type { Prepared, Situation } from './subject.ts'

/** Failures are classified where they happen, with their hint and phase; deadlines are kept on the clock of the request. */
export function failureCases(): ConformanceCase[] {
  return [...statusCases(), ...brokenCases(), ...deadlineCases(), ...aliveCases(), ...credentialCases()]
}

const BY_STATUS: readonly (readonly [number, FailureKind])[] = [
  [400, 'invalid_request'],
  [401, 'auth'],
  [402, 'quota_exhausted'],
  [403, 'forbidden'],
  [404, 'model_not_found'],
  [408, 'timeout'],
  [429, 'rate_limited'],
  [500, 'server_error'],
  [503, 'server_error'],
  [529, 'overloaded'],
]

function statusCases(): ConformanceCase[] {
  const byStatus = (['stream', 'call'] as const).flatMap((mode) =>
    BY_STATUS.map(([http, kind]) =>
      attemptCase(
        `R17: status ${http} is ${kind} (${mode})`,
        { mode, items: [{ http }] },
        (recording) => void recording.failure(kind),
        `kind ${kind}`,
      ),
    ),
  )
  const told = (['stream', 'call'] as const).flatMap((mode) =>
    BY_STATUS.map(([http, kind]) =>
      attemptCase(
        `R17: status ${http} is told as it came, in its phase, without a hint (${mode})`,
        { mode, items: [{ http }] },
        (recording) => {
          const failure = recording.failure(kind)
          expectEqual('status', failure.status, http)
          expectEqual('phase', failure.phase, mode === 'stream' ? 'opening' : 'call')
          expectEqual('retry hint', failure.retryAfterMs, null)
        },
        'wire',
      ),
    ),
  )
  return [
    ...byStatus,
    ...told,
    ...([429, 503] as const).map((http) =>
      attemptCase(
        `R15, R16: the retry hint of a ${http} is told uncapped`,
        { mode: 'stream', items: [{ http, headers: { 'retry-after': '7200' } }] },
        (recording) => {
          expectEqual('retry hint', recording.failure(http === 429 ? 'rate_limited' : 'server_error').retryAfterMs, 7_200_000)
        },
        'wire',
      ),
    ),
    attemptCase(
      'R17, C38: a limit that waiting cannot lift is quota_exhausted',
      { mode: 'call', items: [{ http: 429, body: { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } } }] },
      (recording) => {
        recording.failure('quota_exhausted')
      },
    ),
    attemptCase(
      'R20: a prompt that does not fit is context_window',
      {
        mode: 'stream',
        items: [{ http: 400, body: { error: { message: "This model's maximum context length is 8192 tokens.", code: 'context_length_exceeded' } } }],
      },
      (recording) => {
        recording.failure('context_window')
      },
    ),
  ]
}

function brokenCases(): ConformanceCase[] {
  return [
    ...(
      [
        [429, 'rate_limited'],
        [502, 'server_error'],
        [529, 'overloaded'],
      ] as const
    ).map(([http, kind]) =>
      attemptCase(
        `wire.md §0: an error inside the stream is ${kind} and wins`,
        { mode: 'stream', items: [{ events: [{ text: 'par' }, { error: { http, message: 'went wrong' } }] }] },
        (recording) => {
          expectEqual('phase', recording.failure(kind).phase, 'stream')
          expectEqual('text', recording.text, 'par')
        },
        'errorKinds',
        'streaming',
      ),
    ),
    attemptCase(
      'wire.md §0: an error inside the stream that says nothing more is unknown',
      { mode: 'stream', items: [{ events: [{ error: { message: 'went wrong' } }] }] },
      (recording) => {
        recording.failure('unknown')
      },
    ),
    ...(['stream', 'call'] as const).map((mode) =>
      attemptCase(`R17: a reset before an answer is network (${mode})`, { mode, items: [{ network: 'ECONNRESET' }] }, (recording) => {
        expectEqual('status', recording.failure('network').status, null)
      }),
    ),
    attemptCase(
      'R25: a reset in the middle of a stream is told with its code, what came before is kept',
      { mode: 'stream', items: [{ events: [{ text: 'par' }, { network: 'ECONNRESET' }] }] },
      (recording) => {
        recording.broken('ECONNRESET')
        expectEqual('text', recording.text, 'par')
      },
      'wire',
    ),
    attemptCase(
      'R25: a reset in the middle of a stream is network, what came before is kept',
      { mode: 'stream', items: [{ events: [{ text: 'par' }, { network: 'ECONNRESET' }] }] },
      (recording) => {
        expectEqual('phase', recording.failure('network').phase, 'stream')
        expectEqual('text', recording.text, 'par')
      },
      'streaming',
    ),
  ]
}

const LIMIT_MS = 1000

function deadlineCases(): ConformanceCase[] {
  return [
    ...(['stream', 'call'] as const).map((mode) =>
      attemptCase(
        `R31: no byte within firstByteMs is a timeout (${mode})`,
        { mode, items: [{ pending: true }], timeouts: { firstByteMs: LIMIT_MS } },
        (recording) => {
          expectEqual('code', recording.failure('timeout').code, 'first_byte')
        },
      ),
    ),
    attemptCase(
      'R31: silence of idleMs inside a stream is a timeout',
      { mode: 'stream', items: [{ events: [{ text: 'par' }, { stall: true }] }], timeouts: { idleMs: LIMIT_MS } },
      (recording) => {
        expectEqual('code', recording.failure('timeout').code, 'idle')
      },
    ),
    attemptCase(
      'R31: what came before a silence is kept',
      { mode: 'stream', items: [{ events: [{ text: 'par' }, { stall: true }] }], timeouts: { idleMs: LIMIT_MS } },
      (recording) => {
        expectEqual('text', recording.text, 'par')
      },
      'streaming',
    ),
    attemptCase(
      'R31, C40: without firstByteMs, idleMs also runs before the first byte of a stream',
      { mode: 'stream', items: [{ pending: true }], timeouts: { idleMs: LIMIT_MS } },
      (recording) => {
        expectEqual('code', recording.failure('timeout').code, 'idle')
      },
    ),
    attemptCase(
      'R31: no output within firstOutputMs is a timeout',
      { mode: 'stream', items: [{ events: [{ stall: true }] }], timeouts: { firstOutputMs: LIMIT_MS } },
      (recording) => {
        expectEqual('code', recording.failure('timeout').code, 'first_output')
      },
    ),
    ...(['stream', 'call'] as const).map((mode) =>
      attemptCase(
        `R31: an answer that never ends is a timeout at totalMs (${mode})`,
        { mode, items: [{ timeout: 'total' }], timeouts: { totalMs: LIMIT_MS } },
        (recording) => {
          expectEqual('code', recording.failure('timeout').code, 'total')
        },
      ),
    ),
  ]
}

function aliveCases(): ConformanceCase[] {
  return [
    attemptCase(
      'R31: an attempt that ends by a deadline is broken off at the provider',
      { mode: 'stream', items: [{ events: [{ text: 'par' }, { stall: true }] }], timeouts: { idleMs: LIMIT_MS } },
      async (recording, prepared) => {
        recording.failure('timeout')
        if (!(await prepared.observe.aborted())) throw new Error('the provider never saw the end of the attempt')
      },
    ),
    caseOf(
      'R31: comments and pings are bytes too and keep a stream alive',
      { mode: 'stream', items: [{ timeout: 'total' }], timeouts: { idleMs: LIMIT_MS } },
      aliveBySigns,
      'keepAlive',
    ),
    caseOf('R31: bytes within the limits keep a stream alive', steady, async (prepared) => {
      const recording = await attempted(prepared, (event) => {
        if (event.type === 'text') prepared.pass(LIMIT_MS - 10)
      })
      recording.final()
      expectEqual('text', recording.text, '........')
    }),
  ]
}

/** Signs of life that are no output come every few ms of real time, while the engine's clock moves by nearly a whole limit. */
async function aliveBySigns(prepared: Prepared): Promise<void> {
  const recording = new Recording(prepared.engine, prepared.request)
  for (let sign = 0; sign < 5; sign++) {
    // The first one that is observed can have been read before the clock moved: it is observed late. The one behind it cannot.
    await oneMoreSign(prepared)
    await oneMoreSign(prepared)
    await prepared.settle()
    prepared.pass(LIMIT_MS - 10)
  }
  expectEqual('the end of an attempt with signs of life', recording.events.at(-1)?.type, 'opened')
  recording.stop()
}

async function oneMoreSign(prepared: Prepared): Promise<void> {
  const before = prepared.observe.bytes()
  for (let round = 0; round < MOST_ROUNDS && prepared.observe.bytes() === before; round++) await prepared.settle()
}

const MOST_ROUNDS = 10_000

/** Each piece takes a moment, so that none comes together with the one before. */
function steady(): Situation {
  return {
    mode: 'stream',
    items: [{ events: [...Array.from({ length: 8 }, () => ({ text: '.', afterMs: 2 })), { final: 'stop' }] }],
    timeouts: { idleMs: LIMIT_MS },
  }
}

function credentialCases(): ConformanceCase[] {
  return [
    {
      name: 'R11: a credential that the provider repeats is in no failure',
      needs: ['credentials'],
      async run(subject) {
        const secret = await subject.prepare({ mode: 'call', items: [] }).then(async (prepared) => {
          await prepared.dispose()
          return prepared.request.secret?.reveal() ?? ''
        })
        if (secret === '') throw new Error('the subject signs its requests with nothing')
        const said = { error: { message: `Incorrect API key provided: ${secret}.`, code: `bad ${secret}` } }
        for (const mode of ['stream', 'call'] as const) {
          await attemptCase('', { mode, items: [{ http: 401, body: said }] }, (recording) => {
            const told = JSON.stringify(recording.events)
            recording.failure('auth')
            if (told.includes(secret)) throw new Error('the credential stands in an event')
          }).run(subject)
        }
      },
    },
  ]
}
