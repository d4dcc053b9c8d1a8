import { SHARED_WORDINGS } from '../notice/shared-wordings.ts'
import type { Wording } from '../notice/wording.ts'

/** What codex prints, one line a wording. `error.rs` is codex-rs/protocol/src/error.rs of openai/codex. */
export const CODEX_WORDINGS: readonly Wording[] = [
  { kind: 'spend', pattern: /^Quota exceeded\. Check your plan and billing/i, source: 'recorded codex-429_insufficient_quota' },
  { kind: 'spend', pattern: /^To use Codex with your ChatGPT plan, upgrade\b/i, source: 'recorded codex-429_usage_not_included' },
  { kind: 'spend', pattern: /^Your workspace is out of credits\b/i, source: 'error.rs' },
  { kind: 'spend', pattern: /^You(?:'ve)? (?:hit|reached) your spend (?:cap|limit)\b/i, source: 'error.rs' },
  { kind: 'spend', pattern: /^You(?:'re| are) out of credits\b/i, source: 'codex 2.x clients' },
  { kind: 'spend', pattern: /^You exceeded your current quota, please check your plan\b/i, source: 'OpenAI API' },
  {
    kind: 'limit',
    pattern: /^You(?:'ve| have) (?:hit|reached) your (?:[\w.-]{1,20} ){0,3}(?:usage )?limit\b/i,
    source: 'recorded codex-429_usage_resets_at',
  },
  {
    kind: 'auth',
    pattern: /^Your (?:access|authentication|refresh) token (?:could not be refreshed|has (?:expired|been))/i,
    source: 'codex-rs login',
  },
  { kind: 'auth', pattern: /\b(?:log out and )?sign in again\b/i, anywhere: true, source: 'codex-rs login' },
  { kind: 'auth', pattern: /^Missing environment variable: /i, source: 'recorded codex-success-noenvkey' },
  { kind: 'auth', pattern: /^Incorrect API key provided\b/i, source: 'recorded codex-401' },
  { kind: 'auth', pattern: /^(?:You (?:are|must be) (?:not )?logged in|No credentials|Please (?:run )?`?codex login)/i, source: 'codex-rs login' },
  { kind: 'model', pattern: /^The '[^']{1,100}' model (?:is not supported|requires a newer version)\b/i, source: 'recorded codex-400_model' },
  { kind: 'model', pattern: /\b(?:do|does) not have access to (?:the model|it\b)/i, anywhere: true, source: 'OpenAI API' },
  { kind: 'context', pattern: /^Codex ran out of room in the model's context window\b/i, source: 'recorded codex-400_context' },
  { kind: 'overloaded', pattern: /^Selected model is at capacity\b/i, source: 'recorded codex-503_overloaded' },
  { kind: 'overloaded', pattern: /^(?:Policy-restricted|Flex) capacity (?:is )?unavailable\b/i, source: 'codex 0.171 binary' },
  { kind: 'overloaded', pattern: /^We're currently experiencing high demand\b/i, source: 'recorded codex-500' },
  { kind: 'throttle', pattern: /^exceeded retry limit, last status: 429\b/i, source: 'recorded codex-429_retry_after' },
  { kind: 'throttle', pattern: /^Request rate increased too quickly\b|^Please slow down\b/i, source: 'recorded codex-503_slow' },
  { kind: 'network', pattern: /^Connection failed: /i, source: 'recorded codex-refused-long' },
  { kind: 'network', pattern: /^(?:Transport error: |error decoding response body)/i, source: 'recorded codex-reset_mid' },
  { kind: 'config', pattern: /^Error (?:loading|reading|parsing) (?:config|configuration)\b/i, source: 'codex-rs core' },
  { kind: 'config', pattern: /^Not inside a trusted directory\b/i, source: 'codex-rs exec' },
  { kind: 'config', pattern: /^(?:unexpected argument|invalid value|the following required arguments|unrecognized subcommand)\b/i, source: 'clap' },
  ...SHARED_WORDINGS,
]
