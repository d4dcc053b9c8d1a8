import { describe, expect, it } from 'vitest'
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
  text,
  textDelta,
  thinkingDelta,
  toolResult,
  toolUse,
  usageEvent,
} from './lines.ts'

const BASH = toolUse('t1', 'Bash', { command: 'ls' })
const CALL = { type: 'providerToolCall', id: 't1', name: 'Bash', arguments: '{"command":"ls"}' }
const OUTPUT = { type: 'providerToolResult', id: 't1', name: null, output: 'a\nb' }
const INIT: Line = { type: 'system', subtype: 'init', model: 'claude-sonnet-4-5' }

describe('cli-engines.md §2 a streamed answer', () => {
  it('is told as it comes, and the printed message is not told again', () => {
    const lines = [INIT, messageStart('m1'), ...streamed('m1', 'Hello ', 'world.'), ...messageEnd('end_turn'), result('Hello world.')]
    expect(decode('stream', lines)).toEqual({
      events: [{ type: 'text', text: 'Hello ' }, { type: 'text', text: 'world.' }, usageEvent],
      end: { completed: true, finish: 'stop' },
      broken: null,
      over: true,
    })
  })

  it('parts messages by a blank line and tells tools where they ran', () => {
    const lines = [
      messageStart('m1'),
      blockStart('thinking'),
      thinkingDelta('Hm.'),
      printed('m1', [{ type: 'thinking', thinking: 'Hm.', signature: 's' }]),
      ...streamed('m1', 'I look.'),
      printed('m1', [BASH]),
      // As seen: a tool may answer before its message is finished.
      reply([toolResult('t1', [text('a'), text('b')])]),
      ...messageEnd('tool_use'),
      messageStart('m2'),
      ...streamed('m2', 'Two ', 'files.'),
      ...messageEnd('end_turn'),
      result('Two files.'),
    ]
    expect(decode('stream', lines).events).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'I look.' },
      CALL,
      OUTPUT,
      { type: 'text', text: '\n\nTwo ' },
      { type: 'text', text: 'files.' },
      usageEvent,
    ])
  })

  it('blocks of one message stand side by side', () => {
    const lines = [messageStart('m1'), ...streamed('m1', 'One.'), ...streamed('m1', ' Two.'), ...messageEnd('end_turn'), result(' Two.')]
    expect(said(decode('stream', lines).events)).toBe('One. Two.')
  })

  it('a message that a bound cut off goes on in the next, in the middle of a word', () => {
    const lines = [
      messageStart('m1'),
      ...streamed('m1', 'An unfin'),
      ...messageEnd('max_tokens'),
      messageStart('m2'),
      ...streamed('m2', 'ished word.'),
      ...messageEnd('end_turn'),
      result('ished word.'),
    ]
    expect(said(decode('stream', lines).events)).toBe('An unfinished word.')
    expect(said(decode('call', [printed('m1', [text('An unfin')]), printed('m2', [text('ished word.')]), result('ished word.')]).events)).toBe(
      'An unfinished word.',
    )
  })

  it('is told from the printed messages where none was streamed', () => {
    const thought = printed('m1', [{ type: 'thinking', thinking: 'Hm.' }])
    const lines = [
      thought,
      printed('m1', [text('I look.')]),
      printed('m1', [BASH]),
      reply([toolResult('t1', 'a\nb')]),
      printed('m2', [text('Done.')]),
      result('Done.'),
    ]
    expect(decode('stream', lines).events).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'I look.' },
      CALL,
      OUTPUT,
      { type: 'text', text: '\n\nDone.' },
      usageEvent,
    ])
  })

  it('is told from the result where no message was', () => {
    expect(decode('stream', [result('Hi.')]).events).toEqual([{ type: 'text', text: 'Hi.' }, usageEvent])
  })

  it('what is printed adds only what was not streamed of it; trimmed or empty it adds nothing', () => {
    const run = (first: Line[], whole: string) =>
      said(decode('stream', [messageStart('m1'), ...first, printed('m1', [text(whole)]), result(whole)]).events)
    expect(run([blockStart(), textDelta('Hello fr')], 'Hello from here.')).toBe('Hello from here.')
    expect(run([blockStart()], 'Hello.')).toBe('Hello.')
    expect(run([blockStart(), textDelta('\nHello.\n')], 'Hello.')).toBe('\nHello.\n')
    expect(run([blockStart(), textDelta('\n')], '(no content)')).toBe('\n')
    expect(run([], '(no content)')).toBe('')
    expect(run([blockStart()], '(no content)')).toBe('')
    expect(run([blockStart(), textDelta('Hello.'), printed('m1', [text('Hello.')]), textDelta('Hello.')], 'Hello.')).toBe('Hello.')
  })
})

describe('R25 the result is the measure of what was streamed', () => {
  const half = [messageStart('m1'), blockStart(), textDelta('Half of')]

  it('what is missing of the last block is told from it', () => {
    expect(said(decode('stream', [...half, result('Half of it.')]).events)).toBe('Half of it.')
    expect(said(decode('stream', [...half, printed('m1', [text('Half of it')]), result('Half of it.')]).events)).toBe('Half of it.')
    expect(said(decode('stream', [messageStart('m1'), ...streamed('m1', 'One.'), ...streamed('m1', 'Two'), result('Two.')]).events)).toBe('One.Two.')
  })

  it('an unfinished message that it does not go on from is no answer', () => {
    expect(decode('stream', [...half, result('Another.')])).toMatchObject({ events: [{ text: 'Half of' }, usageEvent], end: { completed: false } })
    expect(decode('stream', [...half, ...messageEnd('end_turn'), result('Another.')]).end.completed).toBe(true)
    expect(decode('stream', [...half, textDelta(' it.\n'), result('Half of it.')]).end.completed).toBe(true)
  })
})

describe('R27 text that was told is never told again', () => {
  const half = [messageStart('m1'), blockStart(), textDelta('Half of')]

  it('a message that begins over an unfinished one breaks the run', () => {
    const { broken, events, end } = decode('stream', [...half, messageStart('m2'), blockStart(), textDelta('Half of it.'), result('Half of it.')])
    expect(broken).toBe('it began its answer anew, after a part of it was told')
    expect(events).toEqual([{ type: 'text', text: 'Half of' }])
    expect(end).toEqual({ completed: false })
  })

  it('one over a message without text does not', () => {
    const lines = [messageStart('m1'), blockStart('thinking'), thinkingDelta('Hm.'), messageStart('m2'), ...streamed('m2', 'Hi.'), result('Hi.')]
    expect(decode('stream', lines)).toMatchObject({ broken: null, end: { completed: true, finish: 'stop' } })
  })

  it('a message printed in place of an unfinished one must go on from what was told', () => {
    const other = { stop_reason: 'end_turn' }
    const again = (...blocks: string[]) =>
      blocks.map((block) => printed('m2', [text(block)], { message: { id: 'm2', model: 'claude', content: [text(block)], ...other } }))
    const same = decode('stream', [...half, ...again('Half of it.'), result('Half of it.')])
    expect(same).toMatchObject({ broken: null, end: { completed: true } })
    expect(said(same.events)).toBe('Half of it.')
    const another = decode('stream', [...half, ...again('A new answer.'), result('A new answer.')])
    expect(another).toMatchObject({ broken: 'it began its answer anew, after a part of it was told', end: { completed: false } })
    expect(said(another.events)).toBe('Half of')
  })

  it('one printed in place of several blocks goes on from all of them, block by block', () => {
    const told = [messageStart('m1'), ...streamed('m1', 'One. '), blockStart(), textDelta('Tw')]
    const printing = (...blocks: string[]) => decode('stream', [...told, ...blocks.map((block) => printed('m2', [text(block)])), result('x')])
    expect(printing('One. ', 'Two. ', 'Three.')).toMatchObject({ broken: null })
    expect(said(printing('One. ', 'Two. ', 'Three.').events)).toBe('One. Two. Three.')
    expect(printing('Eins. ', 'Two. ').broken).not.toBeNull()
    expect(printing('One. ', 'Zwei. ').broken).not.toBeNull()
  })

  it('one that is printed with its reason to stop is finished, and another may begin', () => {
    const whole = printed('m2', [], { message: { id: 'm2', model: 'claude', content: [text('Half of it.')], stop_reason: 'tool_use' } })
    const { broken, events } = decode('stream', [
      ...half,
      whole,
      reply([toolResult('t1', 'x')]),
      messageStart('m3'),
      ...streamed('m3', 'More.'),
      result('More.'),
    ])
    expect(broken).toBeNull()
    expect(said(events)).toBe('Half of it.\n\nMore.')
  })

  it('a tool is told once, by its id', () => {
    const lines = [printed('m1', [BASH]), printed('m1', [BASH]), reply([toolResult('t1', 'a\nb')]), reply([toolResult('t1', 'a\nb')]), result('')]
    expect(decode('stream', lines).events).toEqual([CALL, OUTPUT, usageEvent])
  })
})

describe('cli-engines.md §2 an answer that is not streamed', () => {
  it('R27 is the result, once, at the end; thoughts and tools are told where they came', () => {
    const lines = [
      printed('m1', [{ type: 'thinking', thinking: 'Hm.' }]),
      printed('m1', [text('I look.')]),
      printed('m1', [BASH]),
      reply([toolResult('t1', 'a\nb')]),
      printed('m2', [text('Done.')]),
      result('Done.'),
    ]
    expect(decode('call', lines)).toMatchObject({
      events: [{ type: 'reasoning', text: 'Hm.' }, CALL, OUTPUT, { type: 'text', text: 'Done.' }, usageEvent],
      end: { completed: true, finish: 'stop' },
    })
  })

  it('has all blocks of its message, and no streamed piece', () => {
    expect(said(decode('call', [printed('m1', [text('One.'), text(' Two.')]), result(' Two.')]).events)).toBe('One. Two.')
    expect(said(decode('call', [messageStart('m1'), ...streamed('m1', 'Hi.'), result('Hi.')]).events)).toBe('Hi.')
    expect(said(decode('call', [printed('m1', [text('One.')]), result('Another.')]).events)).toBe('Another.')
  })
})
