import { describe, expect, test } from 'vitest'
import { FAKE_CLI_NAMES } from '../../../src/engines/fake-cli/script.ts'
import { at, call, fakes, finalText, streamedText } from './run.ts'

/** What runs print and how they end, as real processes (cli-engines.md §2 to §5). How each CLI tells its failures: programs.test.ts. */

const TEXT = 'Hello from the other side,\nwith  two lines.'
const PARTIAL = ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages']

test.each(FAKE_CLI_NAMES)('%s answers with tools, thoughts, text in pieces, usage, the last event, exit 0', async (name) => {
  const tools = [
    { name: 'shell', arguments: { command: 'ls' }, output: 'a.txt' },
    { name: 'read', output: 'no such file', isError: true },
  ]
  const clis = await fakes({ [name]: [{ text: TEXT, reasoning: 'let me think', tools, usage: { input: 100, output: 20, cachedInput: 40 } }] })
  const ended = await call(clis, name, name === 'claude' ? { args: PARTIAL } : {})
  expect([ended.code, ended.signal, ended.stderr]).toEqual([0, null, ''])
  expect(streamedText(name, ended.events)).toBe(TEXT)
  expect(finalText(name, ended.events)).toBe(TEXT)
  expect(ended.stdout).toContain('a.txt')
  expect(ended.stdout).toContain('no such file')
  const last = JSON.stringify(ended.events.at(-1))
  expect(last).toMatch(
    name === 'claude' ? /"input_tokens":60,.*"cache_read_input_tokens":40,"output_tokens":20/ : /"input_tokens":100.*"output_tokens":20/,
  )
  // The formats of agy and Gemini CLI have no place for thoughts.
  expect(ended.stdout.includes('let me think')).toBe(name === 'claude' || name === 'codex')
})

describe('what any of them does', () => {
  test('an exit of its own wins', async () => {
    const clis = await fakes({
      agy: [
        { overloaded: true, exit: 9 },
        { text: 'fine', exit: 4 },
      ],
    })
    expect([(await call(clis, 'agy')).code, (await call(clis, 'agy')).code]).toEqual([9, 4])
  })

  test('a crash prints what was begun, its words on stderr, and no last event', async () => {
    const ended = await call(await fakes({ agy: [{ crash: { exit: 134, stderr: 'fatal\nat line 1' } }] }), 'agy')
    expect([ended.code, ended.stderr, ended.events.map(({ event }) => event)]).toEqual([134, 'fatal\nat line 1\n', ['init', 'step_update']])
  })

  test('raw lines arrive as they are', async () => {
    const raw = { stdout: ['plain', '{"a":1}', ''], stderr: ['\u001b[31mred\u001b[0m'], exit: 5 }
    const ended = await call(await fakes({ codex: [{ raw }] }), 'codex')
    expect(ended).toMatchObject({ code: 5, stdout: 'plain\n{"a":1}\n\n', stderr: '\u001b[31mred\u001b[0m\n' })
  })

  test('a flood has no end of a line', async () => {
    const ended = await call(await fakes({ gemini: [{ flood: 300_001 }] }), 'gemini')
    expect([ended.code, ended.stdout.length, ended.stdout.includes('\n')]).toEqual([0, 300_001, false])
  })

  test('afterMs is waited before every line', async () => {
    const clis = await fakes({ agy: [{ text: 'a b c d', afterMs: 60 }, { text: 'a b c d' }] })
    const before = performance.now()
    const { events } = await call(clis, 'agy')
    expect(performance.now() - before).toBeGreaterThanOrEqual(60 * events.length)
    expect(events.length).toBe(5)
  })
})

describe('what only one of them does', () => {
  const inTwoHours = { limit: { resetInMs: 9_093_000 } }

  test('claude tells a limit in an event and in its sentence, in the zone of the process; with a key it tells neither', async () => {
    const clis = await fakes({ claude: [{ limit: { resetAt: '2034-11-30T13:45:59Z', scope: 'seven_day_opus' } }] })
    const own = await call(clis, 'claude', { env: { TZ: 'Europe/Madrid' } })
    const info = at(
      own.events.find((event) => event['type'] === 'rate_limit_event'),
      'rate_limit_info',
    )
    expect(info).toMatchObject({ status: 'rejected', resetsAt: Date.parse('2034-11-30T13:45:59Z') / 1000, rateLimitType: 'seven_day_opus' })
    expect(own.events.at(-1)?.['result']).toBe("You've hit your Opus limit · resets Nov 30, 2034, 2:45pm (Europe/Madrid)")
    const keyed = await call(clis, 'claude', { env: { ANTHROPIC_API_KEY: 'none' } })
    expect(keyed.stdout).not.toContain('rate_limit_event')
    expect(keyed.events.at(-1)?.['result']).toMatch(/^API Error: Request rejected \(429\)/)
  })

  test('claude retries as often as it is granted', async () => {
    const clis = await fakes({ claude: [{ overloaded: true }] })
    const retries = async (env: Readonly<Record<string, string>>): Promise<number> =>
      (await call(clis, 'claude', { env })).events.filter((event) => event['subtype'] === 'api_retry').length
    expect([await retries({}), await retries({ CLAUDE_CODE_MAX_RETRIES: '2' }), await retries({ CLAUDE_CODE_MAX_RETRIES: '0' })]).toEqual([10, 2, 0])
  })

  test('claude streams only when it is asked to', async () => {
    const clis = await fakes({ claude: [{ text: 'hello there' }] })
    expect((await call(clis, 'claude')).stdout).not.toContain('stream_event')
    expect((await call(clis, 'claude', { args: PARTIAL })).stdout).toContain('stream_event')
  })

  test('codex prints a clock without a zone, in the zone of the process', async () => {
    const clis = await fakes({ codex: [{ limit: { resetAt: '2034-12-05T08:17:30Z', scope: 'codex_other' } }] })
    const ended = await call(clis, 'codex', { env: { TZ: 'Europe/Madrid' } })
    expect(at(ended.events.at(-1), 'error', 'message')).toBe(
      'You’ve hit your usage limit for codex_other. Switch to another model now, or try again at Dec 5th, 2034 9:17 AM.',
    )
  })

  test('agy prints a duration, in a sentence on stderr and in one line of JSON', async () => {
    const ended = await call(await fakes({ agy: [inTwoHours] }), 'agy')
    const [sentence = '', json = ''] = ended.stderr.split('\n')
    expect(sentence).toMatch(/^error: Individual quota reached\. .* Resets in 2h31m3[23]s\.$/)
    expect(JSON.parse(json.replace('AGY_ERROR: ', ''))).toMatchObject({ status: 'RESOURCE_EXHAUSTED', error_code: 429, retryable: true })
  })
})
