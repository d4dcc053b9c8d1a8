import { SHARED_WORDINGS } from '../notice/shared-wordings.ts'
import type { Wording } from '../notice/wording.ts'

/** Behind the name of a limit: the end, a separator, or how it goes on. */
const LIMIT_ENDS = String.raw`(?=$|[.,!|:]|,? ?[\u00b7\u2219\u2022|(\u2014-]| (?:for|resets?|try|until|again)\b)`

const hit = "^You(?:'ve| have) (?:hit|reached|exceeded|exhausted|used up) your "

/** What claude prints, one line a wording. `prefixes` are those that the SDK of claude publishes for its usage limits. */
export const CLAUDE_WORDINGS: readonly Wording[] = [
  {
    kind: 'spend',
    pattern: new RegExp(`${hit}(?:[\\w'-]{1,20} ){0,3}(?:spend(?:ing)?|usage credits?|credit) limit`, 'i'),
    source: 'recorded overage org_spend_cap, prefixes',
  },
  { kind: 'spend', pattern: new RegExp(`${hit}(?:org|organization|team|group|seat)(?:'s)? `, 'i'), source: 'claude-code 2.1 binary' },
  { kind: 'spend', pattern: /^Your org(?:anization)? is out of usage\b/i, source: 'claude-code 2.1 binary' },
  { kind: 'spend', pattern: /^You have reached your specified API usage limits\b/i, source: 'Anthropic API' },
  { kind: 'spend', pattern: /^Your seat type doesn't include\b/i, source: 'prefixes' },
  { kind: 'spend', pattern: /^Your usage allocation has been disabled\b/i, source: 'recorded overage member_level_disabled' },
  { kind: 'spend', pattern: /^Your group's usage limit is set to \$0/i, source: 'prefixes' },
  { kind: 'spend', pattern: /^This service is disabled for your org/i, source: 'claude-code 2.1 binary' },
  { kind: 'spend', pattern: /^(?:[\w.]{1,20} ){1,3}requires (?:usage credits|extra usage)\b/i, source: 'prefixes' },
  { kind: 'spend', pattern: /^(?:Usage credits|Extra usage) (?:is |are )?required\b/i, source: 'recorded claude-429_longctx-oauth' },
  {
    kind: 'limit',
    pattern: new RegExp(`^Claude (?:AI |Code )?(?:\\w{1,12} )?usage limit reached${LIMIT_ENDS}`, 'i'),
    source: 'claude-code 2087, opencode 870',
  },
  // Fast mode falls back by itself, and a context is no quota.
  {
    kind: 'limit',
    pattern: new RegExp(`${hit}(?!fast |context )(?:[\\w.-]{1,20} ){0,4}limit${LIMIT_ENDS}`, 'i'),
    source: 'recorded claude-429_unified_5h-oauth',
  },
  {
    kind: 'limit',
    pattern: new RegExp(
      `^(?:(?:session|weekly|daily|monthly|usage|opus|sonnet|haiku|fable|\\d{1,2}-hour)(?: [\\d.]{1,4})? ){1,3}limit reached${LIMIT_ENDS}`,
      'i',
    ),
    source: 'claude-auto-resume 14, claude-code 7892',
  },
  { kind: 'limit', pattern: /^Limit reached [\u00b7\u2219\u2022|] ?resets\b/i, source: 'claude-code 14495' },
  {
    kind: 'limit',
    pattern: new RegExp(`^You're out of (?:extra usage|usage credits|usage)${LIMIT_ENDS}`, 'i'),
    source: 'recorded overage out_of_credits',
  },
  { kind: 'auth', pattern: /^Failed to authenticate\b/i, source: 'recorded claude-403_oauth_scope-oauth' },
  { kind: 'auth', pattern: /\bPlease run \/login\b/i, anywhere: true, source: 'recorded claude-401-oauth' },
  { kind: 'auth', pattern: /^[\w /]{1,40} [\u00b7-] (?:Please run \/login|Fix external API key)/i, source: 'recorded claude-401' },
  { kind: 'auth', pattern: /^OAuth (?:token|session|authentication|account)\b/i, source: 'claude-code 2.1 binary' },
  {
    kind: 'auth',
    pattern: /^Your (?:account|organization) (?:does not have access|has been (?:disabled|suspended)|is on hold)/i,
    source: 'recorded claude-403',
  },
  {
    kind: 'auth',
    pattern: /^Your organization has disabled (?:API key authentication|Claude subscription access)\b/i,
    source: 'claude-code 2.1 binary',
  },
  { kind: 'auth', pattern: /^Authentication error\b/i, source: 'claude-code 2.1 binary' },
  {
    kind: 'auth',
    pattern: /^(?:Your \w{3,40} belongs to a disabled organization|This organization has been disabled)/i,
    source: 'recorded claude-400_org_disabled',
  },
  { kind: 'auth', pattern: /^(?:Your )?(?:login|session) (?:has )?expired\b/i, source: 'claude-code errors page' },
  { kind: 'model', pattern: /^There's an issue with the selected model\b/i, source: 'claude-code 2.1 binary' },
  { kind: 'model', pattern: /^model: [\w.:-]{1,80}/i, source: 'Anthropic API' },
  { kind: 'model', pattern: /^Claude [\w. ]{1,30} is not available with\b/i, source: 'claude-code errors page' },
  { kind: 'context', pattern: /^(?:Prompt|Conversation|Input) (?:is )?too long\b/i, source: 'claude-code 2.1 binary' },
  { kind: 'context', pattern: /^input length and .{0,3}max_tokens.{0,3} exceed context limit\b/i, source: 'Anthropic API' },
  { kind: 'context', pattern: /^Request too large\b/i, source: 'recorded claude-413' },
  { kind: 'context', pattern: /^Context (?:limit|window) (?:reached|exceeded)\b/i, source: 'claude-code errors page' },
  { kind: 'overloaded', pattern: /^Repeated 529 Overloaded\b/i, source: 'claude-code 2.1 binary' },
  { kind: 'overloaded', pattern: /^(?:529 )?overloaded(?:_error)?\b/i, source: 'recorded claude-529' },
  { kind: 'overloaded', pattern: /^[A-Z][\w.-]{0,30}(?: [\d.]{1,4})? is experiencing high (?:load|demand)\b/, source: 'claude-code 2.1 binary' },
  { kind: 'throttle', pattern: /^Server is temporarily limiting requests\b/i, source: 'recorded claude-429_overloaded_body-oauth' },
  { kind: 'throttle', pattern: /^(?:429 )?rate_limit_error\b/i, source: 'Anthropic API' },
  {
    kind: 'throttle',
    pattern: /\bwould exceed your (?:account|organization)'s rate limit\b/i,
    anywhere: true,
    source: 'recorded claude-429_retry_after',
  },
  { kind: 'throttle', pattern: /^Number of (?:request|input|output) tokens has exceeded your\b/i, source: 'Anthropic API' },
  { kind: 'network', pattern: /^Unable to connect to API\b/i, source: 'recorded claude-refused, claude-code 25382' },
  { kind: 'network', pattern: /^Failed to connect to [\w.-]{3,80}(?::|$)/i, source: 'claude-code 57222' },
  {
    kind: 'network',
    pattern: /^(?:Response|Stream|Connection) (?:idle timeout|stalled|closed|ended|interrupted|aborted|lost)\b/i,
    source: 'claude-code 2.1 binary',
  },
  { kind: 'network', pattern: /^(?:[\w']{1,20} ){1,5}went to sleep mid-response\b/i, source: 'claude-code 2.1 binary' },
  { kind: 'network', pattern: /\bwent to sleep mid-response\b/i, anywhere: true, source: 'claude-code 2.1 binary' },
  { kind: 'network', pattern: /^SSL certificate (?:verification failed|error)/i, source: 'claude-code errors page' },
  { kind: 'config', pattern: /^When using --print\b/i, source: 'recorded, without --verbose' },
  { kind: 'config', pattern: /^unknown option '/i, source: 'commander' },
  { kind: 'incomplete', pattern: /^(?:Claude's|The) response exceeded the [\d,]{1,12} output token maximum/i, source: 'claude-code errors page' },
  { kind: 'retry_notice', pattern: /^API Error\b.{0,200} [\u00b7-] Retrying in \d/i, source: 'claude-code 6596' },
  ...SHARED_WORDINGS,
]
