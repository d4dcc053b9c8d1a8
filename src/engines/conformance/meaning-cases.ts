import { attemptCase, type ConformanceCase, expectEqual } from './case.ts'
import type { Recording } from './recording.ts'

/** What was said is what is told: text, reasoning, tool calls, usage, finish reasons, completion. */
export function meaningCases(): ConformanceCase[] {
  return [...completionCases(), ...finishCases(), ...toolCases(), ...contentCases(), ...usageCases()]
}

function completionCases(): ConformanceCase[] {
  return [
    attemptCase(
      'R25: bytes that end before the completion signal are truncated',
      { mode: 'stream', items: [{ events: [{ text: 'whole sentence.' }, { eof: true }] }] },
      (recording) => {
        recording.failure('truncated')
      },
    ),
    attemptCase(
      'R25: what came before a cut is kept',
      { mode: 'stream', items: [{ events: [{ text: 'whole sentence.' }, { eof: true }] }] },
      (recording) => {
        expectEqual('text before the cut', recording.text, 'whole sentence.')
      },
      'streaming',
    ),
    attemptCase('R25: a stream that ends without a byte is truncated', { mode: 'stream', items: [{ events: [{ eof: true }] }] }, (recording) => {
      recording.failure('truncated')
    }),
    attemptCase(
      'R25: content after the terminal marker is ignored and told',
      { mode: 'stream', items: [{ events: [{ text: 'a' }, { final: 'stop' }, { text: 'late' }] }] },
      (recording) => {
        expectEqual('text', recording.text, 'a')
        expectEqual('contentAfter', recording.final().contentAfter, true)
      },
    ),
    attemptCase(
      'R19: an empty stream ends in final, for the walk to judge, or is told as empty',
      { mode: 'stream', items: [{ events: [{ final: 'stop' }] }] },
      expectEmpty,
    ),
    attemptCase(
      'R19: an empty call ends in final, for the walk to judge, or is told as empty',
      { mode: 'call', items: [{ empty: true }] },
      expectEmpty,
    ),
  ]
}

function finishCases(): ConformanceCase[] {
  return [
    ...(['length', 'content_filter'] as const).map((finish) =>
      attemptCase(
        `R22: finish ${finish} is told`,
        { mode: 'stream', items: [{ events: [{ text: 'so far' }, { final: finish }] }] },
        (recording) => {
          if (finish === 'content_filter') expectRefused(recording)
          else expectEqual('finish', recording.final().finish, finish)
          expectEqual('text', recording.text, 'so far')
        },
        'finishReasons',
      ),
    ),
    attemptCase(
      'R22: finish length of a call is told',
      { mode: 'call', items: [{ length: 'so far' }] },
      (recording) => {
        expectEqual('finish', recording.final().finish, 'length')
        expectEqual('text', recording.text, 'so far')
      },
      'finishReasons',
    ),
    attemptCase('R22: a refusal is told as one', { mode: 'call', items: [{ refusal: 'I will not.' }] }, expectRefused, 'finishReasons'),
  ]
}

function expectRefused(recording: Recording): void {
  const last = recording.events.at(-1)
  if (last?.type === 'final' && last.finish === 'content_filter') return
  recording.failure('refusal')
}

/** The two mean the same to the walk. */
function expectEmpty(recording: Recording): void {
  if (recording.events.at(-1)?.type === 'failed') recording.failure('empty')
  else expectEqual('finish', recording.final().finish, 'stop')
  expectEqual('text', recording.text, '')
  expectEqual('tool calls', recording.of('toolCall').length, 0)
}

function toolCases(): ConformanceCase[] {
  const one = { id: 'call_1', name: 'weather', arguments: '{"city":"Vigo"}' }
  const two = { id: 'call_2', name: 'clock', arguments: '{}' }
  const told = (recording: Recording): unknown =>
    recording.of('toolCall').map(({ id, name, arguments: args }) => ({ id, name, arguments: JSON.parse(args) as unknown }))
  const expected = [
    { ...one, arguments: { city: 'Vigo' } },
    { ...two, arguments: {} },
  ]
  return [
    attemptCase(
      'wire.md §12.4: tool calls are told whole and in order, before final',
      { mode: 'stream', items: [{ events: [{ toolCall: one }, { toolCall: two }, { final: 'tool_calls' }] }] },
      (recording) => {
        expectEqual('tool calls', told(recording), expected)
        expectEqual('finish', recording.final().finish, 'tool_calls')
      },
      'toolCalls',
    ),
    attemptCase(
      'wire.md §12.4: tool calls of a call are told',
      { mode: 'call', items: [{ ok: '', toolCalls: [one, two] }] },
      (recording) => {
        expectEqual('tool calls', told(recording), expected)
        expectEqual('finish', recording.final().finish, 'tool_calls')
      },
      'toolCalls',
    ),
    ...(
      [
        ['a cut', { eof: true }, 'truncated'],
        ['a reset', { network: 'ECONNRESET' }, null],
        ['an in-band error', { error: { http: 502, message: 'bad gateway' } }, 'any'],
      ] as const
    ).map(([what, end, kind]) =>
      attemptCase(
        `wire.md §12.4: no tool call leaves before the finish marker (${what})`,
        { mode: 'stream', items: [{ events: [{ text: 'let me see' }, { toolCall: one }, end] }] },
        (recording) => {
          if (kind === null) recording.broken('ECONNRESET')
          else if (kind === 'any') expectEqual('the last event', recording.events.at(-1)?.type, 'failed')
          else recording.failure(kind)
          expectEqual('tool calls', recording.of('toolCall').length, 0)
        },
        'toolCalls',
      ),
    ),
    providerToolCase(),
  ]
}

function providerToolCase(): ConformanceCase {
  return attemptCase(
    'R28: tools that ran at the provider are told as such and never as tool calls',
    {
      mode: 'stream',
      items: [
        {
          events: [
            { providerToolCall: { name: 'search', arguments: '{"q":"x"}' } },
            { providerToolResult: { name: 'search', output: 'found' } },
            { text: 'a' },
            { final: 'stop' },
          ],
        },
      ],
    },
    (recording) => {
      expectEqual(
        'provider tools',
        // The name of a server that has the tool may stand in front of it.
        recording.of('providerToolCall').map((event) => [event.name.split('.').at(-1), JSON.parse(event.arguments)]),
        [['search', { q: 'x' }]],
      )
      const [result] = recording.of('providerToolResult')
      if (result === undefined || !result.output.includes('found')) throw new Error('the result of the provider tool is missing')
      expectEqual('tool calls', recording.of('toolCall').length, 0)
    },
    'providerTools',
  )
}

const CHUNKS = 1000

function contentCases(): ConformanceCase[] {
  const chunks = Array.from({ length: CHUNKS }, (_, index) => `${index}·é🙂 `)
  return [
    attemptCase(
      'R25: text of many chunks comes whole and in order',
      { mode: 'stream', items: [{ events: [...chunks.map((text) => ({ text })), { final: 'stop' }] }] },
      (recording) => {
        expectEqual('text', recording.text, chunks.join(''))
        recording.final()
      },
    ),
    attemptCase(
      'R27: reasoning is told apart from text',
      { mode: 'stream', items: [{ events: [{ reasoning: 'let me ' }, { reasoning: 'think' }, { text: 'done' }, { final: 'stop' }] }] },
      (recording) => {
        expectEqual('reasoning', recording.reasoning, 'let me think')
        expectEqual('text', recording.text, 'done')
      },
      'reasoning',
    ),
    attemptCase(
      'R27: reasoning of a call is told apart from text',
      { mode: 'call', items: [{ ok: 'done', reasoning: 'let me think' }] },
      (recording) => {
        expectEqual('reasoning', recording.reasoning, 'let me think')
        expectEqual('text', recording.text, 'done')
      },
      'reasoning',
    ),
  ]
}

function usageCases(): ConformanceCase[] {
  const counts = { input: 100, output: 20 }
  const usage = { ...counts, cachedInput: 40 }
  return [
    attemptCase(
      'R34: usage of a stream is counted',
      { mode: 'stream', items: [{ events: [{ text: 'a' }, { usage: counts }, { final: 'stop' }] }] },
      (recording) => expectUsage(recording, counts),
    ),
    attemptCase('R34: usage of a call is counted', { mode: 'call', items: [{ ok: 'a', usage: counts }] }, (recording) => {
      expectUsage(recording, counts)
    }),
    attemptCase(
      'R34: cached input of a stream is a part of its input',
      { mode: 'stream', items: [{ events: [{ text: 'a' }, { usage }, { final: 'stop' }] }] },
      (recording) => expectUsage(recording, usage),
      'cachedUsage',
    ),
    attemptCase(
      'R34: cached input of a call is a part of its input',
      { mode: 'call', items: [{ ok: 'a', usage }] },
      (recording) => expectUsage(recording, usage),
      'cachedUsage',
    ),
    attemptCase(
      'R34: usage that was not told is not made up',
      { mode: 'stream', items: [{ events: [{ text: 'a' }, { final: 'stop' }] }] },
      (recording) => {
        expectEqual('usage events', recording.of('usage').length, 0)
      },
    ),
    attemptCase(
      'R34: usage told before a failure is kept',
      { mode: 'stream', items: [{ events: [{ text: 'a' }, { usage: counts }, { text: 'b' }, { eof: true }] }] },
      (recording) => {
        recording.failure('truncated')
        expectUsage(recording, counts)
      },
      'earlyUsage',
    ),
  ]
}

/** Counts are running totals: the last event counts. Nothing read from a cache may be told as a zero. */
function expectUsage(recording: Recording, expected: object): void {
  const last = recording.of('usage').at(-1)
  if (last === undefined) throw new Error('no usage was told')
  const { type: _type, cachedInput, ...counts } = last
  expectEqual('usage', cachedInput === undefined || cachedInput === 0 ? counts : { ...counts, cachedInput }, expected)
}
