import { SHARED_WORDINGS } from '../notice/shared-wordings.ts'
import type { Wording } from '../notice/wording.ts'

/** What the Gemini CLI prints, one line a wording. */
export const GEMINI_WORDINGS: readonly Wording[] = [
  { kind: 'limit', pattern: /^You(?:'ve| have) exhausted your (?:daily )?(?:quota|capacity)\b/i, source: 'recorded gemini-429_day' },
  { kind: 'limit', pattern: /^You(?:'ve| have) (?:reached|hit) your (?:[\w.-]{1,30} ){0,4}(?:limit|quota)\b/i, source: 'gemini-cli 11461' },
  { kind: 'limit', pattern: /^You exceeded your current quota\b/i, rate: true, source: 'gemini-cli 6962, 8883' },
  { kind: 'limit', pattern: /^(?:[\w-]{1,20} ){0,3}quota (?:limit )?(?:reached|exhausted|exceeded)\b/i, rate: true, source: 'gemini-cli 8883' },
  { kind: 'limit', pattern: /^Resource (?:has been )?exhausted\b/i, rate: true, source: 'recorded gemini-429_bare' },
  { kind: 'limit', pattern: /\bRESOURCE_EXHAUSTED\b/, anywhere: true, rate: true, source: 'google.rpc.Code' },
  { kind: 'auth', pattern: /^When using Gemini API, you must specify\b/i, source: 'recorded gemini-success-noauth' },
  { kind: 'auth', pattern: /^Please set an Auth method\b/i, source: 'gemini-cli validateNonInteractiveAuth' },
  { kind: 'auth', pattern: /\bUNAUTHENTICATED\b|\bPERMISSION_DENIED\b/, anywhere: true, source: 'google.rpc.Code' },
  { kind: 'model', pattern: /^(?:Requested entity was not found|Model not found)\b/i, source: 'gemini-cli ModelNotFoundError' },
  { kind: 'overloaded', pattern: /\bUNAVAILABLE\b/, anywhere: true, source: 'google.rpc.Code' },
  { kind: 'server', pattern: /\bINTERNAL\b/, anywhere: true, source: 'google.rpc.Code' },
  { kind: 'config', pattern: /^Invalid auth method selected\b/i, source: 'recorded, exit 41' },
  { kind: 'config', pattern: /^This account requires setting the GOOGLE_CLOUD_PROJECT\b/i, source: 'gemini-cli setup' },
  { kind: 'config', pattern: /^(?:Unknown argument|Not enough non-option arguments|Invalid values)\b/i, source: 'yargs' },
  { kind: 'incomplete', pattern: /^Invalid stream\b/i, source: 'recorded gemini-truncated, gemini-cli nonInteractiveCli' },
  { kind: 'incomplete', pattern: /^Model stream ended (?:with|without)\b/i, source: 'gemini-cli geminiChat' },
  ...SHARED_WORDINGS,
]
