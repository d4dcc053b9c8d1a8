import type { KernelConfig } from '../../index.ts'
import type { FakeCliScript, FakeRun, LoopbackProvider, LoopbackScript } from '../../testing.ts'
import type { Act } from './acts.ts'

/** The acts with coding-agent CLIs: two programs with limits of their own, and a provider behind them. */
export const CLI_ACTS: readonly Act[] = [
  { id: 'the CLI claude runs a tool, and streams', prompt: 'Run the tests.', stream: true },
  { id: 'session limit of claude: codex takes over', prompt: 'Fix the one that fails.', stream: true },
  { id: 'codex waits for its network for ever: ended', prompt: 'Is it fixed?', stream: true, model: 'hint:codex' },
  { id: 'a limit of opus alone: sonnet answers', prompt: 'Review the change.', stream: true, whenFree: true },
  { id: 'all limited: wait for the earliest reset', prompt: 'Write the summary.', stream: false },
]

const CLAUDE = 'claude.max'
const CODEX = 'codex.plus'
const SPARE = 'anthropic.spare'
const GPT = 'gpt-codex'
const SPARE_MODEL = 'claude-demo'

const HOUR_MS = 3_600_000
/**
 * How far ahead the resets are that the story waits out, in time of the wall: programs start no faster for a clock that does. One starts before
 * the first reset and two before the second, with room for a busy machine.
 */
const FIRST_RESET_MS = 2_000
const SECOND_RESET_MS = 3_000

/**
 * What the two print, as it is known when an act begins. A reset is an instant on the clock of the demo, which a program does not see; the
 * waits between lines are the wall's, and shorter for a demo in a hurry.
 */
export function cliScript(now: number, speed: number): FakeCliScript {
  const ahead = (ms: number): string => new Date(Math.ceil((now + ms) / 1_000) * 1_000).toISOString()
  const afterMs = (ms: number): { afterMs: number } => ({ afterMs: Math.round(ms / speed) })
  const session = (resetMs: number): FakeRun => ({ limit: { resetAt: ahead(resetMs * Math.max(1, speed)), scope: 'five_hour' } })
  const tests = { name: 'Bash', arguments: { command: 'npm test' }, output: '41 passed, 1 failed' }
  return {
    'claude:opus': [
      {
        text: 'One test of forty-two fails: it expects yesterday to be a Sunday.',
        tools: [tests],
        usage: { input: 840, output: 31 },
        costUsd: 0.014925,
        ...afterMs(30),
      },
      session(FIRST_RESET_MS),
      { limit: { resetAt: ahead(72 * HOUR_MS), scope: 'seven_day_opus' } },
    ],
    'claude:sonnet': [
      { text: 'Sonnet has a limit of its own: the change is fine.', usage: { input: 620, output: 14 }, costUsd: 0.00207, ...afterMs(30) },
      session(SECOND_RESET_MS),
      { text: 'The limit is over, and claude is the first again.', usage: { input: 700, output: 12 }, costUsd: 0.00228, ...afterMs(30) },
    ],
    codex: [
      { text: 'Fixed: it asks the calendar now. I am codex.', usage: { input: 910, output: 17 }, ...afterMs(80) },
      { network: 'down', ...afterMs(150) },
      { limit: { resetAt: ahead(2 * HOUR_MS) } },
    ],
  }
}

export const SPARE_SCRIPT: LoopbackScript = {
  [`${SPARE}/${SPARE_MODEL}`]: {
    call: [
      { afterMs: 250, ok: 'It is. No program was needed for this answer.', usage: { input: 30, output: 10 } },
      { afterMs: 150, http: 429, headers: { 'retry-after': '900' } },
    ],
  },
}

export function cliConfig(spare: LoopbackProvider): KernelConfig {
  return {
    primary: CLAUDE,
    profiles: {
      [CLAUDE]: { model: 'opus', fallbackModels: ['sonnet'], fallback: [CODEX] },
      [CODEX]: { model: GPT, fallback: [SPARE] },
      [SPARE]: {
        api: 'anthropic-messages',
        endpoint: spare.endpoint(SPARE),
        model: SPARE_MODEL,
        apiKey: 'no-key-needed',
        price: { [SPARE_MODEL]: { input: 3, output: 15 } },
      },
    },
    modelRoutes: [{ hint: 'codex', modelProvider: CODEX, model: GPT }],
    // A demo in a hurry has resets that are farther away on its own clock.
    reliability: { maxInTurnWaitMs: 600_000 },
    modelFallbackNotice: 'redacted',
  }
}
