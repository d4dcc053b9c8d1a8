import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inputOf, present, recorded } from '../engines/cli/notice/recorded-notices.ts'
import { Console } from './console.ts'

const NOW = '2026-03-02T04:00:00Z'

async function read(stdin: string, ...argv: string[]) {
  const shell = new Console({ stdin })
  return { code: await shell.run('read', 'notice', ...argv), shell }
}

const none = { resetAt: null, resetSource: 'none', scope: null }

describe('relevo read notice', () => {
  it.each<[what: string, argv: string, raw: string, answer: object]>([
    [
      'T5 a clock in its own zone',
      '--provider claude',
      "You've hit your session limit · resets 6am (Europe/Madrid)",
      { kind: 'limit_reset', resetAt: '2026-03-02T05:00:00.000Z', resetSource: 'clock_tz', scope: null, engine: 'claude' },
    ],
    [
      'T5 a clock without one, in that of --zone',
      '--provider codex --zone America/New_York --exit 1',
      '{"type":"turn.failed","error":{"message":"You’ve hit your usage limit. Try again at 5:30 AM."}}',
      { kind: 'limit_reset', resetAt: '2026-03-02T10:30:00.000Z', resetSource: 'clock', scope: null, engine: 'codex' },
    ],
    [
      'T5 a length, on standard error without being told so',
      '--provider agy --exit 3',
      'error: Individual quota reached. Please upgrade your subscription to increase your limits. Resets in 167h51m3s.',
      { kind: 'limit_reset', resetAt: '2026-03-09T03:51:03.000Z', resetSource: 'duration', scope: null, engine: 'agy' },
    ],
    [
      'T6 a limit that binds a model',
      '--provider claude --exit 1',
      [
        '{"type":"system","subtype":"init","model":"claude-opus-4-5"}',
        '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1772431200,"rateLimitType":"seven_day_opus"}}',
        '{"type":"result","subtype":"success","is_error":true,"result":"You\'ve hit your Opus limit · resets 6am (UTC)"}',
      ].join('\n'),
      {
        kind: 'limit_reset',
        resetAt: '2026-03-02T06:00:00.000Z',
        resetSource: 'unix',
        scope: 'seven_day_opus',
        engine: expect.stringMatching(/^claude:.*opus/),
      },
    ],
    ['T22 no login', '--provider claude --exit 1', 'Not logged in · Please run /login', { kind: 'auth', ...none, engine: 'claude' }],
    [
      'the body of an API without being told that it is one',
      '--provider agy',
      '{\n  "error": { "code": 429, "status": "RESOURCE_EXHAUSTED", "details": [{ "metadata": { "quotaResetTimeStamp": "2026-03-03T04:00:00Z" } }] }\n}',
      { kind: 'limit_reset', resetAt: '2026-03-03T04:00:00.000Z', resetSource: 'iso', scope: null, engine: 'agy' },
    ],
    [
      'one document over several lines',
      '--provider claude',
      '{\n  "type": "result",\n  "is_error": true,\n  "result": "You\'ve hit your limit · resets 6am (UTC)"\n}',
      { kind: 'limit_reset', resetAt: '2026-03-02T06:00:00.000Z', resetSource: 'clock_tz', scope: null, engine: 'claude' },
    ],
    ['nothing of the kind', '--provider codex --exit 0', 'all tests pass', { kind: 'none', ...none, engine: 'codex' }],
    ['nothing at all', '--provider claude', '', { kind: 'none', ...none, engine: 'claude' }],
  ])('%s', async (_, argv, raw, answer) => {
    const { code, shell } = await read(raw, '--now', NOW, ...argv.split(' '))
    expect([code, shell.err]).toEqual([0, ''])
    expect(shell.json).toEqual([answer])
  })

  it('G21 plain output of a program that says by its exit how it went is a notice where it is the whole of it', async () => {
    const raw = 'Claude AI usage limit reached|1772431200'
    expect((await read(raw, '--provider', 'claude', '--now', NOW)).shell.json).toMatchObject([{ kind: 'limit_reset' }])
    const quoted = `The log says: "${raw}". ${'It was quoted in a report. '.repeat(12)}`
    expect((await read(quoted, '--provider', 'claude', '--now', NOW, '--exit', '0')).shell.json).toMatchObject([{ kind: 'none' }])
  })

  it('--channel says where it was printed: what stands in a log speaks to nobody', async () => {
    const raw = 'error: Individual quota reached. Resets in 1h.'
    const [shown, logged] = [
      await read(raw, '--provider', 'agy', '--channel', 'stderr'),
      await read(raw, '--provider', 'agy', '--channel', 'log-file'),
    ]
    expect([shown.shell.json[0]?.['kind'], logged.shell.json[0]?.['kind']]).toEqual(['limit_reset', 'none'])
  })

  const RESULT = { type: 'result', subtype: 'success', is_error: true, result: "You've hit your session limit · resets 6am (UTC)" }

  it.each([
    ['a line', JSON.stringify(RESULT)],
    ['a document over several lines', JSON.stringify(RESULT, null, 2)],
    ['a list of events', JSON.stringify([{ type: 'system', subtype: 'init' }, RESULT])],
    ['a list over several lines, behind a blank one', `\n${JSON.stringify([RESULT], null, 2)}\n`],
  ])('JSON is known by its look: %s', async (_, raw) => {
    const { shell } = await read(raw, '--provider', 'claude', '--now', NOW, '--exit', '1')
    expect(shell.json).toMatchObject([{ kind: 'limit_reset', resetAt: '2026-03-02T06:00:00.000Z' }])
  })

  it('what begins like JSON and is none is read as text', async () => {
    const { shell } = await read('[API Error: You have exhausted your daily quota on this model.]', '--provider', 'gemini', '--exit', '1')
    expect(shell.json).toMatchObject([{ kind: 'limit_no_reset' }])
  })

  it('without --now and --zone it is now, in UTC', async () => {
    const before = Date.now()
    const { shell } = await read('error: Individual quota reached. Resets in 2h.', '--provider', 'agy')
    const at = Date.parse(String(shell.json[0]?.['resetAt'])) - 7_200_000
    expect(at).toBeGreaterThanOrEqual(before - 1_000)
    expect(at).toBeLessThanOrEqual(Date.now() + 1_000)
    const clock = await read("You've hit your usage limit. Try again at 5:30 AM.", '--provider', 'codex', '--now', NOW)
    expect(clock.shell.json).toMatchObject([{ resetAt: '2026-03-02T05:30:00.000Z' }])
  })

  it.each([
    ['', /^error: --provider is missing\. Name the CLI: claude, codex, agy, gemini\.$/],
    ['--provider cursor', /^error: --provider: Use one of claude, codex, agy, gemini\.$/],
    ['--provider gemini-cli', /^error: --provider: Use one of claude, codex, agy, gemini\.$/],
    ['--provider claude --now yesterday', /^error: --now: Give an ISO 8601 instant\.$/],
    ['--provider claude --zone Mars/Olympus', /^error: --zone: Give a time zone such as Europe\/Madrid or UTC\.$/],
    ['--provider claude --channel telegram', /^error: --channel: Use one of stdout-text, .*, api-json\.$/],
    ['--provider claude --exit one', /^error: --exit: Give the exit code as a whole number\.$/],
    ['--provider claude --exit 1.5', /^error: --exit: Give the exit code as a whole number\.$/],
    ['--provider claude --exit=', /^error: --exit: Give the exit code as a whole number\.$/],
    ['--provider claude --exit 0x1', /^error: --exit: Give the exit code as a whole number\.$/],
  ])('refuses %j in one line, exit 2, and waits for no input', async (argv, line) => {
    const shell = new Console()
    Object.assign(shell.io.stdin, { chunks: { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) } })
    expect(await shell.run('read', 'notice', ...argv.split(' ').filter((part) => part !== ''))).toBe(2)
    expect([shell.out, shell.errLines]).toEqual(['', [expect.stringMatching(line)]])
  })

  it('T4 never throws, whatever is printed', async () => {
    const providers = fc.constantFrom('claude', 'codex', 'agy', 'gemini')
    await fc.assert(
      fc.asyncProperty(providers, fc.string({ unit: 'grapheme', maxLength: 400 }), async (provider, raw) => {
        const { code, shell } = await read(raw, '--provider', provider)
        expect([code, shell.err]).toEqual([0, ''])
        expect(Object.keys(shell.json[0] ?? {})).toEqual(['kind', 'resetAt', 'resetSource', 'scope', 'engine'])
      }),
      { numRuns: 100 },
    )
  })
})

describe('relevo read notice --jsonl', () => {
  const good = {
    id: 'good',
    provider: 'agy',
    channel: 'stderr',
    raw: 'error: Individual quota reached. Resets in 1h.',
    now: NOW,
    tz: 'UTC',
    exitCode: 3,
  }

  it.each<[what: string, line: unknown, error: object, said: string]>([
    ['no JSON', '{"id":', { code: 'invalid_json', path: '' }, 'This is no JSON.'],
    ['no object', ['id'], { code: 'invalid_json', path: '' }, 'This is no JSON object.'],
    ['an unknown provider', { ...good, provider: 'cursor' }, { code: 'unknown_provider', path: 'provider' }, 'claude, codex, agy, gemini'],
    ['no provider', { ...good, provider: undefined }, { code: 'unknown_provider', path: 'provider' }, 'claude, codex, agy, gemini'],
    ['no raw', { ...good, raw: undefined }, { code: 'invalid_line', path: 'raw' }, 'what the program printed'],
    ['a raw that is no text', { ...good, raw: { is_error: true } }, { code: 'invalid_line', path: 'raw' }, 'what the program printed'],
    ['no instant', { ...good, now: 'noon' }, { code: 'invalid_line', path: 'now' }, 'ISO 8601'],
    ['no zone', { ...good, tz: 'Nowhere' }, { code: 'invalid_line', path: 'tz' }, 'Europe/Madrid'],
    ['a zone that is no text', { ...good, tz: 7 }, { code: 'invalid_line', path: 'tz' }, 'Europe/Madrid'],
    ['no channel of ours', { ...good, channel: 'fax' }, { code: 'invalid_line', path: 'channel' }, 'stderr'],
    ['an exit in words', { ...good, exitCode: '3' }, { code: 'invalid_line', path: 'exitCode' }, 'whole number'],
  ])('a bad line gets its error and stops nothing: %s', async (_, line, error, said) => {
    const bad = typeof line === 'string' ? line : JSON.stringify(line)
    const { code, shell } = await read(`${JSON.stringify({ ...good, id: 1 })}\n${bad}\n\n${JSON.stringify(good)}\n`, '--jsonl')
    expect(code).toBe(1)
    const id = typeof line === 'object' && !Array.isArray(line) ? 'good' : null
    expect(shell.json).toEqual([
      { id: 1, ...answer },
      { id, error },
      { id: 'good', ...answer },
    ])
    expect(shell.errLines).toEqual([expect.stringMatching(/^error: line 2: /)])
    expect(shell.err).toContain(said)
  })

  const answer = { kind: 'limit_reset', resetAt: '2026-03-02T05:00:00.000Z', resetSource: 'duration', scope: null, engine: 'agy' }

  it('what may be left out has its default, and what is null is left out', async () => {
    const { provider, raw, now } = good
    const lines = [
      { provider, raw, now },
      { ...good, channel: null, tz: null, exitCode: null, id: undefined, more: 1 },
      { ...good, now: Date.parse(NOW) },
    ]
    const { code, shell } = await read(lines.map((line) => JSON.stringify(line)).join('\n'), '--jsonl')
    expect([code, shell.err]).toEqual([0, ''])
    expect(shell.json).toEqual([
      { id: null, ...answer },
      { id: null, ...answer },
      { id: 'good', ...answer },
    ])
  })

  it('§6.7 a run that we ended says nothing by its exit', async () => {
    const waiting = {
      ...good,
      provider: 'codex',
      channel: 'stdout-ndjson',
      raw: '{"type":"error","message":"Reconnecting... waiting for network (x)"}',
    }
    const { shell } = await read(JSON.stringify({ ...waiting, exitCode: null, killed: true }), '--jsonl')
    expect(shell.json).toMatchObject([{ kind: 'network' }])
  })

  it('an instant at the end of time is no reason to fail', async () => {
    const { code, shell } = await read([1e300, 8.64e15, -8.64e15].map((now) => JSON.stringify({ ...good, now })).join('\n'), '--jsonl')
    expect([code, shell.err]).toEqual([0, ''])
    expect(shell.json.map(({ kind }) => kind)).toEqual(Array(3).fill(expect.stringMatching(/^limit_/)))
  })

  it('has no need of the options of a single one', async () => {
    expect((await read('', '--jsonl')).code).toBe(0)
  })
})

describe.skipIf(!present)('the recorded notices through the command line', () => {
  it('reads every one of the four providers as expected, in one batch', async () => {
    const { code, shell } = await read(recorded.map((one) => JSON.stringify(one)).join('\n'), '--jsonl')
    const answers = shell.json
    expect(answers.map(({ id }) => id)).toEqual(recorded.map(({ id }) => id))
    const missed = recorded.flatMap((one, index) => {
      if (inputOf(one) === null || one.optional === true) return []
      const { kind, resetAt, resetSource, scope } = answers[index] ?? {}
      const { expect: said, toleranceSec = 60 } = one
      const off = Math.abs(Date.parse(String(resetAt)) - Date.parse(String(said.resetAt))) / 1000
      const isInTime = said.resetAt === null ? resetAt === null : off <= toleranceSec
      const isRead = kind === said.kind && resetSource === said.resetSource && isInTime && (said.scope === undefined || scope === said.scope)
      return isRead ? [] : [{ id: one.id, answer: answers[index], said }]
    })
    expect(missed).toEqual([])
    // Those of programs that it does not know get an error each, and only they.
    const refused = recorded.flatMap((one, index) => (answers[index]?.['error'] === undefined ? [] : [one]))
    expect(refused.filter((one) => inputOf(one) !== null)).toEqual([])
    expect(code).toBe(refused.length === 0 ? 0 : 1)
    console.info(`recorded notices through \`read notice --jsonl\`: ${recorded.length - refused.length} read, ${refused.length} of unknown programs`)
  })
})
