import { SHARED_WORDINGS } from '../notice/shared-wordings.ts'
import type { Wording } from '../notice/wording.ts'

/** What agy prints, one line a wording. It could not be run: `agy` with a number is google-antigravity/antigravity-cli. */
export const AGY_WORDINGS: readonly Wording[] = [
  { kind: 'spend', pattern: /^(?:AI )?credits? (?:balance )?(?:is )?(?:too low|exhausted|depleted)/i, source: 'agy 1.2.17 binary' },
  { kind: 'limit', pattern: /^(?:[\w-]{1,20} ){0,3}quota (?:limit )?(?:reached|exhausted)\b/i, source: 'agy 76, CLIProxyAPI 3655' },
  {
    kind: 'limit',
    pattern: /^You(?:'ve| have) (?:reached|hit|exhausted) your (?:[\w.-]{1,30} ){0,4}(?:limit|quota|capacity)\b/i,
    source: 'gemini-cli, agy-acp 17',
  },
  { kind: 'limit', pattern: /^You have reached your current quota\b/i, source: 'agy 1.2 plan notice' },
  { kind: 'limit', pattern: /^You(?:'ve| have) reached the quota limit for this model\b/i, source: 'Antigravity IDE' },
  { kind: 'limit', pattern: /^Resource (?:has been )?exhausted\b/i, rate: true, source: 'CLIProxyAPI 5891' },
  { kind: 'limit', pattern: /\bRESOURCE_EXHAUSTED\b|\bResourceExhausted\b/, anywhere: true, rate: true, source: 'T3, agy 789' },
  { kind: 'auth', pattern: /\bUNAUTHENTICATED\b|\bPERMISSION_DENIED\b/, anywhere: true, source: 'google.rpc.Code' },
  { kind: 'auth', pattern: /^(?:You are )?not (?:signed|logged) in(?:to)?\b|^Please sign in\b/i, source: 'agy 408' },
  { kind: 'model', pattern: /^invalid model selection\b/i, source: 'agy 1.2.16' },
  { kind: 'model', pattern: /^model [`'"]?[\w.:/ ()-]{1,60}[`'"]? (?:is )?not (?:recognized|found|available)\b/i, source: 'agy 1.2.16' },
  { kind: 'overloaded', pattern: /\bUNAVAILABLE\b/, anywhere: true, source: 'google.rpc.Code' },
  { kind: 'overloaded', pattern: /^No capacity available for model\b/i, source: 'cloudcode-pa, gemini-cli' },
  { kind: 'overloaded', pattern: /^Our servers are experiencing high traffic\b/i, source: 'gemini-cli 25506' },
  { kind: 'network', pattern: /^There was a network issue connecting to the server\b/i, source: 'agy 1019' },
  { kind: 'server', pattern: /\bcode_kind"?: ?"?internal\b|\(code 500\)/i, anywhere: true, source: 'agy 1.2.6' },
  { kind: 'config', pattern: /^(?:CLI error: )?bubbletea: .{0,60}\bopen(?:ing)? (?:a new )?TTY\b/i, source: 'hydra 492' },
  {
    kind: 'config',
    pattern:
      /^(?:CLI error: )?(?:unknown (?:flag|command|shorthand flag)|flag (?:needs an argument|provided but not defined)|unexpected argument)\b/i,
    source: 'Go flag, cobra',
  },
  { kind: 'incomplete', pattern: /^\[agy\] print timeout after\b/i, source: 'agy 245' },
  ...SHARED_WORDINGS,
]
