import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NoticeChannel, NoticeInput } from '../../../../src/engines/cli/notice/input.ts'
import { readNotice } from '../../../../src/engines/cli/notice/read-notice.ts'
import { NOTICE_PROVIDERS, type NoticeProvider } from '../../../../src/model/notice.ts'
import { inputOf, lines, NOW } from './own-notice.ts'
import { OWN_NOTICES } from './own-notices.ts'

const QUOTED = [
  "You've hit your limit · resets 2:30pm (Europe/Madrid)",
  "You've hit your usage limit. Try again at 3:04 PM.",
  'Claude AI usage limit reached|1759500000',
  'Individual quota reached. Resets in 2h31m33s.',
  'You have exhausted your daily quota on this model.',
  'ERROR: You have hit your usage limit. Try again in 2 days.',
  'AGY_ERROR: {"status":"RESOURCE_EXHAUSTED","error_code":429,"short_error":"Individual quota reached. Resets in 2h."}',
  'API Error: 429 {"error":{"message":"Usage limit reached for 5 hour. Your limit will reset at 2026-04-09 15:13:03"}}',
  'Your org is out of usage · add funds to continue',
]

/** Text of a model that quotes notices, also where it begins and on lines of their own. */
const quoting = fc
  .array(fc.oneof(fc.constantFrom(...QUOTED), fc.lorem({ maxCount: 12 }), fc.constantFrom('\n', '\n\n', '⎿ ', '> ', '`', '"')), {
    minLength: 2,
    maxLength: 14,
  })
  .map((parts) => parts.join(' '))
/** Past three hundred characters as they are counted: white space is one. */
const long = quoting.map((text) => `${text} ${'and so on '.repeat(31)}`)

const assistant = (text: string) => ({ type: 'assistant', message: { model: 'claude-nine', content: [{ type: 'text', text }] } })

/** Each way in which a model's text comes through, by CLI. */
const THROUGH: readonly [NoticeProvider, NoticeChannel, (text: string) => string][] = [
  ...NOTICE_PROVIDERS.flatMap((provider): [NoticeProvider, NoticeChannel, (text: string) => string][] => [
    [provider, 'stdout-text', (text) => text],
    [provider, 'pty', (text) => text],
    [provider, 'stdout-json-message', (text) => text],
    [provider, 'log-file', (text) => text],
  ]),
  ['claude', 'stdout-ndjson', (text) => lines(assistant(text), { type: 'user', message: { content: [{ type: 'tool_result', content: text }] } })],
  ['claude', 'stdout-ndjson', (text) => lines(assistant(text), { type: 'result', is_error: true, result: text })],
  ['claude', 'stdout-ndjson', (text) => lines(assistant(text), { type: 'result', subtype: 'error_max_turns', is_error: true, errors: [text] })],
  ['claude', 'stdout-json', (text) => JSON.stringify(assistant(text), null, 2)],
  [
    'codex',
    'stdout-ndjson',
    (text) =>
      lines({ type: 'item.completed', item: { type: 'agent_message', text } }, { type: 'item.completed', item: { type: 'error', message: text } }),
  ],
  [
    'codex',
    'stdout-ndjson',
    (text) =>
      lines(
        { type: 'item.completed', item: { type: 'command_execution', aggregated_output: text } },
        { type: 'turn.failed', error: { message: 'boom' } },
      ),
  ],
  [
    'agy',
    'stdout-ndjson',
    (text) => lines({ event: 'step_update', step_update: { step_type: 'agent_response', text_delta: text, tool_info: text } }),
  ],
  ['agy', 'stdout-json', (text) => JSON.stringify({ status: 'ERROR', response: text, error: 'boom' }, null, 2)],
  [
    'gemini',
    'stdout-ndjson',
    (text) => lines({ type: 'message', role: 'assistant', content: text, delta: true }, { type: 'tool_result', output: text }),
  ],
]

const read = (provider: NoticeProvider, channel: NoticeChannel, raw: string, exitCode: number | null) =>
  readNotice({ provider, channel, raw, exitCode, now: NOW, zone: 'UTC', killed: false })

describe('RE-03 T4 a notice is short', () => {
  it.each(THROUGH)('%s through %s: text of a model past 300 characters never is a limit, whatever it quotes', (provider, channel, wrap) => {
    fc.assert(
      fc.property(long, fc.constantFrom(null, 0, 1), (text, exitCode) => {
        const { kind, resetAt } = read(provider, channel, wrap(text), exitCode)
        expect(['limit_reset', 'limit_no_reset', 'spend']).not.toContain(kind)
        expect(kind === 'throttle' || resetAt === null).toBe(true)
      }),
    )
  })

  it('G21 exactly 300 characters of plain output still are one, and 301 are not', () => {
    const notice = (length: number) => "You've hit your limit · resets 2:30pm (Europe/Madrid) ".padEnd(length, 'x')
    expect(read('claude', 'stdout-text', notice(300), 0).kind).toBe('limit_reset')
    expect(read('claude', 'stdout-text', `\n${notice(300)}\r\n\n`, 0).kind).toBe('limit_reset')
    expect(read('claude', 'stdout-text', notice(301), 0).kind).toBe('none')
    expect(read('claude', 'stdout-text', notice(301), 1).kind).toBe('none')
  })

  it('an answer that quotes a notice, or begins like another failure, is no notice', () => {
    for (const text of [
      "The log said: You've hit your session limit.",
      '> You have hit your limit',
      '- Individual quota reached',
      'Error 4290 was a port, 503 a line',
    ]) {
      expect(read('claude', 'stdout-text', text, null).kind).toBe('none')
    }
    for (const text of [
      'Overloaded operators are resolved at compile time.',
      'Invalid API key handling is fixed.',
      'Connection refused: I opened the port.',
    ]) {
      expect(read('claude', 'stdout-text', text, 0).kind).toBe('none')
    }
  })

  it('codex prints its work on standard error in text mode: only marked lines behind the banner are its own', () => {
    const banner = 'OpenAI Codex v0.171.0\n--------\nuser\n'
    expect(read('codex', 'stderr', `${banner}You've hit your usage limit. Try again at 3:04 PM.\ncodex\nDone.`, 1).kind).toBe('none')
    expect(read('codex', 'stderr', `${banner}hello\nERROR: You've hit your usage limit. Try again at 3:04 PM.`, 1).kind).toBe('limit_reset')
    const wrapped = `${banner}hello\nERROR: You've hit your\nusage limit. Ask your admin or try\nagain at 3:04 PM.\n\ntry again at 5:00 PM.`
    expect(read('codex', 'stderr', wrapped, 1)).toMatchObject({ kind: 'limit_reset', resetAt: Date.UTC(2027, 1, 10, 15, 4) })
  })
})

/** What each CLI prints at the end of a run that went well. */
const COMPLETED: Readonly<Record<NoticeProvider, object>> = {
  claude: { type: 'result', subtype: 'success', is_error: false, result: 'Done.' },
  codex: { type: 'turn.completed', usage: {} },
  agy: { event: 'result', result: { status: 'SUCCESS', response: 'Done.' } },
  gemini: { type: 'result', status: 'success' },
}

describe('RE-03 success wins (§6 rule 1)', () => {
  it.each(NOTICE_PROVIDERS)('%s: a completed run is never a limit, whatever it printed before', (provider) => {
    const events = OWN_NOTICES.filter((one) => one.provider === provider && one.channel === 'stdout-ndjson').flatMap((one) =>
      one.raw.trim().split('\n'),
    )
    fc.assert(
      fc.property(fc.shuffledSubarray(events), (some) => {
        expect(read(provider, 'stdout-ndjson', [...some, JSON.stringify(COMPLETED[provider])].join('\n'), 0).kind).toBe('none')
      }),
    )
  })

  it('a request served from overage is none, however its event calls it', () => {
    const event = {
      type: 'rate_limit_event',
      rate_limit_info: { status: 'rejected', isUsingOverage: true, resetsAt: 1802257200, rateLimitType: 'five_hour' },
    }
    expect(read('claude', 'stdout-ndjson', lines(event, COMPLETED.claude), 0).kind).toBe('none')
    expect(read('claude', 'stdout-json', JSON.stringify(event), null).kind).toBe('none')
  })

  it('an answer of claude that merely is a notice is a quotation in JSON', () => {
    expect(read('claude', 'stdout-json', JSON.stringify({ ...COMPLETED.claude, result: QUOTED[0] }), 0).kind).toBe('none')
  })
})

/** Channels of printed text. A line of a log is known by its beginning alone, so that where one was wrapped cannot be told. */
const printed = OWN_NOTICES.filter(({ channel, says }) => ['stdout-text', 'stderr', 'pty'].includes(channel) && says.kind !== 'none')
const codes = fc.constantFrom('\u001b[31m', '\u001b[0m', '\u001b[1;38;5;208m', '\u001b]8;;https://x.invalid\u0007', '\u001b[K')

function agree(one: (typeof OWN_NOTICES)[number], raw: string): void {
  const instead: Partial<NoticeInput> = { raw }
  const { words: _, ...whole } = readNotice(inputOf(one))
  const { words: __, ...dressed } = readNotice(inputOf(one, instead))
  expect(dressed).toEqual(whole)
}

describe.each(printed.map((one) => [`${one.provider} ${one.says.kind}: ${one.raw.slice(0, 50)}`, one] as const))('%s', (_name, one) => {
  it('reads the same with terminal codes between any of its characters', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(one.raw.length), codes), { maxLength: 20 }), (places) => {
        const raw = places.sort(([a], [b]) => b - a).reduce((text, [place, code]) => text.slice(0, place) + code + text.slice(place), one.raw)
        agree(one, raw)
      }),
      { numRuns: 30 },
    )
  })

  it('reads the same wrapped at any width, with curly quotes', () => {
    const wrapped = (width: number, indent: string) =>
      one.raw
        .split('\n')
        .map((line) =>
          line
            .split(' ')
            .reduce((text, word) => (text.length - text.lastIndexOf('\n') + word.length > width ? `${text}\n${indent}${word}` : `${text} ${word}`)),
        )
        .join('\n')
    for (let width = 1; width <= 120; width += 1) for (const indent of ['', '    ']) agree(one, wrapped(width, indent))
    agree(one, one.raw.replaceAll("'", '\u2019'))
    agree(one, one.raw.replaceAll(' ', '\u00a0'))
    agree(one, `${one.raw.replaceAll('\n', '\r\n')}\r\n`)
  })
})
