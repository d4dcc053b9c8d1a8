import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agy } from '../../../../src/engines/cli/agy/program.ts'
import { type Decoded, decoded, ODD_LINES, type Output, textsOf } from '../decoded.ts'

/** Lines worded by us after cli-engines.md §5. */
type Line = Readonly<Record<string, unknown>>

const update = (step: Line): Line => ({ event: 'step_update', step_update: { conversation_id: 'c1', ...step } })
const said = (index: number, text: string, state = 'ACTIVE'): Line =>
  update({ step_index: index, step_type: 'agent_response', state, ...(text === '' ? {} : { text_delta: text }) })
const tool = (index: number | undefined, state: string, info: Line): Line =>
  update({
    step_index: index,
    step_type: 'tool',
    tool_name: 'run_command',
    state,
    tool_info: { name: 'run_command', parameters: { line: 'ls' }, ...info },
  })
const USAGE = { input_tokens: 20, output_tokens: 6, thinking_tokens: 2, cache_read_tokens: 5, total_tokens: 26 }
const result = (response: unknown, more: Line = {}): Line => ({
  event: 'result',
  result: { conversation_id: 'c1', status: 'SUCCESS', response, num_turns: 1, usage: USAGE, ...more },
})
const INIT: Line = { event: 'init', conversation_id: 'c1', init: { model: 'gemini-3', cwd: '/', tools: [] } }
const PROMPT = update({ step_index: 0, step_type: 'user_input', state: 'DONE', text_delta: 'what the user said' })
const usageEvent = { type: 'usage', input: 20, output: 6, cachedInput: 5 }
const WHOLE = { completed: true, finish: 'stop' }

const stream = (stdout: readonly unknown[], more: Partial<Output> = {}): Decoded => decoded(agy, 'stream', { stdout, ...more })

describe('cli-engines.md §5 the answer of agy', () => {
  it('is told as it comes; the last piece comes with the end of its step', () => {
    const lines = [
      INIT,
      PROMPT,
      said(1, 'Hello '),
      said(1, 'wor'),
      said(1, 'ld.', 'DONE'),
      update({ step_index: 2, step_type: 'checkpoint' }),
      result('Hello world.'),
    ]
    expect(stream(lines)).toEqual({
      events: [{ type: 'text', text: 'Hello ' }, { type: 'text', text: 'wor' }, { type: 'text', text: 'ld.' }, usageEvent],
      end: WHOLE,
      broken: null,
      over: true,
    })
  })

  it('as a call is the response alone', () => {
    const { events, end } = decoded(agy, 'call', { stdout: [INIT, said(1, 'Hel'), said(1, 'lo', 'DONE'), result('Hello')] })
    expect([events, end]).toEqual([[{ type: 'text', text: 'Hello' }, usageEvent], WHOLE])
  })

  it.each<[string, Line[], string, string[]]>([
    ['nothing was streamed', [INIT], 'All of it.', ['All of it.']],
    ['white space was streamed', [said(1, '\n', 'DONE')], 'All of it.', ['\n', 'All of it.']],
    ['a beginning of it was streamed', [said(1, 'All of')], 'All of it.', ['All of', ' it.']],
    ['the response is the last step alone', [said(1, 'First.', 'DONE'), said(3, 'Sec', 'DONE')], 'Second.', ['First.', '\n\n', 'Sec', 'ond.']],
    [
      'the response is all steps in one',
      [said(1, 'One.', 'DONE'), said(3, 'Two.', 'DONE')],
      'One.Two.\n\n> Warning: x',
      ['One.', '\n\n', 'Two.', '\n\n> Warning: x'],
    ],
    ['the response was trimmed', [said(1, 'pong\n', 'DONE')], 'pong', ['pong\n']],
    ['steps that end in a line feed', [said(1, 'a\n', 'DONE'), said(2, 'b\n\n', 'DONE'), said(3, 'c', 'DONE')], 'c', ['a\n', '\n', 'b\n\n', 'c']],
    ['a step without text does not part', [said(1, '', 'DONE'), said(2, 'a'), said(2, '', 'DONE')], 'a', ['a']],
    ['steps parted by other white space', [said(1, 'One.', 'DONE'), said(3, 'Tw')], 'One.\n\nTwo.', ['One.', '\n\n', 'Tw', 'o.']],
    ['the response is a step before the last', [said(1, 'One.', 'DONE'), said(3, 'Bye.', 'DONE')], 'One.', ['One.', '\n\n', 'Bye.']],
    ['a last step that was white space so far', [said(1, ' ', 'DONE'), said(3, ' ')], ' !', [' ', '\n\n', ' ', '!']],
    ['a word that is said twice', [said(1, 'ha'), said(1, 'ha', 'DONE')], 'haha', ['ha', 'ha']],
  ])('what the response holds beyond the stream is told: %s', (_what, lines, response, texts) => {
    const { events, end } = stream([...lines, result(response)])
    expect([textsOf(events), end]).toEqual([texts, WHOLE])
  })

  it('R25 a response that goes on from nothing that was told is no whole answer: a reader has a part of another', () => {
    for (const response of ['Quite another.', 'Hello you', 'He'.repeat(10)])
      expect(stream([said(1, 'Hello w', 'DONE'), result(response)])).toMatchObject({ end: { completed: false } })
    expect(textsOf(stream([said(1, 'Hello w', 'DONE'), result('Hello you')]).events)).toEqual(['Hello w'])
  })

  it('an answer begun anew after its step had failed breaks the run, and nothing more is told', () => {
    const { events, broken, over } = stream([said(1, 'Hel'), said(1, '', 'ERROR'), said(2, 'Hello'), said(2, ' you', 'DONE'), result('Hello you')])
    expect([textsOf(events), broken, over]).toEqual([['Hel'], 'it began its answer anew after a step of it had failed', false])
    expect(stream([said(1, '', 'ERROR'), said(2, 'Hello', 'DONE'), result('Hello')]).end).toEqual(WHOLE)
  })

  it('is no text of the user, of the system, of a subagent or of a tool', () => {
    const others = ['user_input', 'system_message', 'subagent', 'tool', 'checkpoint', 'novel'].map((step_type, step_index) =>
      update({ step_type, step_index, state: 'DONE', text_delta: 'not the answer' }),
    )
    expect(textsOf(stream([...others, result('Yes.')]).events)).toEqual(['Yes.'])
  })
})

describe('CliDecoder 3: text is told once, all of it', () => {
  const piece = fc.string({ minLength: 1, unit: 'grapheme' })
  const steps = fc.array(fc.array(piece, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
  const linesOf = (texts: readonly (readonly string[])[]) =>
    texts.flatMap((pieces, step) => pieces.map((text, index) => said(2 * step + 1, text, index === pieces.length - 1 ? 'DONE' : 'ACTIVE')))

  it('however an answer is cut into pieces and steps, whether the response is the whole or the last step, and however much was streamed', () => {
    fc.assert(
      fc.property(steps, fc.boolean(), fc.nat(), (texts, isWhole, streamed) => {
        const whole = texts.flat().join('')
        const last = texts.at(-1)?.join('') ?? ''
        const response = isWhole ? whole : last
        fc.pre(response.trim() !== '')
        const lines = linesOf(texts)
        // The stream may end early, inside the last step, where the response brings the rest.
        const shown = lines.slice(0, lines.length - (streamed % (texts.at(-1)?.length ?? 1)))
        const all = shown.map((line) => (line['step_update'] as Line)['text_delta']).join('')
        // Where the last step begins with all that came before it, the response could be either.
        fc.pre(isWhole || shown.length === lines.length || !last.startsWith(all))
        const { events, end } = stream([...shown, result(response)])
        expect(end).toEqual(WHOLE)
        const told = textsOf(events).join('')
        expect(told.replaceAll('\n', '')).toBe(whole.replaceAll('\n', ''))
        for (const text of texts) expect(told).toContain(text.join(''))
      }),
    )
  })
})

describe('cli-engines.md §5 complete', () => {
  const answer = [said(1, 'Hello.', 'DONE')]
  it.each<[string, readonly unknown[], Partial<Output>]>([
    ['an error', [...answer, result('Hello.', { status: 'ERROR', error: 'no' })], { exitCode: 3 }],
    ['an error that exits with 0', [...answer, result('Hello.', { status: 'ERROR' })], {}],
    ['a status that is new', [...answer, result('Hello.', { status: 'CANCELED' })], {}],
    ['no response', [...answer, result('')], {}],
    ['a blank response', [...answer, result(' \n')], {}],
    ['a response that is no text', [...answer, result({ a: 1 })], {}],
    ['an action that was denied', [...answer, result('Hello.', { denied_actions: [{ action: 'command' }] })], {}],
    [
      'its print timeout',
      [...answer, result('Hello.')],
      { stderr: ['[agy] print timeout after 5m0s with turn in progress; returning partial output'] },
    ],
    ['an exit that says otherwise', [...answer, result('Hello.')], { exitCode: 1 }],
    ['no result', answer, {}],
    ['nothing at all', [], {}],
  ])('is not: %s', (_what, stdout, more) => {
    expect(stream(stdout, more).end).toEqual({ completed: false })
    expect(decoded(agy, 'call', { stdout, ...more }).end).toEqual({ completed: false })
    expect(textsOf(decoded(agy, 'call', { stdout, ...more }).events)).toEqual([])
  })

  it('is one that stayed after its result and was stopped; other words on stderr say nothing', () => {
    const lines = [...answer, result('Hello.', { denied_actions: [] })]
    expect(stream(lines, { exitCode: null, stderr: ['warning: conversation not found', 'AGY_ERROR: {}'] }).end).toEqual(WHOLE)
  })

  it('nothing is read behind the result', () => {
    expect(textsOf(stream([...answer, result('Hello.'), said(2, 'More.', 'DONE'), result('More.')]).events)).toEqual(['Hello.'])
  })

  it.each<[string, Line, boolean]>([
    ['text', said(2, 'More.', 'DONE'), true],
    ['a tool', tool(2, 'ACTIVE', {}), true],
    ['a step without text', said(2, '', 'DONE'), false],
    ['the text of the user', PROMPT, false],
    ['a step that is none', { event: 'step_update', step_update: 7 }, false],
    ['a second result', result('More.'), false],
  ])('R25 whether the model went on behind it: %s', (_what, line, contentAfter) => {
    expect(stream([...answer, result('Hello.'), line]).contentAfter ?? false).toBe(contentAfter)
    expect(stream([...answer, line]).contentAfter).toBeUndefined()
  })
})

describe('cli-engines.md §5 the tools of agy', () => {
  const CALL = { type: 'providerToolCall', id: 'step-2', name: 'run_command', arguments: '{"line":"ls"}' }
  const back = (output: string) => ({ type: 'providerToolResult', id: 'step-2', name: 'run_command', output })
  it.each<[string, Line[], unknown[]]>([
    ['started and ended', [tool(2, 'ACTIVE', {}), tool(2, 'DONE', { output: 'a.txt' })], [CALL, back('a.txt')]],
    ['seen only when it had ended', [tool(2, 'DONE', { output: 'a.txt' })], [CALL, back('a.txt')]],
    ['told again and again', [tool(2, 'ACTIVE', {}), tool(2, 'ACTIVE', {}), tool(2, 'DONE', {}), tool(2, 'DONE', { output: 'x' })], [CALL, back('')]],
    ['failed', [tool(2, 'ACTIVE', {}), tool(2, 'ERROR', { error: { type: 'TOOL_ERROR', message: 'denied' } })], [CALL, back('denied')]],
    ['an output that is no text', [tool(2, 'DONE', { output: { lines: 2 } })], [CALL, back('{"lines":2}')]],
    ['a state that is new', [tool(2, 'WAITING', {})], [CALL]],
    ['no parameters', [update({ step_index: 2, step_type: 'tool', tool_name: 'run_command', state: 'ACTIVE' })], [{ ...CALL, arguments: '{}' }]],
    [
      'a subagent',
      [update({ step_index: 2, step_type: 'subagent', state: 'ACTIVE' })],
      [{ type: 'providerToolCall', id: 'step-2', name: 'subagent', arguments: '{}' }],
    ],
  ])('%s', (_what, lines, events) => {
    expect(stream(lines).events).toEqual(events)
    expect(decoded(agy, 'call', { stdout: lines }).events).toEqual(events)
  })

  it('two without an index are two, one after the other', () => {
    const one = [tool(undefined, 'ACTIVE', {}), tool(undefined, 'DONE', { output: 'x' })]
    const events = [
      { type: 'providerToolCall', id: null, name: 'run_command', arguments: '{"line":"ls"}' },
      { type: 'providerToolResult', id: null, name: 'run_command', output: 'x' },
    ]
    expect(stream([...one, ...one]).events).toEqual([...events, ...events])
  })
})

describe('R34 the usage of agy', () => {
  it.each<[string, Line, unknown]>([
    [
      'thoughts and cached tokens are inside',
      { input_tokens: 20, output_tokens: 6, thinking_tokens: 2, cache_read_tokens: 5, total_tokens: 26 },
      { input: 20, output: 6, cachedInput: 5 },
    ],
    [
      'thoughts are counted apart',
      { input_tokens: 20, output_tokens: 6, thinking_tokens: 2, cache_read_tokens: 5, total_tokens: 28 },
      { input: 20, output: 8, cachedInput: 5 },
    ],
    [
      'cached tokens are counted apart',
      { input_tokens: 20, output_tokens: 6, thinking_tokens: 2, cache_read_tokens: 5, total_tokens: 31 },
      { input: 25, output: 6, cachedInput: 5 },
    ],
    [
      'both are counted apart',
      { input_tokens: 20, output_tokens: 6, thinking_tokens: 2, cache_read_tokens: 5, total_tokens: 33 },
      { input: 25, output: 8, cachedInput: 5 },
    ],
    ['a total that says something else', { input_tokens: 20, output_tokens: 6, total_tokens: 99 }, { input: 20, output: 6 }],
    ['no total', { input_tokens: 20, output_tokens: 6, cache_read_tokens: 5 }, { input: 20, output: 6, cachedInput: 5 }],
    ['counts that are none', { input_tokens: -1, output_tokens: 6.5, total_tokens: 3 }, undefined],
    ['all zero is unknown', { input_tokens: 0, output_tokens: 0, thinking_tokens: 0, cache_read_tokens: 0, total_tokens: 0 }, undefined],
  ])('%s', (_what, usage, expected) => {
    const { events } = stream([result('Yes.', { usage })])
    expect(events.find(({ type }) => type === 'usage')).toEqual(expected === undefined ? undefined : { type: 'usage', ...expected })
  })

  it('of a run that failed is told too', () => {
    expect(stream([result('', { status: 'ERROR' })], { exitCode: 3 }).events).toEqual([usageEvent])
  })
})

describe('CliDecoder 2: never throws', () => {
  it('odd lines between those of an answer change nothing', () => {
    const lines = [INIT, said(1, 'Hel'), said(1, 'lo', 'DONE'), result('Hello')]
    const odd = ODD_LINES.filter((line) => !JSON.stringify(line).includes('"tool'))
    for (const mode of ['stream', 'call'] as const) {
      const plain = decoded(agy, mode, { stdout: lines })
      expect(decoded(agy, mode, { stdout: lines.flatMap((line) => [...odd, line]), stderr: odd.map(String) })).toEqual(plain)
    }
  })

  it('a tool whose arguments nest deeper than can be written is told with none', () => {
    expect(stream(ODD_LINES).events.map(({ type }) => type)).toContain('providerToolCall')
  })
})
