import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { failure } from '../../src/model/failure.ts'
import { ConfigError, RelevoError, TurnError } from '../../src/runtime/errors.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import type { TurnRequest } from '../../src/runtime/request.ts'
import { textsIn } from '../security/reached.ts'
import { type OnAttempt, rig, settle, TWO, watch } from './rig.ts'

/** R36 R21: marks are put wherever text, names and secrets may stand, and looked for wherever something leaves the kernel. */
const PROMPT = 'PROMPT-CANARY'
const ANSWER = 'ANSWER-CANARY'
const KEY = 'KEY-CANARY'

const request: TurnRequest = {
  messages: [
    { role: 'system', content: `${PROMPT} system` },
    { role: 'user', content: `${PROMPT} one` },
    { role: 'assistant', content: `${PROMPT} two` },
    { role: 'user', content: `${PROMPT} three` },
  ],
  sinks: ['event', 'draft'],
}

/** A draft commits nothing, so that the whole walk follows. */
const draftOnly: TurnRequest = { ...request, sinks: ['draft'] }

/** Text of every kind, in a stream that ends empty, calls that fail in every way, and one that answers. */
const talking: OnAttempt = (attempt, number) => {
  if (number === 1) {
    attempt
      .opened()
      .say({ type: 'reasoning', text: ANSWER }, { type: 'toolCall', id: ANSWER, name: ANSWER, arguments: ANSWER })
      .text(`<think>${ANSWER}`)
    return attempt.fail('context_window')
  }
  if (number === 2) return attempt.text(ANSWER).fail('rate_limited', { retryAfterMs: 1_000 })
  attempt.say({ type: 'providerToolCall', id: null, name: ANSWER, arguments: ANSWER }).text(ANSWER).final()
}

async function run(onAttempt: OnAttempt, more: TurnRequest = request) {
  const logged: unknown[] = []
  const inspected: unknown[] = []
  const log = (fields: object, message: string): void => void logged.push(structuredClone({ fields: { ...fields, err: undefined }, message }))
  const { kernel, clock } = rig({
    config: {
      ...TWO,
      profiles: { 'a.x': { ...TWO.profiles?.['a.x'], apiKey: KEY }, 'b.y': { model: 'm2', apiKey: KEY } },
      modelFallbackNotice: 'detailed',
    },
    onAttempt,
    ports: {
      logger: { debug: log, info: log, warn: log, error: log },
      inspect: (event) => inspected.push(textsIn(event)),
    },
  })
  const watched = watch(kernel, more)
  for (let steps = 0; steps < 30 && watched.outcome === null; steps++) {
    await settle()
    if (watched.outcome === null) clock.step()
  }
  await kernel.stop()
  return { logged: textsIn(logged), inspected: inspected.join('\n'), ...watched }
}

const committing: OnAttempt = (attempt) => attempt.opened().text(ANSWER, ANSWER).fail('network')
const answering: OnAttempt = (attempt) =>
  attempt.opened().text(ANSWER).say({ type: 'toolCall', id: ANSWER, name: ANSWER, arguments: ANSWER }, { type: 'usage', input: 1 }).final()

describe('R36 no prompt or answer text', () => {
  test.each([
    ['a turn that fails over and shortens its history', talking, 'ok'],
    ['a stream that breaks off after output', committing, 'interrupted'],
    ['an answer', answering, 'ok'],
  ] as const)('of %s is in a log line or an inspector message', async (_, onAttempt, kind) => {
    const { logged, inspected, outcome } = await run(onAttempt, onAttempt === talking ? draftOnly : request)
    expect(outcome?.kind).toBe(kind)
    expect(logged).toContain('turn.ended')
    expect(inspected).toContain('attempt.ended')
    for (const place of [logged, inspected]) {
      expect(place).not.toContain(PROMPT)
      expect(place).not.toContain(ANSWER)
      expect(place).not.toContain(KEY)
    }
  })

  test('R21 the words of a provider reach the log and no inspector', async () => {
    const words = 'your prompt was: the canary of a provider'
    const { logged, inspected, outcome } = await run((attempt) => attempt.opened().fail('invalid_request', { message: words }))
    expect(outcome?.kind).toBe('exhausted')
    expect(logged).toContain(words)
    expect(inspected).toContain('attempt.ended')
    expect(inspected).not.toContain('canary of a provider')
  })

  test('nor in any fact that is not content', async () => {
    const { events } = await run(talking, draftOnly)
    const facts = events.filter((event) => event.type.includes('.') && event.type !== 'turn.ended')
    expect(facts.length).toBeGreaterThan(5)
    expect(textsIn(facts)).not.toContain(ANSWER)
    expect(textsIn(facts)).not.toContain(PROMPT)
  })
})

const mark = fc.constantFrom('canary-one', 'canary-two', 'canary-three')

describe('R21 the error of a turn', () => {
  test('names no provider, model, endpoint or credential and quotes no provider, whatever they are called', async () => {
    const kinds = fc.constantFrom('auth', 'server_error', 'refusal', 'rate_limited', 'context_window', 'network', 'quota_exhausted', 'empty')
    await fc.assert(
      fc.asyncProperty(fc.array(kinds, { minLength: 1, maxLength: 6 }), mark, async (failing, name) => {
        const profile = `${name}.prod`
        const { kernel, clock } = rig({
          config: {
            primary: profile,
            profiles: {
              [profile]: { model: name, apiKey: name, endpoint: `https://${name}.example`, headers: { 'x-team': name }, fallback: ['other.x'] },
              'other.x': { model: name, apiKey: name },
            },
            reliability: { jitter: 0, providerRetries: 2 },
          },
          onAttempt: (attempt, number) =>
            attempt.fail(failing[(number - 1) % failing.length] ?? 'auth', { message: `asked ${name}`, code: name, status: 418 }),
        })
        const { turn } = watch(kernel, { prompt: name, sinks: ['event'] })
        const caught = turn.text.catch((error: unknown) => error)
        const outcome = turn.outcome.then(() => true)
        for (let steps = 0; steps < 40; steps++) {
          await settle()
          if (!clock.step()) break
        }
        await outcome
        const error = await caught
        expect(TurnError.isInstance(error)).toBe(true)
        const { message, stack, cause, code } = error as TurnError
        expect(message).not.toContain('canary')
        expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2_048)
        expect(stack?.split('\n')[0]).not.toContain('canary')
        expect(code).toMatch(/^[a-z_]+$/)
        // The last real cause stays attached, for a host that wants to look (R21); what signed the request does not.
        expect(cause).toMatchObject({ message: 'asked [redacted]', code: '[redacted]', status: 418 })
      }),
      { seed: 20_260_301, numRuns: 40 },
    )
  })

  test('keeps code and class apart by why the walk stopped', async () => {
    const endings = [
      ['auth', 'exhausted', 'TurnExhaustedError'],
      ['refusal', 'refused', 'RefusedError'],
      ['context_window', 'context_window', 'TurnExhaustedError'],
    ] as const
    for (const [kind, code, name] of endings) {
      const { kernel } = rig({ onAttempt: (attempt) => attempt.fail(kind) })
      await expect(watch(kernel, { sinks: ['event'] }).turn.text).rejects.toMatchObject({ code, name, outcome: { kind: code } })
    }
    const { kernel } = rig()
    const { turn } = watch(kernel)
    turn.cancel()
    await expect(turn.text).rejects.toMatchObject({ code: 'cancelled', name: 'TurnCancelledError' })
  })
})

describe('errors at the door', () => {
  test('are recognised across copies of the package, and nothing else is', () => {
    const copy = Object.assign(new Error('of another copy'), { [Symbol.for('relevo.error')]: true, code: 'exhausted' })
    expect(RelevoError.isInstance(copy)).toBe(true)
    expect(RelevoError.isInstance(new ConfigError([]))).toBe(true)
    for (const other of [new Error('x'), null, undefined, 'relevo', { code: 'exhausted' }]) expect(RelevoError.isInstance(other)).toBe(false)
  })

  test('a ConfigError has a line for each problem: path, what, code, remedy', () => {
    const error = new ConfigError([
      { code: 'one', path: 'a.b', message: 'A is wrong.', remedy: 'Mend it.' },
      { code: 'two', path: 'c', message: 'C is missing.', remedy: 'Add it.' },
    ])
    expect(error.message.split('\n')).toEqual(['a.b: A is wrong (one). Mend it.', 'c: C is missing (two). Add it.'])
    expect([error.code, error.problems.length, error.name]).toEqual(['one', 2, 'ConfigError'])
  })

  test('a turn that could not be planned rejects with one', async () => {
    const { kernel } = rig({ config: { ...TWO, unknownHint: 'reject' } })
    const { turn, outcome } = watch(kernel, { model: 'hint:nobody' })
    expect(outcome).toBeNull()
    await expect(turn.text).rejects.toMatchObject({ name: 'ConfigError', code: 'unknown_hint' })
    expect((await turn.outcome).error?.code).toBe('unknown_hint')
  })

  test('settings that cannot be used are refused with every problem, and nothing is started', () => {
    const asked: string[] = []
    const make = (): unknown =>
      createKernel(
        { primary: 'nobody.x', profiles: { 'a.x': { fallback: ['b.y'] }, 'b.y': {} } },
        {
          engines: (profile) => {
            asked.push(profile.id)
            return undefined
          },
          secrets: { env: () => undefined, file: () => undefined },
        },
      )
    expect(make).toThrow(ConfigError)
    expect(make).toThrow(/primary/)
  })

  test('failure() keeps at most 500 characters of a provider', () => {
    expect(failure('unknown', 'call', 'x'.repeat(9_000)).message).toHaveLength(500)
  })
})

describe('a request that cannot be used', () => {
  const problemsOf = (bad: unknown): string[] => {
    const { kernel } = rig()
    try {
      kernel.turn(bad as TurnRequest)
    } catch (error) {
      if (error instanceof ConfigError) return error.problems.map((problem) => `${problem.code} ${problem.path}`)
    }
    return []
  }

  test.each<[string, unknown, string[]]>([
    ['messages of another shape', { messages: [{ role: 'user', content: 7 }] }, ['invalid_request messages[0].content']],
    ['an unknown role', { messages: [{ role: 'wizard', content: 'x' }] }, ['invalid_request messages[0].role']],
    ['an unknown field', { prompt: 'x', promt: 'x' }, ['invalid_request request']],
    ['a prompt that is no text', { prompt: 7 }, ['invalid_request prompt']],
    ['an unknown sink', { prompt: 'x', sinks: ['events'] }, ['invalid_request sinks']],
    ['a blank id', { prompt: 'x', id: '' }, ['invalid_request id']],
    ['a signal that is none', { prompt: 'x', signal: {} }, ['invalid_request signal']],
    [
      'options out of range',
      { prompt: 'x', options: { maxTokens: 0, topP: 2 } },
      ['invalid_request options.maxTokens', 'invalid_request options.topP'],
    ],
    ['a tool without a name', { prompt: 'x', tools: [{ name: '' }] }, ['invalid_request tools[0].name']],
    ['a stream that is no boolean', { prompt: 'x', stream: 'yes' }, ['invalid_request stream']],
    ['no request at all', null, ['invalid_request request']],
  ])('%s', (_, bad, expected) => {
    const problems = problemsOf(bad)
    if (expected[0]?.endsWith('sinks') === true) expect(problems[0]).toMatch(/^invalid_request sinks/)
    else expect(problems).toEqual(expected)
  })

  test.each<[string, TurnRequest]>([
    ['a prompt', { prompt: 'x' }],
    ['nothing but a model', { model: 'm' }],
    [
      'messages with parts, calls and results',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'x' },
              { type: 'image', mediaType: 'image/png', data: 'aGk=' },
            ],
          },
          { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 't', arguments: '{}' }] },
          { role: 'tool', content: 'ok', toolCallId: '1' },
        ],
      },
    ],
    ['callbacks as sinks', { prompt: 'x', sinks: { event() {} } }],
    ['no model said as null', { prompt: 'x', model: null }],
  ])('%s is one that can', (_, good) => {
    const { kernel } = rig()
    expect(() => kernel.turn(good).cancel()).not.toThrow()
  })

  test('R36 the error names the field and never its text', () => {
    const place = fc.constantFrom<(text: string) => unknown>(
      (text) => ({ messages: [{ role: 'user', content: text, extra: text }] }),
      (text) => ({ messages: [{ role: text, content: text }] }),
      (text) => ({ messages: [{ role: 'user', content: [{ type: text, text }] }] }),
      (text) => ({ messages: [{ role: 'user', content: [{ type: 'image', url: text }] }] }),
      (text) => ({ messages: text }),
      (text) => ({ prompt: [text] }),
      (text) => ({ prompt: text, options: { toolChoice: text } }),
      (text) => ({ prompt: text, sinks: [text] }),
      (text) => ({ prompt: text, tools: [{ name: 'x', parameters: text }] }),
    )
    fc.assert(
      fc.property(place, mark, (make, text) => {
        const { kernel } = rig()
        let message = ''
        try {
          kernel.turn(make(text) as TurnRequest)
        } catch (error) {
          message = String(error)
        }
        expect(message).toContain('invalid_request')
        expect(message).not.toContain(text)
      }),
    )
  })
})
