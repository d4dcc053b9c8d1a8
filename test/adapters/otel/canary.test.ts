import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, describe, expect, it } from 'vitest'
import { DIAGNOSTICS_CHANNELS } from '../../../src/runtime/channels.ts'
import { createLogger } from '../../../src/runtime/pino-logger.ts'
import type { TurnRequest } from '../../../src/runtime/request.ts'
import { type OnAttempt, rig } from '../../runtime/rig.ts'
import { sdk, served, stopAll } from './rig.ts'

const PROMPT = 'PROMPT-CANARY'
const ANSWER = 'ANSWER-CANARY'
const TOOL = 'TOOL-CANARY'

const listening: [string, ChannelListener][] = []

afterEach(() => {
  stopAll()
  for (const [channel, listener] of listening.splice(0)) unsubscribe(channel, listener)
})

const REQUEST: TurnRequest = {
  messages: [
    { role: 'system', content: PROMPT },
    { role: 'user', content: PROMPT },
    { role: 'assistant', content: PROMPT, toolCalls: [{ id: 'c1', name: 'look', arguments: JSON.stringify({ where: TOOL }) }] },
    { role: 'tool', toolCallId: 'c1', content: TOOL },
    { role: 'user', content: PROMPT },
  ],
  tools: [{ name: 'look', description: TOOL, parameters: { type: 'object', properties: { [TOOL]: { type: 'string' } } } }],
  options: { stop: [PROMPT], providerOptions: { a: { metadata: PROMPT } } },
}

/** An attempt that says all of it, and then ends so. */
function saying(end: OnAttempt): OnAttempt {
  return (attempt, n) => {
    const call = { type: 'toolCall', id: 'c2', name: 'look', arguments: JSON.stringify({ where: TOOL }) } as const
    attempt.opened().say({ type: 'reasoning', text: ANSWER }).text(ANSWER).say(call)
    end(attempt, n)
  }
}

/** Everything that the telemetry of a process has of one turn, as text. */
async function toldOf(onAttempt: OnAttempt, request: TurnRequest) {
  const { spans, points } = sdk()
  const told: Record<string, string[]> = { log: [], ...Object.fromEntries(Object.values(DIAGNOSTICS_CHANNELS).map((channel) => [channel, []])) }
  for (const channel of Object.values(DIAGNOSTICS_CHANNELS)) {
    const listener: ChannelListener = (message) => void told[channel]?.push(JSON.stringify(message))
    subscribe(channel, listener)
    listening.push([channel, listener])
  }
  const logger = createLogger({ level: 'debug', write: (line) => void told['log']?.push(line) })
  const { outcome } = await served(rig({ onAttempt, ports: { logger } }), request)
  told['spans'] = spans().map(({ name, attributes, events, status, links }) => JSON.stringify({ name, attributes, events, status, links }))
  told['metrics'] = (await points()).map((point) => JSON.stringify(point))
  return { told, outcome }
}

describe('TEL-01', () => {
  it.each([
    ['an answer that streams', 'ok', { ...REQUEST, sinks: ['event'] }, (attempt) => attempt.final('tool_calls')],
    ['a stream that breaks off', 'interrupted', { ...REQUEST, sinks: ['event'] }, (attempt) => attempt.fail('network')],
    [
      'a draft that is shortened, held and falls back',
      'ok',
      { ...REQUEST, sinks: ['draft'] },
      (attempt, n) => {
        if (n === 1) attempt.fail('context_window')
        else if (n === 2) attempt.fail('rate_limited', { retryAfterMs: 1_000 })
        else attempt.final('tool_calls')
      },
    ],
    ['a turn that nobody serves', 'exhausted', { ...REQUEST, stream: false }, (attempt) => attempt.fail('server_error')],
  ] as readonly [string, string, TurnRequest, OnAttempt][])(
    'TEL-01 no prompt, answer or argument of a tool is in a span, metric, log line or message: %s',
    async (_, kind, request, end) => {
      const { told, outcome } = await toldOf(saying(end), request)
      expect(outcome?.kind).toBe(kind)
      expect(JSON.stringify(outcome)).toMatch(kind === 'exhausted' ? /"text":""/ : /ANSWER-CANARY/)
      for (const place of ['log', DIAGNOSTICS_CHANNELS.turn, DIAGNOSTICS_CHANNELS.attempt, 'spans', 'metrics'])
        expect(told[place]?.length, place).toBeGreaterThan(1)
      for (const [place, lines] of Object.entries(told)) expect(lines.join('\n'), place).not.toMatch(/CANARY/)
    },
  )
})
