import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NOTICE_CHANNELS } from '../../../../src/engines/cli/notice/input.ts'
import { NoticeListener } from '../../../../src/engines/cli/notice/listener.ts'
import { readNotice } from '../../../../src/engines/cli/notice/read-notice.ts'
import { outputLine } from '../../../../src/engines/cli/output-line.ts'
import { NOTICE_KINDS, NOTICE_PROVIDERS, type Notice, type NoticeProvider, RESET_SOURCES } from '../../../../src/model/notice.ts'
import { collect } from '../../../tools/memory.ts'
import { inputOf, NOW } from './own-notice.ts'
import { OWN_NOTICES } from './own-notices.ts'

const heard = (provider: NoticeProvider, lines: readonly (readonly ['stdout' | 'stderr', string])[], exitCode: number | null = 1): Notice => {
  const listener = new NoticeListener(provider, 'UTC')
  for (const [from, text] of lines) listener.take(outputLine(from, text))
  return listener.read({ exitCode, killed: false, now: NOW })
}

const QUOTED = "You've hit your usage limit. Individual quota reached. Resets in 167h51m3s."

const linesOf = (channel: string, provider: NoticeProvider) =>
  OWN_NOTICES.filter((one) => one.channel === channel && one.provider === provider).map((one) => one.raw.split('\n'))

describe('a live run', () => {
  it.each(
    OWN_NOTICES.filter(({ channel }) => channel === 'stdout-ndjson' || channel === 'stderr').map(
      (one) => [`${one.provider} ${one.raw.slice(0, 70)}`, one] as const,
    ),
  )('reads what the same lines say as a whole: %s', (_name, one) => {
    const from = one.channel === 'stderr' ? 'stderr' : 'stdout'
    expect(
      heard(
        one.provider,
        one.raw.split('\n').map((text) => [from, text] as const),
        one.exitCode,
      ),
    ).toEqual(readNotice(inputOf(one)))
  })

  it.each(NOTICE_PROVIDERS)('%s: does not care how lines of the two outputs come between each other', (provider) => {
    const outputs = fc.constantFrom(...linesOf('stdout-ndjson', provider))
    const errors = fc.constantFrom(...linesOf('stderr', provider), [''])
    fc.assert(
      fc.property(outputs, errors, fc.infiniteStream(fc.boolean()), (stdout, stderr, order) => {
        const one = [...stdout.map((text) => ['stdout', text] as const), ...stderr.map((text) => ['stderr', text] as const)]
        const left = { stdout: [...stdout], stderr: [...stderr] }
        const mixed: (readonly ['stdout' | 'stderr', string])[] = []
        while (left.stdout.length + left.stderr.length > 0) {
          const from = left.stdout.length > 0 && (left.stderr.length === 0 || order.next().value === true) ? 'stdout' : 'stderr'
          mixed.push([from, left[from].shift() ?? ''])
        }
        expect(heard(provider, mixed)).toEqual(heard(provider, one))
      }),
    )
  })

  it('§1.1 a rejection that names no limit is one of a run that ended with it: before its words a passing throttle looks the same', () => {
    const rejected = (more: object) => JSON.stringify({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', ...more } })
    const failed = JSON.stringify({ type: 'result', subtype: 'success', is_error: true, result: '' })
    for (const exitCode of [0, 1, null]) expect(heard('claude', [['stdout', rejected({})]], exitCode).kind).toBe('none')
    expect(
      heard('claude', [
        ['stdout', rejected({})],
        ['stdout', failed],
      ]).kind,
    ).toBe('limit_no_reset')
    expect(heard('claude', [['stdout', rejected({ rateLimitType: 'five_hour', resetsAt: 1802257200 })]]).kind).toBe('limit_reset')
  })

  it('R36 words that nothing was read in, and that are too long for a notice, may be an answer and are not passed on', () => {
    const failed = (result: string, before: object[] = []) =>
      heard(
        'claude',
        [...before, { type: 'result', subtype: 'error_during_execution', is_error: true, result }].map((event) => ['stdout', JSON.stringify(event)]),
      )
    const standing = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', rateLimitType: 'five_hour' } }
    expect(failed('An answer. '.repeat(40))).toMatchObject({ kind: 'none', words: '' })
    expect(failed('An answer. '.repeat(40), [standing])).toMatchObject({ kind: 'limit_no_reset', words: '' })
    expect(failed('Something broke')).toMatchObject({ kind: 'none', words: 'Something broke' })
  })

  it.each<[NoticeProvider, object]>([
    ['claude', { type: 'user', message: QUOTED }],
    ['codex', { type: 'item.completed', item: { type: 'error', message: QUOTED } }],
    ['agy', { event: 'step_update', step_update: { step_type: 'tool', tool_info: { error: { message: QUOTED } } } }],
    ['gemini', { type: 'tool_result', error: { message: QUOTED } }],
  ])('T3 %s: an event that is cut off is no plain output, whatever it quotes', (provider, event) => {
    const text = JSON.stringify(event)
    for (const exitCode of [0, 1, null])
      for (let length = 1; length < text.length; length += 1)
        expect(heard(provider, [['stdout', text.slice(0, length)]], exitCode)).toMatchObject({ kind: 'none', words: '' })
  })

  it('the terminal event decides, and standard error says when a limit of it ends', () => {
    const result = JSON.stringify({ event: 'result', result: { status: 'ERROR', response: '', error: 'Individual quota reached.' } })
    expect(
      heard('agy', [
        ['stderr', 'error: Individual quota reached. Resets in 2h.'],
        ['stdout', result],
      ]),
    ).toMatchObject({ kind: 'limit_reset', resetAt: NOW + 7_200_000 })
    const failed = JSON.stringify({ type: 'turn.failed', error: { message: 'Selected model is at capacity.' } })
    expect(
      heard('codex', [
        ['stderr', "You've hit your usage limit. Try again in 2 hours."],
        ['stdout', failed],
      ]).kind,
    ).toBe('overloaded')
  })

  it('a throttle whose wait the CLI has kept, and was sent away again, has no reset left', () => {
    const said = 'rate limit exceeded: Please try again in 1.5s.'
    const failed = ['stdout', JSON.stringify({ type: 'turn.failed', error: { message: said } })] as const
    const again = ['stdout', JSON.stringify({ type: 'error', message: `Reconnecting... 1/1 (${said})` })] as const
    expect(heard('codex', [failed])).toMatchObject({ kind: 'throttle', resetAt: NOW + 1500 })
    expect(heard('codex', [again, failed])).toMatchObject({ kind: 'throttle', resetAt: null, resetSource: 'none' })
  })

  it('a run that ended is not trying any more', () => {
    const retry = ['stdout', JSON.stringify({ type: 'system', subtype: 'api_retry', error: 'rate_limit' })] as const
    expect(heard('claude', [retry], null).kind).toBe('retry_notice')
    expect(heard('claude', [retry], 1).kind).toBe('none')
  })
})

describe('the words of a run that said nothing of itself', () => {
  it.each(NOTICE_PROVIDERS)('R36 hold nothing of its output, which may be an answer: %s', (provider) => {
    expect(heard(provider, [['stdout', 'The secret of the garden is under the old oak.']], 3)).toMatchObject({ kind: 'none', words: '' })
  })

  it('are those of its standard error', () => {
    expect(heard('codex', [['stderr', 'Error: something unheard of happened']], 3).words).toContain('something unheard of happened')
  })
})

describe('an end that will not come by itself (§6 rule 7)', () => {
  const waiting = outputLine('stdout', JSON.stringify({ type: 'error', message: 'Reconnecting... waiting for network (no route)' }))

  it('codex: the third wait for the network in a row is an outage', () => {
    const listener = new NoticeListener('codex', 'UTC')
    listener.take(waiting)
    listener.take(waiting)
    expect(listener.unending).toBeNull()
    listener.take(outputLine('stdout', JSON.stringify({ type: 'item.completed', item: { type: 'agent_message', text: 'back' } })))
    listener.take(waiting)
    listener.take(waiting)
    expect(listener.unending).toBeNull()
    listener.take(waiting)
    expect(listener.unending).toBe('outage')
    expect(listener.read({ exitCode: null, killed: true, now: NOW }).kind).toBe('network')
  })

  it('gemini: a pause of over a minute is the limit, a shorter one a retry', () => {
    const announced = (ms: number) => {
      const listener = new NoticeListener('gemini', 'UTC')
      listener.take(outputLine('stderr', `Attempt 1 failed: quota. Retrying after ${ms}ms...`))
      return { unending: listener.unending, notice: listener.read({ exitCode: null, killed: true, now: NOW }) }
    }
    expect(announced(60_000)).toMatchObject({ unending: null, notice: { kind: 'retry_notice' } })
    expect(announced(60_001)).toMatchObject({ unending: 'sleep', notice: { kind: 'limit_reset', resetAt: NOW + 60_001, resetSource: 'duration' } })
  })

  it('a run that has said its last word has ended', () => {
    const listener = new NoticeListener('codex', 'UTC')
    for (let count = 0; count < 5; count += 1) listener.take(waiting)
    listener.take(outputLine('stdout', JSON.stringify({ type: 'turn.completed' })))
    expect(listener.unending).toBeNull()
  })
})

function expectSound(notice: Notice): void {
  expect(NOTICE_KINDS).toContain(notice.kind)
  expect(RESET_SOURCES).toContain(notice.resetSource)
  expect(notice.words.length).toBeLessThanOrEqual(500)
  expect(notice.resetAt === null).toBe(notice.resetSource === 'none')
  if (notice.resetAt !== null) expect(Number.isNaN(new Date(notice.resetAt).getTime())).toBe(false)
}

/** Keys that the voices look at, with anything behind them. */
const KEYS = [
  'type',
  'event',
  'result',
  'error',
  'message',
  'status',
  'is_error',
  'errors',
  'rate_limit_info',
  'resetsAt',
  'rateLimitType',
  'content',
  'model',
  'init',
]
const { shaped } = fc.letrec<{ shaped: unknown }>((tie) => ({
  shaped: fc.oneof(
    { depthSize: 'small' },
    fc.anything(),
    fc.constantFrom(
      'result',
      'turn.failed',
      'error',
      'assistant',
      'rate_limit_event',
      'rejected',
      '<synthetic>',
      'ERROR',
      'SUCCESS',
      true,
      429,
      1e300,
      -1,
    ),
    fc.array(tie('shaped'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS, 'resets_at', 'retryDelay', 'quotaResetTimeStamp', 'details', 'quotaId'), tie('shaped'), { maxKeys: 6 }),
  ),
}))

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

describe('whatever comes', () => {
  it('never throws, and answers with a kind, a source and a time that exists', () => {
    const raw = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      shaped.map(json),
      fc.array(shaped.map(json)).map((all) => all.join('\n')),
      fc
        .constantFrom(...OWN_NOTICES.map((one) => one.raw))
        .chain((text) => fc.tuple(fc.nat(text.length), fc.string()).map(([place, more]) => text.slice(0, place) + more + text.slice(place))),
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...NOTICE_PROVIDERS),
        fc.constantFrom(...NOTICE_CHANNELS),
        raw,
        fc.option(fc.integer()),
        fc.oneof(fc.double(), fc.constant(NOW)),
        fc.string(),
        (provider, channel, text, exitCode, now, zone) => {
          expectSound(readNotice({ provider, channel, raw: text, exitCode, now, zone, killed: false }))
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('reads nesting of any depth', () => {
    const deep = `${'{"error":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    for (const provider of NOTICE_PROVIDERS)
      for (const channel of NOTICE_CHANNELS)
        expectSound(readNotice({ provider, channel, raw: deep, exitCode: 1, now: NOW, zone: 'UTC', killed: false }))
  })

  it('keeps some KB of a hundred thousand lines', () => {
    const listeners = NOTICE_PROVIDERS.map((provider) => new NoticeListener(provider, 'UTC'))
    const before = heap()
    for (let count = 0; count < 100_000; count += 1) {
      const words = `${count} `.repeat(12)
      const event = { type: 'error', message: words, event: 'error', error: words }
      const listener = listeners[count % listeners.length]
      listener?.take(count % 8 < 4 ? outputLine('stderr', `Error: ${words}`) : { from: 'stdout', text: '', json: event })
    }
    // Kept, they would be twenty MB and more.
    expect(heap() - before).toBeLessThan(4 * 1024 * 1024)
    for (const listener of listeners) expectSound(listener.read({ exitCode: 1, killed: false, now: NOW }))
  })
})

/** The heap in use once what nobody holds is gone. */
function heap(): number {
  collect()
  return process.memoryUsage().heapUsed
}
