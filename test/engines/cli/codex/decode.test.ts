import { describe, expect, it } from 'vitest'
import { begun, completed, decode, type Line, message, reasoning, reconnecting, started, turnCompleted, turnFailed, usageEvent } from './lines.ts'

const text = (value: string) => ({ type: 'text', text: value })
const thought = (value: string) => ({ type: 'reasoning', text: value })
const command = (id: string, more: Line) => ({ id, type: 'command_execution', command: 'ls', ...more })
const CALL = { type: 'providerToolCall', id: 'i1', name: 'command_execution', arguments: '{"command":"ls"}' }
const OUTPUT = { type: 'providerToolResult', id: 'i1', name: 'command_execution', output: 'a\n' }
const ASKED = command('i1', { aggregated_output: '', exit_code: null, status: 'in_progress' })
const DONE = command('i1', { aggregated_output: 'a\n', exit_code: 0, status: 'completed' })
const WARNING = completed({ id: 'i0', type: 'error', message: 'You’ve hit your usage limit. Try again later.' })

describe('cli-engines.md §3 the answer is the last agent_message', () => {
  it('told at the end, with what was said and done before it', () => {
    const lines = [
      ...begun,
      WARNING,
      reasoning('r1', '**Plan**'),
      message('m1', 'I look first.'),
      started(ASKED),
      completed(DONE),
      reasoning('r2', '**Done**'),
      message('m2', 'One file.'),
      turnCompleted,
    ]
    expect(decode(lines)).toEqual({
      events: [thought('**Plan**'), CALL, OUTPUT, thought('\n\n**Done**'), thought('\n\nI look first.'), text('One file.'), usageEvent],
      end: { completed: true, finish: 'stop' },
      broken: null,
      over: true,
    })
  })

  it('R27 a message that is printed again after a stream broke off is told once', () => {
    expect(decode([...begun, message('m1', 'Hi.'), reconnecting, message('m2', 'Hi.'), turnCompleted]).events).toEqual([text('Hi.'), usageEvent])
    expect(decode([...begun, message('m1', 'Hi.'), reconnecting, message('m2', 'Hello.'), turnCompleted]).events).toEqual([
      thought('Hi.'),
      text('Hello.'),
      usageEvent,
    ])
  })

  it('nothing of it is told before the turn is complete', () => {
    expect(decode([...begun, message('m1', 'Hi.')])).toMatchObject({ events: [], over: false, end: { completed: false } })
    expect(decode([...begun, message('m1', 'Hi.'), turnFailed], 1)).toMatchObject({ events: [], over: true, end: { completed: false } })
  })

  it.each<[string, Line[], number | null, boolean]>([
    ['exit 0', [message('m1', 'x'), turnCompleted], 0, true],
    ['stopped by us after its end', [message('m1', 'x'), turnCompleted], null, true],
    ['an error on the way', [message('m1', 'x'), reconnecting, turnCompleted], 0, true],
    ['no usage', [message('m1', 'x'), { type: 'turn.completed' }], 0, true],
    ['exit 1', [message('m1', 'x'), turnCompleted], 1, false],
    ['R19 no message, which is an empty answer', [turnCompleted], 0, true],
    ['R19 an empty message', [message('m1', ''), turnCompleted], 0, true],
    ['R19 a message of another shape', [message('m1', { a: 1 }), turnCompleted], 0, true],
    ['no message, exit 1', [turnCompleted], 1, false],
    ['no end', [message('m1', 'x')], 0, false],
    ['a failed turn', [message('m1', 'x'), turnFailed], 1, false],
    ['a failed turn, exit 0', [message('m1', 'x'), turnFailed], 0, false],
    ['a failed turn that ends twice', [message('m1', 'x'), turnFailed, turnCompleted], 0, false],
    ['nothing', [], 0, false],
  ])('%s', (_what, lines, exitCode, isCompleted) => {
    expect(decode([...begun, ...lines], exitCode).end.completed).toBe(isCompleted)
  })
})

describe('R25 whether the model went on behind the end of its turn', () => {
  it.each<[string, Line, boolean]>([
    ['a message', message('m2', 'y'), true],
    ['a tool', completed(DONE), true],
    ['an empty message', message('m2', ''), false],
    ['a warning', WARNING, false],
    ['an error', reconnecting, false],
    ['an item that is none', { type: 'item.completed', item: [] }, false],
  ])('%s', (_what, line, contentAfter) => {
    const { events, contentAfter: seen = false } = decode([...begun, message('m1', 'x'), turnCompleted, line])
    expect([events, seen]).toEqual([[text('x'), usageEvent], contentAfter])
    expect(decode([...begun, message('m1', 'x'), line]).contentAfter).toBeUndefined()
  })
})

describe('R28 tools at work are told, once each', () => {
  it.each<[string, Line, string, string, string]>([
    [
      'a change of files',
      { type: 'file_change', changes: [{ path: 'a', kind: 'add' }], status: 'completed' },
      'file_change',
      '{"changes":[{"path":"a","kind":"add"}]}',
      'completed',
    ],
    [
      'a tool of a server',
      {
        type: 'mcp_tool_call',
        server: 's',
        tool: 't',
        arguments: { a: 1 },
        result: {
          content: [
            { type: 'text', text: 'x' },
            { type: 'text', text: 'y' },
          ],
        },
      },
      's.t',
      '{"a":1}',
      'x\ny',
    ],
    ['one that failed', { type: 'mcp_tool_call', server: 's', tool: 't', result: null, error: { message: 'no' } }, 's.t', '{}', 'no'],
    ['a search', { type: 'web_search', query: 'q', action: { type: 'search' } }, 'web_search', '{"query":"q","action":{"type":"search"}}', ''],
    ['another agent', { type: 'collab_tool_call', tool: 'spawn_agent', prompt: 'Go', agents_states: {} }, 'spawn_agent', '{"prompt":"Go"}', '{}'],
  ])('%s', (_what, item, name, args, output) => {
    const call = { type: 'providerToolCall', id: 'i1', name, arguments: args }
    const result = { type: 'providerToolResult', id: 'i1', name, output }
    const whole = { id: 'i1', ...item }
    expect(decode([started(whole), completed(whole)]).events).toEqual([call, result])
    expect(decode([completed(whole)]).events).toEqual([call, result])
    expect(decode([started(whole), started(whole), completed(whole), completed(whole)]).events).toEqual([call, result])
    expect(decode([started(whole)]).events).toEqual([call])
  })

  it('without an id it is told when it is done', () => {
    const { id: _, ...item } = DONE
    expect(decode([started(item), completed(item), completed(item)]).events).toEqual([
      { ...CALL, id: null },
      { ...OUTPUT, id: null },
      { ...CALL, id: null },
      { ...OUTPUT, id: null },
    ])
  })

  it('notes, updates and items never heard of are none', () => {
    const others = ['todo_list', 'plan', 'error', 'constructor', 'toString', 'hologram'].map((type, at) =>
      completed({ id: `o${at}`, type, text: 'x' }),
    )
    expect(decode([...others, { type: 'item.updated', item: ASKED }, { type: 'item.hologram', item: DONE }]).events).toEqual([])
  })
})

describe('R34 usage', () => {
  it.each<[string, unknown, unknown]>([
    ['no cache', { input_tokens: 1, output_tokens: 2 }, [{ type: 'usage', input: 1, output: 2 }]],
    ['nothing known', { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 }, []],
    ['counts that are none', { input_tokens: '1', output_tokens: -2 }, []],
    ['no object', 7, []],
  ])('%s', (_what, usage, expected) => {
    expect(decode([{ type: 'turn.completed', usage }]).events).toEqual(expected)
  })
})
