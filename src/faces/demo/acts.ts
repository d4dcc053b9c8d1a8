import type { KernelConfig } from '../../index.ts'
import type { LoopbackProvider, LoopbackScript } from '../../testing.ts'

/** One turn of the demo. Its id is its title. */
export interface Act {
  readonly id: string
  readonly prompt: string
  readonly stream: boolean
  /** What is asked for; the choice of the settings when left out. */
  readonly model?: string
  /** The host cancels after so many pieces of text. */
  readonly cancelAfterTexts?: number
  /** Nobody may be held when it begins. */
  readonly whenFree?: boolean
}

export const ACTS: readonly Act[] = [
  { id: 'a plain success', prompt: 'Say hello.', stream: true },
  { id: '429: hold, then failover', prompt: 'Who are you?', stream: true },
  { id: 'around the hold', prompt: 'And now?', stream: true },
  { id: 'stream cut early: recovered', prompt: 'Tell me a story.', stream: true, whenFree: true },
  { id: 'stream cut after output: kept', prompt: 'Tell me another.', stream: true },
  { id: 'all held: wait, then return', prompt: 'Is anybody there?', stream: false },
  { id: 'cancelled by the host', prompt: 'Count to a hundred.', stream: true, cancelAfterTexts: 2 },
]

const OPENAI = 'openai.demo'
const ANTHROPIC = 'anthropic.demo'
const GPT = 'gpt-demo'
const CLAUDE = 'claude-demo'

/**
 * How long a limit holds, in seconds of the demo. Calls take a moment of the wall however fast its clock runs, and a hold that was over before
 * the next act would tell another story.
 */
const holdSeconds = (speed: number): number => Math.max(2, Math.ceil(0.3 * speed))

/** Two providers on this machine, in the order of ACTS. */
export const openaiScript = (speed: number): LoopbackScript => ({
  [`${OPENAI}/${GPT}`]: {
    stream: [
      {
        events: [
          { afterMs: 150, text: 'Hello! ' },
          { afterMs: 150, text: 'These words come ' },
          { afterMs: 150, text: 'one piece at a time.' },
          { usage: { input: 9, output: 12 } },
          { final: 'stop' },
        ],
      },
      { afterMs: 150, http: 429, headers: { 'retry-after': String(holdSeconds(speed)) } },
      { afterMs: 200, fault: { kind: 'cut', at: 40, by: 'fin' } },
      {
        events: [
          { afterMs: 200, text: 'Once upon a time ' },
          { afterMs: 200, text: 'there was a stream ' },
          { afterMs: 300, eof: true },
        ],
      },
      {
        events: [
          { afterMs: 200, text: 'One, ' },
          { afterMs: 200, text: 'two, ' },
          { afterMs: 200, text: 'three, ' },
          { afterMs: 5_000, text: 'four' },
          { final: 'stop' },
        ],
      },
    ],
    call: [
      { afterMs: 150, http: 429, headers: { 'retry-after': String(holdSeconds(speed)) } },
      { afterMs: 200, ok: 'I am back.', usage: { input: 11, output: 4 } },
    ],
  },
})

export const anthropicScript = (speed: number): LoopbackScript => ({
  [`${ANTHROPIC}/${CLAUDE}`]: {
    stream: [
      {
        events: [
          { afterMs: 150, text: 'Nobody waited: ' },
          { afterMs: 150, text: 'I was asked first.' },
          { usage: { input: 8, output: 10 } },
          { final: 'stop' },
        ],
      },
    ],
    call: [
      { afterMs: 250, ok: 'I am the other provider.', usage: { input: 10, output: 6 } },
      { afterMs: 250, ok: 'A story in one piece, from a provider that was not cut.', usage: { input: 10, output: 13 } },
      { afterMs: 150, http: 429, headers: { 'retry-after': String(4 * holdSeconds(speed)) } },
    ],
  },
})

export function demoConfig(openai: LoopbackProvider, anthropic: LoopbackProvider, speed: number): KernelConfig {
  return {
    primary: OPENAI,
    profiles: {
      [OPENAI]: {
        api: 'openai-chat',
        endpoint: openai.endpoint(OPENAI),
        model: GPT,
        apiKey: 'no-key-needed',
        fallback: [ANTHROPIC],
        price: { [GPT]: { input: 1, output: 4 } },
      },
      [ANTHROPIC]: {
        api: 'anthropic-messages',
        endpoint: anthropic.endpoint(ANTHROPIC),
        model: CLAUDE,
        apiKey: 'no-key-needed',
        price: { [CLAUDE]: { input: 3, output: 15 } },
      },
    },
    // One retry and a short patience, so that the longer hold is no wait inside a turn.
    reliability: { providerRetries: 1, maxInTurnWaitMs: 2_500 * holdSeconds(speed) },
    modelFallbackNotice: 'redacted',
  }
}
