import { describe, expect, test } from 'vitest'
import { agy } from '../../../src/engines/cli/agy/program.ts'
import { claude } from '../../../src/engines/cli/claude/program.ts'
import { codex } from '../../../src/engines/cli/codex/program.ts'
import { environmentFor } from '../../../src/engines/cli/environment.ts'
import { geminiCli } from '../../../src/engines/cli/gemini-cli/program.ts'
import { NoticeListener } from '../../../src/engines/cli/notice/listener.ts'
import { outputLine } from '../../../src/engines/cli/output-line.ts'
import type { CliProgram } from '../../../src/engines/cli/program.ts'
import type { FakeRun } from '../../../src/engines/fake-cli/script.ts'
import type { NoticeKind } from '../../../src/model/notice.ts'
import { type Decoded, decoded, textsOf } from '../cli/decoded.ts'
import { at, type Ended, fakes, Running } from './run.ts'

/**
 * The fakes and the programs meet: a fake takes the command line that a program writes, and what it prints reads as what was scripted. Each is
 * written after cli-engines.md apart from the other, so that this is where one of them shows to be wrong.
 */
const TEXT = 'Hello there,\n\nthis is the answer.'
const PROMPT = '-p "quoted" $HOME é'

const FAILURES = [
  ['limit_no_reset', { limit: {} }],
  ['throttle', { throttle: true }],
  ['overloaded', { overloaded: true }],
  ['auth', { auth: true }],
  ['spend', { spend: true }],
  ['context', { context: true }],
  ['model', { model: true }],
  ['server', { server: true }],
  ['none', { says: 'went wrong' }],
] as const satisfies readonly (readonly [NoticeKind, FakeRun])[]

/** Exit and words of each failure, by cli-engines.md §2 to §5. */
const TOLD: Readonly<Record<CliProgram['provider'], Readonly<Record<(typeof FAILURES)[number][0], readonly [exit: number, words: RegExp]>>>> = {
  claude: {
    limit_no_reset: [1, /^You've hit your session limit$/],
    throttle: [1, /not your usage limit/],
    overloaded: [1, /529 Overloaded/],
    auth: [1, /^Not logged in/],
    spend: [1, /^Credit balance/],
    context: [1, /^Prompt is too long/],
    model: [1, /selected model/],
    server: [1, /^API Error: 500/],
    none: [1, /went wrong$/],
  },
  codex: {
    limit_no_reset: [1, /try again later\.$/],
    throttle: [1, /last status: 429/],
    overloaded: [1, /at capacity/],
    auth: [1, /401 Unauthorized/],
    spend: [1, /^Quota exceeded/],
    context: [1, /ran out of room/],
    model: [1, /is not supported/],
    server: [1, /502 Bad Gateway/],
    none: [1, /^went wrong$/],
  },
  agy: {
    limit_no_reset: [3, /^Resource has been exhausted/],
    throttle: [3, /^Too many requests/],
    overloaded: [3, /high traffic/],
    auth: [1, /^authentication failed/],
    spend: [3, /credits balance/],
    context: [3, /input token count/],
    model: [1, /not recognized/],
    server: [3, /500 Internal Server Error$/],
    none: [3, /^went wrong$/],
  },
  // Its exit is the HTTP status modulo 256.
  gemini: {
    limit_no_reset: [173, /^\[API Error: You have exhausted your daily quota/],
    throttle: [173, /Please retry in 20\.5s/],
    overloaded: [247, /overloaded/],
    auth: [145, /UNAUTHENTICATED/],
    spend: [173, /spending cap/],
    context: [144, /input token count/],
    model: [1, /is not found/],
    server: [244, /INTERNAL/],
    none: [1, /^went wrong$/],
  },
}

/** What a failure is told by in the last event. */
function reasonOf(name: CliProgram['provider'], { events }: Ended): unknown {
  const last = events.at(-1)
  if (name === 'claude') return last?.['is_error'] === true ? last['result'] : undefined
  if (name === 'codex') return last?.['type'] === 'turn.failed' ? at(last, 'error', 'message') : undefined
  if (name === 'agy') return at(last, 'result', 'status') === 'ERROR' ? at(last, 'result', 'error') : undefined
  return last?.['status'] === 'error' ? at(last, 'error', 'message') : undefined
}

interface Called extends Decoded {
  readonly ended: Ended
  readonly kind: NoticeKind
  readonly resetAt: number | null
}

async function callBy(program: CliProgram, mode: 'stream' | 'call', run: FakeRun): Promise<Called & { readonly prompt: string | undefined }> {
  const clis = await fakes({ [program.provider]: [run] })
  const { args, last = [], stdin } = program.invocation({ mode, model: null, system: null, prompt: PROMPT, options: {} })
  const env = environmentFor({}, { variables: program.variables, fixed: program.environment, own: { TZ: 'Asia/Kolkata' } })
  const ended = await new Running(`${clis.path}/${program.command}`, [...args, ...last], stdin, env).ended
  const [stdout, stderr] = [ended.stdout.trimEnd().split('\n'), ended.stderr.trimEnd().split('\n')]
  const listener = new NoticeListener(program.provider, 'Asia/Kolkata')
  for (const line of stdout) listener.take(outputLine('stdout', line))
  for (const line of stderr) listener.take(outputLine('stderr', line))
  const { kind, resetAt } = listener.read({ exitCode: ended.code, killed: false, now: Date.now() })
  const [recorded] = await clis.calls(program.provider)
  return { ...decoded(program, mode, { stdout, stderr, exitCode: ended.code }), ended, kind, resetAt, prompt: recorded?.stdin?.text ?? args[1] }
}

describe.each([claude, codex, agy, geminiCli])('$family', (program) => {
  test.each(['stream', 'call'] as const)('an answer is told, and its prompt arrived byte for byte (%s)', async (mode) => {
    const tools = [{ name: 'shell', arguments: { command: 'ls' }, output: 'a.txt' }]
    const called = await callBy(program, mode, { text: TEXT, tools, usage: { input: 100, output: 20, cachedInput: 40 } })
    expect([called.end, textsOf(called.events).join(''), called.kind]).toEqual([{ completed: true, finish: 'stop' }, TEXT, 'none'])
    expect(called.events).toContainEqual({ type: 'usage', input: 100, output: 20, cachedInput: 40 })
    const activity = called.events.flatMap((event) => (event.type === 'providerToolCall' || event.type === 'providerToolResult' ? [event] : []))
    expect(activity).toMatchObject([{ type: 'providerToolCall' }, { type: 'providerToolResult', output: 'a.txt' }])
    expect([called.over, called.broken, called.prompt]).toEqual([true, null, PROMPT])
  })

  test('its flags for a model, an effort and system text are known to the fake, and the model has runs of its own', async () => {
    const clis = await fakes({ [program.provider]: [{ auth: true }], [`${program.provider}:m1`]: [{ text: TEXT }] })
    const options = program === geminiCli ? {} : { reasoningEffort: 'low' as const }
    const { args, last = [], stdin } = program.invocation({ mode: 'stream', model: 'm1', system: 'Be brief.', prompt: PROMPT, options })
    const { code, stdout, stderr } = await new Running(`${clis.path}/${program.command}`, [...args, ...last], stdin, {}).ended
    expect([code, stderr]).toEqual([0, ''])
    expect(decoded(program, 'stream', { stdout: stdout.split('\n') }).end).toEqual({ completed: true, finish: 'stop' })
    expect((await clis.calls(program.provider)).map(({ run }) => run)).toEqual([`${program.provider}:m1[0]`])
  })

  test('a failure is told in its words, read as what it is, and completes nothing', async () => {
    const seen = await Promise.all(FAILURES.map(async ([kind, run]) => [kind, await callBy(program, 'stream', run)] as const))
    for (const [kind, { ended, end, events, ...called }] of seen) {
      const [exit, words] = TOLD[program.provider][kind]
      expect([called.kind, end, textsOf(events)]).toEqual([kind, { completed: false }, []])
      expect([ended.code, reasonOf(program.provider, ended)]).toEqual([exit, expect.stringMatching(words)])
      // agy says on stderr, too, what the model or its server refused.
      expect(ended.stderr !== '').toBe(program === agy && exit === 3)
    }
  })

  test('a failure comes behind the answer that had begun, and repeats what the server said of a key', async () => {
    const { events, ended, kind } = await callBy(program, 'stream', { auth: { said: 'no key k-7' }, after: ['one ', { text: 'two', afterMs: 1 }] })
    expect([kind, textsOf(events)]).toEqual(['auth', program === claude || program === agy ? ['one ', 'two'] : []])
    expect(ended.stdout.indexOf('one ')).toBeGreaterThan(0)
    expect(ended.stdout.lastIndexOf('no key k-7')).toBeGreaterThan(ended.stdout.indexOf('two'))
  })

  test('an answer comes in the pieces that it is given; one without any is empty, and tokens that are not known are zeros', async () => {
    const { events, end } = await callBy(program, 'stream', { text: ['a', 'b c d e', ' '], usage: null })
    expect([textsOf(events).join(''), end.completed]).toEqual(['ab c d e ', true])
    expect(textsOf(events).length).toBe(program === claude || program === agy ? 3 : 1)
    expect(events.map(({ type }) => type)).not.toContain('usage')
    expect(textsOf((await callBy(program, 'stream', { text: [] })).events)).toEqual([])
  })

  test('what it says behind its last event is no part of the answer', async () => {
    const { events, ended } = await callBy(program, 'stream', { text: 'all of it', late: 'too late' })
    expect([textsOf(events).join(''), ended.stdout.includes('too late'), ended.code]).toEqual(['all of it', true, 0])
  })

  test('a crash and a cut complete nothing and are no limit', async () => {
    const runs = [{ crash: { exit: 134, stderr: 'abort' } }, { text: 'one two three four five', cut: true }] as const
    for (const called of await Promise.all(runs.map((run) => callBy(program, 'stream', run))))
      expect([called.kind.startsWith('limit'), called.end]).toEqual([false, { completed: false }])
    const cut = await callBy(program, 'stream', runs[1])
    expect([cut.ended.code, cut.ended.stdout.includes('one two three'), cut.over]).toEqual([0, true, false])
  })
})

test.each([
  ['length', /output token maximum/],
  ['refusal', /unable to respond/],
] as const)('claude says that an answer ended by %s, as an error', async (finish, words) => {
  const { ended, end } = await callBy(claude, 'stream', { text: ['so far'], finish })
  expect([ended.code, end]).toEqual([1, { completed: true, finish: finish === 'length' ? 'length' : 'content_filter' }])
  expect(reasonOf('claude', ended)).toMatch(words)
})

describe('a limit with a reset is read to the instant that was scripted', () => {
  const resetAt = Math.floor(Date.now() / 1000) * 1000 + 93 * 3_600_000 + 12_000

  test.each([claude, codex, agy])('$family', async (program) => {
    for (const one of [{ limit: { resetAt } }, { limit: { resetInMs: resetAt - Date.now() } }]) {
      const called = await callBy(program, 'stream', one)
      expect(called.kind).toBe('limit_reset')
      // codex prints a clock, which is cut to the minute; agy counts from when it printed.
      expect(Math.abs((called.resetAt ?? 0) - resetAt)).toBeLessThanOrEqual(program === codex ? 60_000 : 5_000)
    }
  })
})

test.each([claude, agy, geminiCli])('a network that is down is told as what it is by $family', async (program) => {
  const { kind, ended } = await callBy(program, 'stream', { network: 'down' })
  expect([kind, ended.code]).toEqual(['network', program === agy ? 3 : 1])
})
