import { describe, expect, it } from 'vitest'
import { added, call, completed, done, type Event, incomplete, read, STOP, types, whole } from './responses.ts'

describe('calls', () => {
  it('prefers the whole arguments to their pieces, and answers under call_id', () => {
    const piece = (text: string): Event => ({ type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'fc', delta: text })
    const begun = [added(0, call({ arguments: '' })), piece('{"a"'), piece(':')]
    const told = [
      { type: 'toolCall', id: 'call_1', name: 'f', arguments: '{"a":1}' },
      { type: 'final', finish: 'tool_calls', terminated: true },
    ]
    const argumentsDone: Event = { type: 'response.function_call_arguments.done', output_index: 0, item_id: 'fc', arguments: '{"a":1}' }
    expect(read(...begun, argumentsDone, completed())).toEqual(told)
    expect(read(...begun, done(0, call()), completed())).toEqual(told)
    expect(read(...begun, piece('1}'), completed())).toEqual(told)
    expect(read(...begun, completed({ output: [call()] }))).toEqual(told)
    expect(read(completed({ output: [call()] }))).toEqual(told)
  })

  it('tells parallel calls in the order of the output, an empty one as an empty object, one without an id as one', () => {
    const two = call({ id: 'fc2', call_id: 'call_2', arguments: '' })
    const three = { type: 'function_call', name: 'g', arguments: { b: 2 } }
    const events = read(added(1, two), added(0, call()), done(1, two), done(0, call()), done(2, three), completed())
    expect(events.filter((event) => event.type === 'toolCall')).toEqual([
      { type: 'toolCall', id: 'call_1', name: 'f', arguments: '{"a":1}' },
      { type: 'toolCall', id: 'call_2', name: 'f', arguments: '{}' },
      { type: 'toolCall', id: null, name: 'g', arguments: '{"b":2}' },
    ])
  })

  it('R22 a call that the limit cut off is none', () => {
    const cut = call({ arguments: '{"path":"/ho', status: 'incomplete' })
    const length = { type: 'final', finish: 'length', terminated: true }
    expect(read(added(0, call({ arguments: '' })), done(0, cut), incomplete('max_output_tokens'))).toEqual([length])
    const piece: Event = { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"path":"/ho' }
    expect(read(added(0, call({ arguments: '' })), piece, incomplete('max_output_tokens'))).toEqual([length])
    expect(whole({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [cut] })).toEqual([length])
  })

  it('tells the input of a custom tool as JSON, and what a built-in tool asks its caller to do', () => {
    const custom = { type: 'custom_tool_call', id: 'ctc', call_id: 'c1', name: 'patch', input: 'a "b"' }
    const computer = { type: 'computer_call', id: 'cu', call_id: 'c2', status: 'completed', action: { type: 'click', x: 1 } }
    const piece: Event = { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: 'a "' }
    expect(read(added(0, { ...custom, input: '' }), piece, done(0, custom), done(1, computer), completed()).slice(0, 2)).toEqual([
      { type: 'toolCall', id: 'c1', name: 'patch', arguments: '"a \\"b\\""' },
      { type: 'toolCall', id: 'c2', name: 'computer', arguments: '{"action":{"type":"click","x":1}}' },
    ])
  })
})

describe('R28 tools that run at the provider', () => {
  const search = { type: 'web_search_call', id: 'ws', status: 'in_progress' }
  const action = { type: 'search', query: 'q' }

  it('are told when they begin to run, so that a stream that breaks meanwhile is not asked again', () => {
    const phase = (name: string): Event => ({ type: `response.web_search_call.${name}`, output_index: 0, item_id: 'ws' })
    expect(types(read(added(0, search), phase('in_progress')))).toEqual(['failed'])
    expect(types(read(added(0, search), phase('in_progress'), phase('searching')))).toEqual(['providerToolCall', 'failed'])
    const events = read(added(0, search), phase('searching'), phase('completed'), done(0, { ...search, status: 'completed', action }), completed())
    expect(events).toEqual([
      { type: 'providerToolCall', id: 'ws', name: 'web_search', arguments: '{}' },
      { type: 'providerToolResult', id: 'ws', name: 'web_search', output: JSON.stringify({ status: 'completed', action }) },
      STOP,
    ])
  })

  it.each<[string, object, string, unknown, unknown]>([
    ['web search', { ...search, action }, 'web_search', action, { status: 'in_progress', action }],
    [
      'file search',
      { type: 'file_search_call', id: 'x', queries: ['q'], results: [{ a: 1 }] },
      'file_search',
      { queries: ['q'] },
      { queries: ['q'], results: [{ a: 1 }] },
    ],
    ['code', { type: 'code_interpreter_call', id: 'x', code: '1', outputs: null }, 'code_interpreter', { code: '1' }, { code: '1', outputs: null }],
    [
      'an image',
      { type: 'image_generation_call', id: 'x', status: 'completed', result: 'AAAA' },
      'image_generation',
      {},
      { status: 'completed', result: 'AAAA' },
    ],
    [
      'a list of tools',
      { type: 'mcp_list_tools', id: 'x', server_label: 's', tools: [] },
      'mcp_list_tools',
      { server_label: 's' },
      { server_label: 's', tools: [] },
    ],
    ['what is not known yet', { type: 'dream_call', id: 'x', about: 'sheep' }, 'dream', { about: 'sheep' }, { about: 'sheep' }],
  ])('%s, streamed and whole', (_title, item, name, input, output) => {
    for (const events of [read(added(0, item), done(0, item), completed()), read(completed({ output: [item] })), whole({ output: [item] })]) {
      expect(types(events)).toEqual(['providerToolCall', 'providerToolResult', 'final'])
      expect(events[0]).toMatchObject({ name, arguments: JSON.stringify(input) })
      expect(events[1]).toMatchObject({ name, output: JSON.stringify(output) })
    }
  })

  it('an MCP server answers in its own words, or with its error', () => {
    const item = { type: 'mcp_call', id: 'mcp', name: 'ask', server_label: 's', arguments: '{"q":1}', output: 'found', error: null }
    const argumentsDone: Event = { type: 'response.mcp_call_arguments.done', output_index: 0, item_id: 'mcp', arguments: '{"q":1}' }
    const begun = added(0, { ...item, arguments: '', output: null })
    expect(types(read(begun, argumentsDone))).toEqual(['providerToolCall', 'failed'])
    expect(read(begun, argumentsDone, done(0, item), completed()).slice(0, 2)).toEqual([
      { type: 'providerToolCall', id: 'mcp', name: 'ask', arguments: '{"q":1}' },
      { type: 'providerToolResult', id: 'mcp', name: 'ask', output: 'found' },
    ])
    const broken = read(done(0, { ...item, output: null, error: 'gone' }), completed())
    expect(broken[1]).toMatchObject({ output: expect.stringContaining('gone') })
  })
})
