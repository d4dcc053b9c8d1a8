import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filledWith, growth, LARGE, STEEPEST } from '../../http/growth.ts'
import { mangled, nested } from '../mangled.ts'
import {
  blockStart,
  decode,
  type Line,
  messageEnd,
  messageStart,
  printed,
  reply,
  result,
  said,
  streamed,
  synthetic,
  text,
  textDelta,
  thinkingDelta,
  toolResult,
  toolUse,
} from './lines.ts'

const RUN: Line[] = [
  { type: 'system', subtype: 'init' },
  messageStart('m1'),
  thinkingDelta('Hm.'),
  ...streamed('m1', 'One', ' two.'),
  printed('m1', [toolUse('t1', 'Bash', { command: 'ls' })]),
  reply([toolResult('t1', [text('a')])]),
  ...messageEnd('tool_use'),
  messageStart('m2'),
  ...streamed('m2', 'Three.'),
  ...messageEnd('end_turn'),
  synthetic('Hm.'),
  result('Three.'),
]

const MODES = ['stream', 'call'] as const

describe('output that claude does not print', () => {
  it('never throws, and tells only what a decoder may', () => {
    fc.assert(
      fc.property(fc.constantFrom(...MODES), mangled(RUN), fc.constantFrom(0, 1, null), (mode, lines, exitCode) => {
        const { events, end } = decode(mode, lines, exitCode)
        for (const event of events) {
          expect(['text', 'reasoning', 'providerToolCall', 'providerToolResult', 'usage']).toContain(event.type)
          if (event.type === 'text' || event.type === 'reasoning') expect(event.text).not.toBe('')
          if (event.type === 'providerToolCall') expect(() => JSON.parse(event.arguments)).not.toThrow()
        }
        if (end.completed) expect(typeof end.finish).toBe('string')
      }),
      { numRuns: 1_000 },
    )
  })

  it('a run that is cut after any line completes only with its result', () => {
    const lines = RUN.filter((line) => line.type !== 'system').filter(({ message }) => (message as Line | undefined)?.model !== '<synthetic>')
    for (let at = 0; at < lines.length; at += 1)
      for (const mode of MODES) expect(decode(mode, lines.slice(0, at), null).end).toEqual({ completed: false })
    for (const mode of MODES) expect(decode(mode, lines, 0).end).toEqual({ completed: true, finish: 'stop' })
  })

  it('lines of other kinds between those of an answer change nothing', () => {
    const others = [
      '',
      'plain text',
      '[1]',
      '{',
      '{"type":"hologram"}',
      '{"type":null}',
      '{}',
      '\u0000',
      JSON.stringify({ type: 'stream_event', event: { type: 'hologram' } }),
    ]
    const between = RUN.slice(0, -2).flatMap((line) => [line, ...others])
    for (const mode of MODES) expect(decode(mode, [...between, result('Three.')])).toEqual(decode(mode, [...RUN.slice(0, -2), result('Three.')]))
  })

  it('what nests deeper than can be written is a tool without arguments or output', () => {
    const call = nested('{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"x","input":', '}]}}')
    const done = nested('{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":', '}]}}')
    const end = nested('{"type":"result","subtype":"success","is_error":false,"result":', '}')
    const { events } = decode('stream', [call, done, end])
    expect(events.map((event) => event.type)).toEqual(['providerToolCall', 'providerToolResult'])
    expect(events[0]).toMatchObject({ arguments: '{}' })
  })

  it('is read in the time of its length', () => {
    const filled = filledWith('word ')
    const pieces = (whole: string) => Array.from({ length: Math.ceil(whole.length / 16) }, (_, at) => textDelta(whole.slice(at * 16, at * 16 + 16)))
    const run = (whole: string) => decode('stream', [messageStart('m1'), blockStart(), ...pieces(whole), printed('m1', [text(whole)]), result(whole)])
    expect(said(run(filled(LARGE)).events)).toBe(filled(LARGE))
    expect(growth(filled, run, 8)).toBeLessThan(STEEPEST)
    const blocks = (whole: string) => Array.from({ length: whole.length / 8 }, (_, at) => printed('m1', [text(`${at}`)]))
    for (const mode of MODES) expect(growth(filled, (whole) => decode(mode, [...blocks(whole), result('x')]), 8)).toBeLessThan(STEEPEST)
  })
})
