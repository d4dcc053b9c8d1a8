import { describe, expect, test } from 'vitest'
import { FAKE_CLI_NAMES, type FakeCliName, type FakeRun } from '../../../src/engines/fake-cli/script.ts'
import { at, call, type Ended, fakes, finalText, streamedText } from './run.ts'

/** Each CLI with each run that it ends by itself, as a real process: how it is told and how it ends (cli-engines.md §2 to §5). */

const TEXT = 'Hello from the other side,\nwith  two lines.'
const WITH_PARTS = { claude: ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'] }

/** What a failure is told by: where in the last event it stands for each CLI; for agy it is said on stderr too. */
const reasonOf = (name: FakeCliName, { events }: Ended): unknown => {
  const last = events.at(-1)
  if (name === 'claude') return last?.['is_error'] === true ? last['result'] : undefined
  if (name === 'codex') return last?.['type'] === 'turn.failed' ? at(last, 'error', 'message') : undefined
  if (name === 'agy') return at(last, 'result', 'status') === 'ERROR' ? at(last, 'result', 'error') : undefined
  return last?.['status'] === 'error' ? at(last, 'error', 'message') : undefined
}

describe.each(FAKE_CLI_NAMES)('%s', (name) => {
  test('an answer: tools, thoughts, text in pieces, usage, the last event, exit 0', async () => {
    const tools = [
      { name: 'shell', arguments: { command: 'ls' }, output: 'a.txt' },
      { name: 'read', output: 'no such file', isError: true },
    ]
    const clis = await fakes({ [name]: [{ text: TEXT, reasoning: 'let me think', tools, usage: { input: 100, output: 20, cachedInput: 40 } }] })
    const args = name === 'claude' ? { args: WITH_PARTS.claude } : {}
    const ended = await call(clis, name, args)
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

  const failures: readonly [string, FakeRun, Readonly<Record<FakeCliName, readonly [exit: number | 'stays', words: RegExp]>>][] = [
    [
      'a limit without a reset',
      { limit: {} },
      {
        claude: [1, /^You've hit your session limit$/],
        codex: [1, /try again later\.$/],
        agy: [3, /^Resource has been exhausted/],
        gemini: [173, /^\[API Error: You have exhausted your daily quota/],
      },
    ],
    [
      'a throttle',
      { throttle: true },
      {
        claude: [1, /not your usage limit/],
        codex: [1, /last status: 429/],
        agy: [3, /^Too many requests/],
        gemini: [173, /Please retry in 20\.5s/],
      },
    ],
    [
      'an overload',
      { overloaded: true },
      { claude: [1, /529 Overloaded/], codex: [1, /at capacity/], agy: [3, /high traffic/], gemini: [247, /overloaded/] },
    ],
    [
      'no sign-in',
      { auth: true },
      { claude: [1, /^Not logged in/], codex: [1, /401 Unauthorized/], agy: [1, /^authentication failed/], gemini: [145, /UNAUTHENTICATED/] },
    ],
    [
      'spent money',
      { spend: true },
      { claude: [1, /^Credit balance/], codex: [1, /^Quota exceeded/], agy: [3, /credits balance/], gemini: [147, /billing/] },
    ],
    [
      'a full context',
      { context: true },
      { claude: [1, /^Prompt is too long/], codex: [1, /ran out of room/], agy: [3, /input token count/], gemini: [144, /input token count/] },
    ],
    [
      'an unknown model',
      { model: true },
      { claude: [1, /selected model/], codex: [1, /is not supported/], agy: [1, /not recognized/], gemini: [1, /is not found/] },
    ],
  ]
  test.each(failures)('%s', async (_what, run, expected) => {
    const ended = await call(await fakes({ [name]: [run] }), name)
    expect([ended.code, reasonOf(name, ended)]).toEqual([expected[name][0], expect.stringMatching(expected[name][1])])
    expect(ended.stderr !== '').toBe(name === 'agy' && ended.code === 3)
  })

  test('an exit of its own wins', async () => {
    const clis = await fakes({
      [name]: [
        { overloaded: true, exit: 9 },
        { text: 'fine', exit: 4 },
      ],
    })
    expect([(await call(clis, name)).code, (await call(clis, name)).code]).toEqual([9, 4])
  })

  test('a crash: what was begun, its words on stderr, its exit, no last event', async () => {
    const ended = await call(await fakes({ [name]: [{ crash: { exit: 134, stderr: 'fatal\nat line 1' } }] }), name)
    expect([ended.code, ended.stderr, reasonOf(name, ended)]).toEqual([134, 'fatal\nat line 1\n', undefined])
    expect(ended.events.length).toBeGreaterThan(0)
  })

  test('a cut: the text, then exit 0 without the last event', async () => {
    const args = name === 'claude' ? { args: WITH_PARTS.claude } : {}
    const whole = await call(await fakes({ [name]: [{ text: 'one two three four five' }] }), name, args)
    const ended = await call(await fakes({ [name]: [{ text: 'one two three four five', cut: true }] }), name, args)
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    expect(streamedText(name, ended.events)).toMatch(/^one two three/)
    expect(ended.events.length).toBeLessThan(whole.events.length)
    expect(ended.events.at(-1)).not.toMatchObject({ type: expect.stringMatching(/^(result|turn\.completed)$/) })
    expect(ended.events.at(-1)).not.toMatchObject({ event: 'result' })
  })

  test('raw lines arrive as they are', async () => {
    const raw = { stdout: ['plain', '{"a":1}', ''], stderr: ['\u001b[31mred\u001b[0m'], exit: 5 }
    const ended = await call(await fakes({ [name]: [{ raw }] }), name)
    expect(ended).toMatchObject({ code: 5, stdout: 'plain\n{"a":1}\n\n', stderr: '\u001b[31mred\u001b[0m\n' })
  })

  test('a flood has no end of a line', async () => {
    const ended = await call(await fakes({ [name]: [{ flood: 300_001 }] }), name)
    expect([ended.code, ended.stdout.length, ended.stdout.includes('\n')]).toEqual([0, 300_001, false])
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
    expect((await call(clis, 'claude', { args: WITH_PARTS.claude })).stdout).toContain('stream_event')
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

  test.each(['claude', 'agy', 'gemini'] as const)('%s gives up on a network that is down', async (name) => {
    const ended = await call(await fakes({ [name]: [{ network: 'down' }] }), name)
    expect([ended.code, reasonOf(name, ended)]).toEqual([
      name === 'agy' ? 3 : 1,
      expect.stringMatching(/Unable to connect|no such host|fetch failed/),
    ])
  })
})
