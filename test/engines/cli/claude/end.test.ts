import { describe, expect, it } from 'vitest'
import { decode, type Line, printed, reply, result, said, streamEvent, synthetic, text, textDelta, toolResult, toolUse, usageEvent } from './lines.ts'

const BASH = toolUse('t1', 'Bash', { command: 'ls' })
const CALL = { type: 'providerToolCall', id: 't1', name: 'Bash', arguments: '{"command":"ls"}' }
const OUTPUT = { type: 'providerToolResult', id: 't1', name: null, output: 'a\nb' }

describe('the CLI’s own voice and its subagents are no answer', () => {
  it('T3 a failure: is_error counts, not the subtype', () => {
    const lines = [
      synthetic('API Error: 529 Overloaded.'),
      result('API Error: 529 Overloaded.', { is_error: true, usage: {}, stop_reason: 'stop_sequence' }),
    ]
    for (const mode of ['stream', 'call'] as const) expect(decode(mode, lines, 1)).toMatchObject({ events: [], end: { completed: false } })
  })

  it('a command of its own ends well and has asked no model', () => {
    for (const mode of ['stream', 'call'] as const)
      expect(decode(mode, [synthetic('Unknown command: /x'), result('Unknown command: /x', { stop_reason: null, usage: {} })])).toMatchObject({
        events: [],
        end: { completed: false },
      })
  })

  it('words of its own before an answer do not spoil it', () => {
    const lines = [synthetic('Compacted.'), printed('m1', [text('Hi.')]), result('Hi.')]
    for (const mode of ['stream', 'call'] as const) expect(said(decode(mode, lines).events)).toBe('Hi.')
  })

  it('a subagent: its tools are told, its text is not', () => {
    const of = { parent_tool_use_id: 't0' }
    const lines = [
      printed('m1', [toolUse('t0', 'Task', {})]),
      reply([text('Go.')], of),
      textDelta('inner', 't0'),
      printed('s1', [text('inner')], of),
      printed('s1', [BASH], of),
      reply([toolResult('t1', 'a\nb')], of),
      reply([toolResult('t0', 'inner')]),
      printed('m2', [text('Done.')]),
      result('Done.'),
    ]
    for (const mode of ['stream', 'call'] as const) {
      const { events } = decode(mode, lines)
      expect(said(events)).toBe('Done.')
      expect(events).toContainEqual(CALL)
      expect(events).toContainEqual(OUTPUT)
    }
  })

  it('§6.1 the limit of an old version, told as a success', () => {
    const notice = 'Claude AI usage limit reached|1759500000'
    for (const mode of ['stream', 'call'] as const)
      expect(decode(mode, [result(notice)])).toMatchObject({ events: [usageEvent], end: { completed: false } })
    expect(decode('call', [result(`It said "${notice}".`)]).end).toEqual({ completed: true, finish: 'stop' })
  })
})

describe('cli-engines.md §2 the end', () => {
  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'stop'],
    ['max_tokens', 'length'],
    ['refusal', 'content_filter'],
    ['pause_turn', 'pause_turn'],
    ['constructor', 'constructor'],
    [null, 'stop'],
    [7, 'stop'],
  ])('stop_reason %j is %s', (reason, finish) => {
    expect(decode('call', [result('x', { stop_reason: reason })]).end).toEqual({ completed: true, finish })
  })

  it.each<[string, Line[], number | null, boolean]>([
    ['exit 0', [result('x')], 0, true],
    ['stopped by us after its result', [result('x')], null, true],
    ['exit 1', [result('x')], 1, false],
    ['no result', [printed('m1', [text('x')])], 0, false],
    ['no result, by a signal', [printed('m1', [text('x')])], null, false],
    ['an error', [result('x', { is_error: true })], 1, false],
    ['an error, exit 0', [result('x', { is_error: true })], 0, false],
    ['is_error left out', [{ type: 'result', subtype: 'success', result: 'x' }], 0, false],
    ['a bound of the CLI', [result('x', { subtype: 'error_max_turns' })], 0, false],
    ['an execution that failed', [result(undefined, { subtype: 'error_during_execution', is_error: true })], 0, false],
  ])('%s', (_what, lines, exitCode, completed) => {
    expect(decode('stream', lines, exitCode).end.completed).toBe(completed)
    expect(decode('call', lines, exitCode).end.completed).toBe(completed)
  })

  it('R22 a refusal is one, though the CLI reports it as an error', () => {
    const lines = [
      printed('m1', [text('I ')]),
      synthetic('API Error: unable'),
      result('API Error: unable', { is_error: true, stop_reason: 'refusal' }),
    ]
    expect(decode('call', lines, 1)).toMatchObject({ events: [usageEvent], end: { completed: true, finish: 'content_filter' } })
  })

  it('C41 an answer that ran out of tokens keeps what it has, though the CLI gives up on it as an error', () => {
    const tooLong = { ...synthetic('API Error: exceeded the maximum'), error: 'max_output_tokens' }
    const error = result('API Error: exceeded the maximum', { is_error: true, stop_reason: 'stop_sequence' })
    const lines = [printed('m1', [text('An unfin')]), printed('m2', [text('ished')]), tooLong, error]
    expect(decode('call', lines, 1)).toMatchObject({
      events: [{ type: 'text', text: 'An unfinished' }, usageEvent],
      end: { completed: true, finish: 'length' },
    })
    expect(decode('stream', lines, 1).end).toEqual({ completed: true, finish: 'length' })
    expect(decode('call', [printed('m1', [text('x')]), synthetic('API Error'), error], 1)).toMatchObject({
      events: [usageEvent],
      end: { completed: false },
    })
    expect(decode('call', [tooLong], 1).end).toEqual({ completed: false })
  })

  it('what comes after the result is not heard', () => {
    expect(decode('stream', [result('x'), printed('m9', [text('y')]), result('z', { is_error: true })])).toMatchObject({
      events: [{ type: 'text', text: 'x' }, usageEvent],
      contentAfter: true,
    })
  })

  it.each<[string, Line, boolean]>([
    ['a message', printed('m9', [text('y')]), true],
    ['a call of a tool', printed('m9', [BASH]), true],
    ['a piece', textDelta('y'), true],
    ['words of its own', synthetic('y'), false],
    ['a subagent', textDelta('y', 't0'), false],
    ['a message of nothing', printed('m9', []), false],
    ['another event', { type: 'system', subtype: 'status' }, false],
    ['a message that is none', { type: 'assistant', message: 7 }, false],
  ])('R25 whether the model went on behind the result: %s', (_what, line, contentAfter) => {
    expect(decode('stream', [printed('m1', [text('x')]), result('x'), line]).contentAfter ?? false).toBe(contentAfter)
    expect(decode('stream', [printed('m1', [text('x')]), line]).contentAfter).toBeUndefined()
  })
})

describe('R34 usage', () => {
  const usageOf = (more: Line) => decode('call', [result('', more)]).events
  it.each<[string, Line, unknown]>([
    ['all inputs together', {}, [usageEvent]],
    [
      'a cache that was not used',
      { usage: { input_tokens: 1, cache_read_input_tokens: 0, output_tokens: 2 } },
      [{ type: 'usage', input: 1, output: 2, cachedInput: 0 }],
    ],
    ['counts that are left out', { usage: { output_tokens: 2 } }, [{ type: 'usage', output: 2 }]],
    ['none', { usage: undefined }, []],
    ['all zero is not told', { usage: { input_tokens: 0, output_tokens: 0 } }, []],
    ['counts that are none', { usage: { input_tokens: -1, output_tokens: '6', cache_read_input_tokens: 1.5 } }, []],
    [
      'a sum past all counts is not told, what it is made of is',
      { usage: { input_tokens: Number.MAX_SAFE_INTEGER, cache_read_input_tokens: 5, output_tokens: 2 } },
      [{ type: 'usage', output: 2, cachedInput: 5 }],
    ],
    [
      'all zero, but counted by model',
      {
        usage: { input_tokens: 0, output_tokens: 0 },
        modelUsage: {
          a: { inputTokens: 10, outputTokens: 2, cacheReadInputTokens: 3, cacheCreationInputTokens: 1 },
          b: { inputTokens: 5, outputTokens: 1 },
          c: 7,
        },
      },
      [{ type: 'usage', input: 19, output: 3, cachedInput: 3 }],
    ],
  ])('%s', (_what, more, expected) => {
    expect(usageOf(more)).toEqual(expected)
  })
})

describe('R34 what a run would have cost by the token', () => {
  const told = (total_cost_usd: unknown, more: Line = {}, exit = 0) =>
    decode('call', [result('', { total_cost_usd, ...more })], exit).events.filter(({ type }) => type === 'reportedCost')

  it('is told as the program says it, also of a run that failed', () => {
    expect(told(0.0123)).toEqual([{ type: 'reportedCost', usd: 0.0123 }])
    expect(told(0)).toEqual([{ type: 'reportedCost', usd: 0 }])
    expect(told(0.5, { is_error: true, usage: {} }, 1)).toEqual([{ type: 'reportedCost', usd: 0.5 }])
  })

  it.each([undefined, null, '0.5', -1, { usd: 1 }])('%j is no amount', (amount) => expect(told(amount)).toEqual([]))
})

describe('tools of the server, and results of any shape', () => {
  it.each<[unknown, string]>([
    ['plain', 'plain'],
    [[text('a'), { type: 'image', source: {} }], 'a\n{"type":"image","source":{}}'],
    [undefined, ''],
    [null, ''],
    [{ a: 1 }, '{"a":1}'],
    [['x', 7], 'x\n7'],
  ])('%j', (content, output) => {
    expect(decode('stream', [reply([toolResult('t1', content)])]).events).toEqual([{ type: 'providerToolResult', id: 't1', name: null, output }])
  })

  it('web search', () => {
    const lines = [
      printed('m1', [
        { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: 's1', content: 'x' },
      ]),
    ]
    expect(decode('stream', lines).events).toEqual([
      { type: 'providerToolCall', id: 's1', name: 'web_search', arguments: '{}' },
      { type: 'providerToolResult', id: 's1', name: null, output: 'x' },
    ])
  })

  it('an event that is none of the answer changes nothing', () => {
    const lines = [
      streamEvent({ type: 'ping' }),
      { type: 'rate_limit_event', rate_limit_info: { status: 'allowed' } },
      { type: 'system', subtype: 'api_retry' },
    ]
    expect(decode('stream', lines).events).toEqual([])
  })
})
