import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filledWith, growth, STEEPEST } from '../../http/growth.ts'
import { mangled, nested } from '../mangled.ts'
import { begun, completed, decode, type Line, message, reasoning, reconnecting, started, turnCompleted } from './lines.ts'

const COMMAND = { id: 'i1', type: 'command_execution', command: 'ls', aggregated_output: 'a', exit_code: 0, status: 'completed' }
const TOOL = { id: 'i2', type: 'mcp_tool_call', server: 's', tool: 't', arguments: {}, result: { content: [{ type: 'text', text: 'x' }] } }
const RUN: Line[] = [
  ...begun,
  reasoning('r1', 'Hm.'),
  message('m1', 'First.'),
  started(COMMAND),
  completed(COMMAND),
  started(TOOL),
  completed(TOOL),
  reconnecting,
  message('m2', 'Last.'),
  turnCompleted,
]

describe('output that codex does not print', () => {
  it('never throws, and tells only what a decoder may', () => {
    fc.assert(
      fc.property(mangled(RUN), fc.constantFrom(0, 1, null), (lines, exitCode) => {
        const { events, end } = decode(lines, exitCode)
        for (const event of events) {
          expect(['text', 'reasoning', 'providerToolCall', 'providerToolResult', 'usage']).toContain(event.type)
          if (event.type === 'text' || event.type === 'reasoning') expect(event.text).not.toBe('')
          if (event.type === 'providerToolCall') expect(() => JSON.parse(event.arguments)).not.toThrow()
        }
        expect(events.filter((event) => event.type === 'text').length).toBeLessThanOrEqual(end.completed ? 1 : 0)
      }),
      { numRuns: 1_000 },
    )
  })

  it('a run that is cut after any line tells nothing of its answer and does not complete', () => {
    for (let at = 0; at < RUN.length; at += 1) {
      const { events, end } = decode(RUN.slice(0, at), null)
      expect(end).toEqual({ completed: false })
      expect(events.some((event) => event.type === 'text')).toBe(false)
    }
  })

  it('lines of other kinds between those of an answer change nothing', () => {
    const others = ['', 'plain text', '[1]', '{', '{"type":"hologram"}', '{"type":null}', '{}', '\u0000', '{"type":"item.completed"}']
    expect(decode(RUN.flatMap((line) => [...others, line]))).toEqual(decode(RUN))
  })

  it('what nests deeper than can be written is a tool without arguments or output', () => {
    const item = nested(
      '{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"s","tool":"t","arguments":',
      ',"result":{"content":[]}}}',
    )
    expect(decode([item]).events).toMatchObject([{ arguments: '{}' }, { output: '' }])
    const output = nested('{"type":"item.completed","item":{"id":"i","type":"command_execution","aggregated_output":', '}}')
    expect(decode([output]).events).toMatchObject([{ arguments: '{}' }, { output: '' }])
  })

  it('is read in the time of its length', () => {
    const messages = (whole: string) => Array.from({ length: whole.length / 16 }, (_, at) => message(`m${at}`, `words ${at}`))
    expect(growth(filledWith('word '), (whole) => decode([...messages(whole), turnCompleted]))).toBeLessThan(STEEPEST)
  })
})
