import { describe, expect, it } from 'vitest'
import {
  LONGEST_PAUSE_MS,
  played,
  RECORDING_BOUNDS,
  RecordedStates,
  type Recording,
  RecordingReader,
} from '../../../../src/faces/page/client/recording.ts'
import { reduced } from '../../../../src/faces/page/client/reduce.ts'
import { SseReader } from '../../../../src/faces/page/client/sse-reader.ts'
import { EMPTY } from '../../../../src/faces/page/client/state.ts'
import type { PageEvent } from '../../../../src/faces/page/page-event.ts'
import { BEGIN, recordedLines, sampleEvents } from '../../../browser/page/sample.ts'

function read(text: string, pieceLength = text.length): Recording {
  const reader = new RecordingReader()
  for (let from = 0; from < text.length; from += pieceLength) reader.add(text.slice(from, from + pieceLength))
  return reader.finish('file.jsonl')
}

const lines = recordedLines(sampleEvents())

describe('a recording', () => {
  it.each([1, 7, 100, 100_000])('is read whole from pieces of %i characters, with and without a last line end', (pieceLength) => {
    const { events, problems } = read(lines.join('\n'), pieceLength)
    expect(problems).toEqual([])
    expect(events).toEqual(lines.map((line) => JSON.parse(line)))
    expect(read(`${lines.join('\r\n')}\r\n`, pieceLength).events).toEqual(events)
  })

  it.each([
    ['{"type":"turn.told"', 'is no JSON'],
    ['[]', 'is no object'],
    ['null', 'is no object'],
    ['{"type":"turn.invented","at":1}', 'type "turn.invented" is not known'],
    ['{"type":"constructor","at":1}', 'type "constructor" is not known'],
    ['{"type":"page.time","at":1e400,"rate":1}', 'at is no number'],
    ['{"type":"page.time","at":9e15,"rate":1}', 'at is no instant'],
    ['{"type":"holds.changed","at":1,"kernel":"k","holds":[{"key":"a","untilAt":"x","reason":"limit"}]}', 'holds[0] untilAt is no number'],
    [
      '{"type":"turn.told","at":1,"kernel":"k","participant":null,"fact":{"type":"wait.ended","turn":"t","at":1}}',
      'fact cut is neither true nor false',
    ],
    [`{"type":"team.logged","at":1,"line":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 'line is no text'],
    [JSON.stringify({ type: 'actor.stepped', at: 1, kernel: 'x'.repeat(3_000) }), 'kernel is longer than 2000 characters'],
  ])('tells a line that cannot be read with its number, and shows the rest: %.60s', (line, problem) => {
    const { events, problems } = read([lines[0], line, ...lines.slice(1)].join('\n'))
    expect(problems).toEqual([{ line: 2, text: problem }])
    expect(events).toHaveLength(lines.length)
  })

  it('says where it is no beginning of a recording', () => {
    expect(read(lines.slice(1).join('\n')).problems).toEqual([{ line: 1, text: expect.stringContaining('not the beginning') }])
  })

  it('does not grow with a line without an end, nor with problems', () => {
    const long = read(`${lines[0]}\n${'x'.repeat(RECORDING_BOUNDS.lineCharacters * 3)}\n${lines[1]}`, 65_536)
    expect(long.problems).toEqual([{ line: 2, text: `is longer than ${RECORDING_BOUNDS.lineCharacters} characters` }])
    expect(long.events).toHaveLength(2)
    const bad = read('x\n'.repeat(5_000))
    expect([bad.problems.length, bad.problemCount]).toEqual([RECORDING_BOUNDS.problems, 5_000])
  })

  it('has the state at each of its events, in whatever order they are asked for', () => {
    const events = Array.from({ length: 200 }, () => lines.map((line) => JSON.parse(line) as PageEvent)).flat()
    const states = new RecordedStates(events)
    for (const position of [events.length, 0, 1_234, 3_999, 1_000, 1_001, 2_500]) {
      expect(states.at(position), `after ${position}`).toEqual(reduced(EMPTY, events.slice(0, position)))
    }
  })
})

describe('the player', () => {
  const at = (ms: number): PageEvent => ({ type: 'page.time', at: BEGIN + ms, rate: 1 })
  const events = [at(0), at(100), at(100), at(300), at(3_600_000), at(3_600_010)]

  it('takes the time between two events, at its speed', () => {
    expect(played(events, 1, 99, 1)).toEqual({ position: 1, leftMs: 99 })
    expect(played(events, 1, 100, 1)).toEqual({ position: 3, leftMs: 0 })
    expect(played(events, 1, 30, 10)).toEqual({ position: 4, leftMs: 0 })
  })

  it('waits no longer than a blink, whatever the speed', () => {
    expect(played(events, 4, LONGEST_PAUSE_MS - 1, 1).position).toBe(4)
    expect(played(events, 4, LONGEST_PAUSE_MS, 1).position).toBe(5)
  })

  it('comes to an end, also where instants go back', () => {
    expect(played([at(500), at(0), at(0)], 0, 1, 1)).toEqual({ position: 3, leftMs: 0 })
  })
})

describe('server-sent events', () => {
  const events = sampleEvents()
  const stream = events.map((event, index) => `id: ${index}\ndata: ${JSON.stringify(event)}\n\n:\n\n`).join('')

  it.each([1, 13, 1_000, stream.length])('are read from pieces of %i characters', (pieceLength) => {
    const reader = new SseReader()
    const heard: PageEvent[] = []
    for (let from = 0; from < stream.length; from += pieceLength) heard.push(...reader.add(stream.slice(from, from + pieceLength)))
    expect(heard).toEqual(events)
  })

  it('leave out what this page does not know', () => {
    const known = JSON.stringify(events[0])
    expect(new SseReader().add(`data: {"type":"new.thing","at":1}\n\ndata: {\n\ndata: ${known}\r\n\r\ndata:[${known},7]\n\n`)).toEqual([
      events[0],
      events[0],
    ])
  })
})
