import { describe, expect, it } from 'vitest'
import { httpProtocol } from '../../../src/engines/http/registry.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { cutAtRandom, decodeAll, seeded, summary, textOf, verdicts, withLineEnds } from './kit.ts'
import { bodyOf, detail, number, present, type Recording, recordingsOf } from './recordings.ts'

const recordings = recordingsOf('responses')
const API = 'openai-responses'

/** Usage as faces.md §2 counts it, computed from the index apart from the decoder. */
function usageOf({ usage }: Recording): readonly unknown[] {
  if (usage === null) return []
  const input = number(usage.input_tokens)
  const output = number(usage.output_tokens)
  expect((input ?? 0) + (output ?? 0)).toBe(usage.total_tokens)
  return [{ type: 'usage', input, output, cachedInput: detail(usage, 'input_tokens_details', 'cached_tokens') }]
}

/** Where the first of the error events is whole. */
function failsAt(one: Recording, body: Uint8Array): number {
  if (one.expect_failed === undefined) return Number.POSITIVE_INFINITY
  const text = Buffer.from(body)
  return text.indexOf('\n\n', text.indexOf('event: error')) + 2
}

/** The answer as a call would have given it: the response of the last event. */
function wholeOf(body: Uint8Array): ProviderEvent[] {
  const last = Buffer.from(body)
    .toString()
    .split('\n')
    .findLast((line) => line.startsWith('data: {'))
  const { response } = JSON.parse((last ?? '').slice('data: '.length)) as { response: unknown }
  const events: ProviderEvent[] = []
  httpProtocol(API)?.decodeAnswer(JSON.stringify(response), { now: () => 0 }, (event) => events.push(event))
  return events
}

describe.skipIf(!present)('recorded streams of Responses', () => {
  it('are all there: 17, of OpenAI, Azure, DeepSeek, LM Studio and Bedrock', () => {
    expect(recordings.length).toBeGreaterThanOrEqual(17)
  })

  describe.each(recordings.map((one) => [one.file, one] as const))('%s', (_file, one) => {
    const body = bodyOf(one)
    const events = decodeAll(API, [body])
    const calls = events.filter((event) => event.type === 'toolCall')

    it('R25 reads to its recorded end', () => {
      expect(body.length).toBe(one.bytes)
      expect(textOf(events)).toBe(one.final_text)
      expect(events.some((event) => event.type === 'reasoning')).toBe(one.reasoning)
      expect(calls.map((call) => call.name)).toEqual(one.tool_names)
      for (const call of calls) expect(() => JSON.parse(call.arguments)).not.toThrow()
      expect(events.filter((event) => event.type === 'final' || event.type === 'failed')).toHaveLength(1)
      expect(events.filter((event) => event.type === 'usage')).toEqual(usageOf(one))
      if (one.expect_failed === undefined) {
        const finish = one.finish_reason === 'completed' ? 'stop' : one.finish_reason
        expect(events.at(-1)).toEqual({ type: 'final', finish, terminated: true })
        expect(events.at(-2)).toEqual(usageOf(one)[0])
      } else expect(events).toMatchObject([{ type: 'failed', failure: { kind: 'quota_exhausted', code: 'insufficient_quota' } }])
    })

    it('R25 has the right verdict after every byte, whatever the policy', () => {
      const end = one.terminator_at_byte ?? Number.POSITIVE_INFINITY
      const error = failsAt(one, body)
      for (const completion of ['strict', 'lenient'] as const) {
        const expected = Array.from({ length: body.length + 1 }, (_, at) => (at >= error ? 'error-frame' : at >= end ? 'complete' : 'truncated'))
        expect(verdicts(API, body, completion)).toEqual(expected)
      }
    })

    it('says the same however it is cut into chunks, and with other line ends', () => {
      const whole = summary(events)
      for (let seed = 1; seed <= 5; seed += 1) expect(summary(decodeAll(API, cutAtRandom(body, seeded(seed))))).toEqual(whole)
      for (const end of ['\r\n', '\r'] as const) expect(summary(decodeAll(API, [withLineEnds(body, end)]))).toEqual(whole)
    })

    it('says the same as a whole answer', () => {
      const parts = (list: readonly ProviderEvent[]) => ({
        text: textOf(list),
        calls: list.filter((event) => event.type === 'toolCall'),
        results: list.flatMap((event) => (event.type === 'providerToolResult' ? [event.id] : [])).sort(),
        end: list.filter((event) => event.type === 'usage' || event.type === 'final'),
      })
      expect(parts(wholeOf(body))).toEqual(parts(events))
    })
  })

  const named = (name: string) => recordings.filter((one) => one.file.endsWith(name)).flatMap((one) => decodeAll(API, [bodyOf(one)]))
  const toolsOf = (events: readonly ProviderEvent[]) =>
    events.flatMap((event) => (event.type === 'providerToolCall' || event.type === 'providerToolResult' ? [[event.type, event.name]] : []))

  it('R28 tells a search and a computation of the provider, each before its result, and never as a tool call', () => {
    expect(toolsOf(named('pyd-web-search.sse'))).toEqual([
      ['providerToolCall', 'web_search'],
      ['providerToolResult', 'web_search'],
    ])
    const code = named('pyd-code-exec-reasoning.sse')
    expect(toolsOf(code)).toEqual(
      Array.from({ length: 3 }, () => [
        ['providerToolCall', 'code_interpreter'],
        ['providerToolResult', 'code_interpreter'],
      ]).flat(),
    )
    const first = code.find((event) => event.type === 'providerToolCall')
    expect(JSON.parse(first?.arguments ?? '')).toMatchObject({ code: 'n = pow(123456, 123)\nlen(str(n))' })
  })

  it('tells the tools of an MCP server whose item the stream never closed', () => {
    const events = named('pyd-mcp-list-tools.sse')
    const results = events.flatMap((event) => (event.type === 'providerToolResult' ? [JSON.parse(event.output) as Record<string, unknown>] : []))
    expect(results.map((result) => result.server_label).sort()).toEqual(['deepwiki', 'gitmcp', 'microsoft_learn'])
    for (const { tools } of results) expect(tools).toEqual(expect.arrayContaining([expect.objectContaining({ name: expect.any(String) })]))
  })
})
