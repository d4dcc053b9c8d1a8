import { describe, expect, it } from 'vitest'
import { geminiCli } from '../../../../src/engines/cli/gemini-cli/program.ts'
import { outputLine } from '../../../../src/engines/cli/output-line.ts'
import { type Decoded, decoded, ODD_LINES, type Output, textsOf } from '../decoded.ts'

/** Lines worded by us after cli-engines.md §4 and the sources of the program. */
type Line = Readonly<Record<string, unknown>>

const said = (content: string): Line => ({ type: 'message', role: 'assistant', content, delta: true })
const STATS = { total_tokens: 30, input_tokens: 20, output_tokens: 6, cached: 5, input: 15, duration_ms: 1, tool_calls: 0 }
const result = (more: Line = {}): Line => ({ type: 'result', status: 'success', stats: STATS, ...more })
const INIT: Line = { type: 'init', session_id: 's', model: 'gemini-2.5-pro' }
const PROMPT: Line = { type: 'message', role: 'user', content: 'what the user said' }
const USE: Line = { type: 'tool_use', tool_name: 'read_file', tool_id: 'r1', parameters: { path: 'a' } }
const BACK: Line = { type: 'tool_result', tool_id: 'r1', status: 'success', output: 'text' }
const usageEvent = { type: 'usage', input: 20, output: 10, cachedInput: 5 }
const WHOLE = { completed: true, finish: 'stop' }

const run = (stdout: readonly unknown[], more: Partial<Output> = {}): Decoded => decoded(geminiCli, 'stream', { stdout, ...more })

describe('cli-engines.md §4 the answer of the Gemini CLI', () => {
  it.each(['stream', 'call'] as const)('is told in one, when it is whole (%s)', (mode) => {
    expect(decoded(geminiCli, mode, { stdout: [INIT, PROMPT, said('Hello '), said('world.'), result()] })).toEqual({
      events: [{ type: 'text', text: 'Hello world.' }, usageEvent],
      end: WHOLE,
      broken: null,
      over: true,
    })
  })

  it('is held back while it is made: after a retry it begins anew, and a reader would see it twice', () => {
    const decoder = geminiCli.decoder('stream')
    const told: unknown[] = []
    for (const line of [INIT, said('Hello from th'), said('Hello from th')])
      decoder.take(outputLine('stdout', JSON.stringify(line)), (event) => told.push(event))
    expect([told, decoder.over]).toEqual([[], false])
    const failed = result({ status: 'error', error: { message: '[API Error: terminated]' }, stats: {} })
    decoder.take(outputLine('stdout', JSON.stringify(failed)), (event) => told.push(event))
    expect([told, decoder.over, decoder.end(1, (event) => told.push(event)), told]).toEqual([[], true, { completed: false }, []])
  })

  it('has its texts parted by a blank line where tools ran, which are told at once', () => {
    const { events } = run([said('I '), said('look.'), USE, BACK, said('It is '), said('text.'), result()])
    expect(events).toEqual([
      { type: 'providerToolCall', id: 'r1', name: 'read_file', arguments: '{"path":"a"}' },
      { type: 'providerToolResult', id: 'r1', name: null, output: 'text' },
      { type: 'text', text: 'I look.\n\nIt is text.' },
      usageEvent,
    ])
  })

  it.each<[string, Line, string]>([
    ['an error for its output', { ...BACK, output: undefined, status: 'error', error: { type: 'X', message: 'no such file' } }, 'no such file'],
    ['neither', { ...BACK, output: undefined }, ''],
    ['an output that is no text', { ...BACK, output: [1, 2] }, '[1,2]'],
  ])('a tool with %s', (_what, line, output) => {
    expect(run([line]).events).toEqual([{ type: 'providerToolResult', id: 'r1', name: null, output }])
  })
})

describe('cli-engines.md §4 complete', () => {
  const answer = [said('Hello.')]
  it.each<[string, readonly unknown[], Partial<Output>]>([
    ['an error with an exit', [...answer, result({ status: 'error' })], { exitCode: 173 }],
    ['an error that exits with 0', [...answer, result({ status: 'error' })], {}],
    ['an error event before a success', [...answer, { type: 'error', severity: 'error', message: 'Maximum session turns exceeded' }, result()], {}],
    ['an exit that says otherwise', [...answer, result()], { exitCode: 1 }],
    ['no result', answer, {}],
    ['nothing at all', [], {}],
  ])('is not: %s', (_what, stdout, more) => {
    const { end, events } = run(stdout, more)
    expect([end, textsOf(events)]).toEqual([{ completed: false }, []])
  })

  it('is one that stayed after its result and was stopped, and one with a warning', () => {
    const warning = { type: 'error', severity: 'warning', message: 'Loop detected, stopping execution' }
    expect(run([...answer, warning, result()], { exitCode: null, stderr: ['Ripgrep is not available.'] }).end).toEqual(WHOLE)
  })

  it.each<[string, readonly unknown[]]>([
    ['no text', [INIT, result()]],
    ['tools alone', [USE, BACK, result()]],
    ['blank text', [said(' \n'), result()]],
  ])('R19 is an empty answer, for the walk to judge: %s', (_what, stdout) => {
    const { end, events } = run(stdout)
    expect([end, textsOf(events)]).toEqual([WHOLE, []])
    expect(run(stdout, { exitCode: 1 }).end).toEqual({ completed: false })
  })

  it('nothing is read behind the result', () => {
    const { events } = run([...answer, result(), said('More.'), USE, result({ status: 'error' })])
    expect(events).toEqual([{ type: 'text', text: 'Hello.' }, usageEvent])
  })

  it.each<[string, Line, boolean]>([
    ['text', said('More.'), true],
    ['a tool', USE, true],
    ['a message of nothing', said(''), false],
    ['the text of the user', PROMPT, false],
    ['a second result', result(), false],
  ])('R25 whether the model went on behind it: %s', (_what, line, contentAfter) => {
    expect(run([...answer, result(), line]).contentAfter ?? false).toBe(contentAfter)
    expect(run([...answer, line]).contentAfter).toBeUndefined()
  })
})

describe('R1 an answer that the Gemini CLI printed twice is not told', () => {
  const at = (ms: number) => new Date(Date.UTC(2026, 10, 30, 20) + ms).toISOString()
  const pieces = (...list: readonly (readonly [number, string])[]) => list.map(([ms, content]) => ({ ...said(content), timestamp: at(ms) }))
  const twice = pieces([0, 'Hello '], [5, 'fr'], [1_300, 'Hel'], [1_301, 'lo from me'])

  it('where it asked again behind a broken stream and says so with a success', () => {
    const { events, ...end } = run([INIT, ...twice, result()])
    expect(events).toEqual([usageEvent])
    expect(end).toEqual({ end: { completed: false }, broken: 'it began its answer again after a break, and printed both', over: true })
  })

  it.each<[string, readonly unknown[]]>([
    ['in the turn after a tool', [...pieces([0, 'I look. ']), USE, BACK, ...pieces([9_000, 'It is a fi'], [10_500, 'It is a file.']), result()]],
    ['behind a whole sentence', [...pieces([0, 'Hello. I am'], [2, ' here.'], [1_300, 'Hello. I am here. Are you?']), result()]],
    ['at the third try', [...pieces([0, 'Once upon a ti'], [1_100, 'There w'], [3_200, 'Once upon a time.']), result()]],
    ['behind a pause of its own', [...pieces([0, 'Once upon '], [1_100, 'a ti'], [3_200, 'Once upon a time.']), result()]],
    [
      'in other words behind its first 24 characters',
      [...pieces([0, 'One two three four fives six se'], [999, 'One two three four fives7']), result()],
    ],
    ['when the answer was whole but for its end', [...pieces([0, 'Hello from me'], [1_000, 'Hello from me']), result()]],
  ])('%s', (_what, lines) => {
    expect([run(lines).broken === null, textsOf(run(lines).events)]).toEqual([false, []])
  })

  it('a run that fails after all tells why instead', () => {
    expect(run([...twice, result({ status: 'error' })], { exitCode: 173 })).toMatchObject({ broken: null, end: { completed: false } })
  })

  it.each<[string, readonly unknown[]]>([
    ['without a pause', pieces([0, 'Hello fr'], [980, 'Hello from me'])],
    ['without times', [said('Hello fr'), said('Hello from me')]],
    ['with times that are none', twice.map((line) => ({ ...line, timestamp: 'soon' }))],
    ['where a word or a line had ended', pieces([0, 'Again and again. '], [1_500, 'Again and again. '], [3_000, 'Again and again.'])],
    ['of few characters', pieces([0, 'Hello f'], [1_300, 'Hello from me'])],
    ['of one unit', pieces([0, 'hahahahaha'], [1_300, 'hahahahaha'])],
    ['a pause and other words', pieces([0, 'Hello fr'], [1_300, 'om me. Hello from me.'])],
    ['across a tool', [...pieces([0, 'Hello fr']), USE, BACK, ...pieces([1_300, 'Hello from me'])]],
  ])('but one that repeats itself is its own: %s', (_what, lines) => {
    const { end, broken, events } = run([...lines, result()])
    expect([end, broken, textsOf(events).length]).toEqual([WHOLE, null, 1])
  })
})

describe('R34 the usage of the Gemini CLI', () => {
  it.each<[string, Line, unknown]>([
    ['thoughts are in the total alone', STATS, { input: 20, output: 10, cachedInput: 5 }],
    ['a total without thoughts', { ...STATS, total_tokens: 26 }, { input: 20, output: 6, cachedInput: 5 }],
    ['a total that is too small', { ...STATS, total_tokens: 3 }, { input: 20, output: 6, cachedInput: 5 }],
    ['no total', { input_tokens: 20, output_tokens: 6 }, { input: 20, output: 6 }],
    ['counts that are none', { input_tokens: '20', output_tokens: null, total_tokens: 7 }, undefined],
    ['all zero is unknown', { input_tokens: 0, output_tokens: 0, total_tokens: 0, cached: 0 }, undefined],
  ])('%s', (_what, stats, expected) => {
    const { events } = run([said('Yes.'), result({ stats })])
    expect(events.find(({ type }) => type === 'usage')).toEqual(expected === undefined ? undefined : { type: 'usage', ...expected })
  })

  it('of a run that failed is told too', () => {
    expect(run([result({ status: 'error' })], { exitCode: 244 }).events).toEqual([usageEvent])
  })
})

describe('CliDecoder 2: never throws', () => {
  it('odd lines between those of an answer change nothing', () => {
    const lines = [INIT, said('Hel'), said('lo'), result()]
    const odd = ODD_LINES.filter((line) => !JSON.stringify(line).includes('"tool_'))
    expect(
      run(
        lines.flatMap((line) => [...odd, line]),
        { stderr: odd.map(String) },
      ),
    ).toEqual(run(lines))
  })

  it('a tool whose fields are none is told as far as it can be', () => {
    expect(run(ODD_LINES).events).toEqual([
      { type: 'providerToolCall', id: null, name: '', arguments: '{}' },
      { type: 'providerToolResult', id: null, name: null, output: '[1]' },
    ])
  })
})
