import { describe, expect, test } from 'vitest'
import { NoticeListener } from '../../src/engines/cli/notice/listener.ts'
import { outputLine } from '../../src/engines/cli/output-line.ts'
import { jsonLine, withoutControls } from '../../src/faces/cli/io.ts'
import { createLogger } from '../../src/host.ts'
import { createKernel } from '../../src/index.ts'
import type { Notice, NoticeProvider } from '../../src/model/notice.ts'
import { folder, PROGRAMS, programIn, stage } from './cli-rig.ts'

/** What moves the cursor, names the window, clears the screen, links elsewhere, rings, or turns words around. */
const HOSTILE = [
  '\u001b]0;title\u0007',
  '\u001b[2J',
  '\u001b]8;;https://x.invalid\u001b\\',
  '\u001bc',
  '\u009b31m',
  '\u009d0;t\u009c',
  '\u0007\b\r\u0000\u007f',
  '\u202e\u2066\u2069\u200f\u061c',
  '\u2028\u2029\u0085',
  '\ufeff\u200b\u{e0041}',
].join('x')

/** Nothing that a terminal or a reader is led astray by; a space and printed characters are all there is. */
const UNSEEN = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u

const json = (value: object) => JSON.stringify(value)
const said = (text: string) => `${text}${HOSTILE}`

/** Every field of what a program says of itself that is kept, by the events that bring it. */
const KEPT: readonly (readonly [NoticeProvider, string, readonly (readonly ['stdout' | 'stderr', string])[]])[] = [
  ['claude', 'standard error', [['stderr', said('Something broke')]]],
  ['codex', 'standard error', [['stderr', said('Something broke')]]],
  ['agy', 'standard error', [['stderr', said('Something broke')]]],
  ['gemini', 'standard error', [['stderr', said('Something broke')]]],
  ['claude', 'its result', [['stdout', json({ type: 'result', is_error: true, result: said("You've hit your limit") })]]],
  [
    'claude',
    'the name of a limit',
    [
      ['stdout', json({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', rateLimitType: HOSTILE, resetsAt: 1_802_257_200 } })],
      ['stdout', json({ type: 'result', is_error: true, result: "You've hit your limit" })],
    ],
  ],
  [
    'codex',
    'the model of a run',
    [
      ['stdout', json({ type: 'init', model: HOSTILE })],
      ['stdout', json({ type: 'turn.failed', error: { message: `You've hit your usage limit for gpt-5${HOSTILE}. Switch to another model now.` } })],
    ],
  ],
  [
    'gemini',
    'the model of a run',
    [
      ['stdout', json({ type: 'init', model: said('gemini-3') })],
      ['stdout', json({ type: 'result', status: 'error', error: { message: 'You have exhausted your daily quota on this model.' } })],
    ],
  ],
  [
    'codex',
    'a wait',
    Array.from({ length: 3 }, () => ['stdout', json({ type: 'error', message: said('Reconnecting... waiting for network') })] as const),
  ],
  ['codex', 'a retry', [['stdout', json({ type: 'error', message: said('Reconnecting... 1/5 ') })]]],
  ['gemini', 'a sleep', [['stderr', said('Attempt 1 failed: quota. Retrying after 90000ms...')]]],
  ['gemini', 'a sleep that it prints as an event', [['stdout', json({ type: 'error', message: said('Retrying after 90000ms... ') })]]],
  ['agy', 'its result', [['stdout', json({ event: 'result', result: { status: 'ERROR', error: said('Individual quota reached. ') } })]]],
]

describe('CLI-12 no control character of a program reaches a person', () => {
  test.each(KEPT)('CLI-12 %s: %s', (provider, _what, lines) => {
    const notices: Notice[] = []
    for (const exitCode of [1, null]) {
      const listener = new NoticeListener(provider, 'UTC')
      for (const [from, text] of lines) listener.take(outputLine(from, text))
      notices.push(listener.read({ exitCode, killed: exitCode === null, now: Date.UTC(2027, 1, 10) }))
    }
    expect(notices.some(({ words }) => words !== '')).toBe(true)
    for (const { words, scope, model } of notices) {
      for (const text of [words, scope ?? '', model ?? ''])
        expect(UNSEEN.exec(text)?.[0].codePointAt(0)?.toString(16), json({ text })).toBe(undefined)
    }
  })

  test('CLI-12 the word for how an answer ended is a word', async () => {
    const { run, directory } = stage()
    const result = json({ type: 'result', subtype: 'success', is_error: false, result: 'hi', stop_reason: `${HOSTILE}${'x'.repeat(100_000)}` })
    const { events } = await run('claude', {}, { path: programIn(directory, 'says', `#!/bin/sh\ncat <<'END'\n${result}\nEND\n`) })
    const last = events.at(-1)
    if (last?.type !== 'final') throw new Error(`ended ${json(last ?? {})}`)
    expect(last.finish).toMatch(/^x.*x$/)
    expect(last.finish).not.toMatch(UNSEEN)
    expect(last.finish?.length).toBeLessThanOrEqual(100)
  })

  test.each(PROGRAMS)('CLI-12 a crash of %s: log, ledger, outcome and events hold none', async (family, name) => {
    const directory = folder()
    programIn(directory, name, `#!/bin/sh\ncat >&2 <<'END'\n${said('Something broke').replaceAll('\0', '')}\nEND\nexit 3\n`)
    const log: string[] = []
    const kernel = createKernel(
      { primary: `${family}.x`, profiles: { [`${family}.x`]: {} }, reliability: { providerRetries: 0 } },
      {
        processes: { environment: { PATH: `${directory}:${process.env['PATH']}` }, runs: null },
        logger: createLogger({ level: 'debug', write: (line) => void log.push(line) }),
      },
    )
    const handle = kernel.turn({ prompt: 'x' })
    const told: unknown[] = []
    handle.events$.subscribe((event) => told.push(event))
    const outcome = await handle.outcome
    await kernel.stop()
    expect(log.join('')).toContain('Something broke')
    for (const line of log) expect(UNSEEN.exec(line.slice(0, -1))?.[0].codePointAt(0)?.toString(16)).toBe(undefined)
    for (const text of textsIn([outcome, told, kernel.ledger.rows()])) expect(text).not.toMatch(UNSEEN)
  })
})

describe('CLI-12 what is printed for people', () => {
  test('CLI-12 text on a terminal has no controls but line end and tab', () => {
    const text = withoutControls(`a\tb\n${HOSTILE}`)
    expect(text.replace(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u)
    expect(text.startsWith('a\tb\n')).toBe(true)
  })

  test('CLI-12 a line of JSON holds them escaped, and reads back as it was', () => {
    const line = jsonLine({ text: HOSTILE })
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u)
    expect(JSON.parse(line)).toEqual({ text: HOSTILE })
  })
})

/** Every text in a value, keys and errors too. */
function textsIn(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  const own = Object.getOwnPropertyNames(value).filter((key) => key !== 'stack')
  return own.flatMap((key) => [key, ...textsIn((value as Record<string, unknown>)[key], seen)])
}
