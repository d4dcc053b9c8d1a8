import { saysContextWindow } from '../../http/wording.ts'
import { foundIn, type Statement } from './statement.ts'
import { kindOfStatus } from './status.ts'
import type { Voice } from './voice.ts'
import type { WordingKind } from './wording.ts'

/**
 * What the statements of a run come to (cli-engines.md §6, rules 3–5).
 *
 * 1. The kinds are asked for in one order, whichever statement says them: a 401 wrapped in a sentence about a connection is no outage, and a
 *    spend stop that says "limit" is no limit. A 5xx wrapped in one is no outage either.
 * 2. For each kind wordings come before typed words, and those before statuses.
 */
export interface Reading {
  readonly kind: WordingKind
  readonly statement: Statement
  /** The words from where they decided. */
  readonly text: string
  /** The wait that is stated decides between a throttle and a limit. */
  readonly rate: boolean
  /** A wording decided, not a typed word or a status alone. */
  readonly worded: boolean
}

const ORDER: readonly WordingKind[] = [
  'spend',
  'limit',
  'auth',
  'model',
  'context',
  'overloaded',
  'throttle',
  'network',
  'server',
  'config',
  'incomplete',
]

/** Typed words as APIs and CLIs name a failure, lower case. */
const TYPED: Readonly<Record<string, WordingKind>> = {
  billing_error: 'spend',
  insufficient_quota: 'spend',
  usage_not_included: 'spend',
  usage_limit_reached: 'limit',
  quota_exhausted: 'limit',
  authentication_failed: 'auth',
  authentication_error: 'auth',
  oauth_org_not_allowed: 'auth',
  account_on_hold: 'auth',
  permission_error: 'auth',
  permission_denied: 'auth',
  unauthenticated: 'auth',
  invalid_api_key: 'auth',
  model_not_found: 'model',
  not_found_error: 'model',
  context_length_exceeded: 'context',
  overloaded: 'overloaded',
  overloaded_error: 'overloaded',
  server_is_overloaded: 'overloaded',
  unavailable: 'overloaded',
  rate_limit: 'throttle',
  rate_limit_error: 'throttle',
  rate_limit_exceeded: 'throttle',
  slow_down: 'throttle',
  server_error: 'server',
  api_error: 'server',
  internal: 'server',
  max_output_tokens: 'incomplete',
}

export function classify(statements: readonly Statement[], voice: Voice, kinds: readonly WordingKind[] = ORDER): Reading | null {
  for (const kind of kinds) {
    for (const statement of statements) {
      const reading = asKind(kind, statement, voice)
      if (reading !== null) return reading
    }
  }
  // A limit is told with a 402 as well, so that the status alone comes behind all words.
  const unpaid = kinds.includes('spend') ? statements.find(({ statuses }) => statuses.includes(402)) : undefined
  return unpaid === undefined ? null : { kind: 'spend', statement: unpaid, text: unpaid.text, rate: false, worded: false }
}

/** Whether the CLI says only that it tries again. */
export function isRetry(statement: Statement, voice: Voice): boolean {
  return voice.wordings.some((wording) => wording.kind === 'retry_notice' && foundIn(statement, wording) !== null)
}

function asKind(kind: WordingKind, statement: Statement, voice: Voice): Reading | null {
  if (kind === 'network' && statement.statuses.some((status) => kindOfStatus(status) === 'server')) return null
  for (const wording of voice.wordings) {
    if (wording.kind !== kind) continue
    const text = foundIn(statement, wording)
    if (text !== null) return { kind, statement, text, rate: wording.rate === true || isRate(statement), worded: true }
  }
  if (kind === 'context' && statement.own && saysContextWindow(statement.heads)) {
    return { kind, statement, text: statement.text, rate: false, worded: true }
  }
  return asTyped(kind, statement, voice)
}

function asTyped(kind: WordingKind, statement: Statement, voice: Voice): Reading | null {
  const { facts, statuses, text } = statement
  if (kind === 'limit' && isQuota(statement, voice)) {
    return { kind, statement, text, rate: !facts.words.includes('quota_exhausted'), worded: false }
  }
  const isWord = facts.words.some((word) => TYPED[word] === kind)
  const isStatus = statuses.some((status) => status !== 402 && kindOfStatus(status) === kind)
  // A wait in a field, with nothing beside it that says what is waited for, is one of a rate.
  const isWait = kind === 'throttle' && facts.waits.length > 0
  return isWord || isStatus || isWait ? { kind, statement, text, rate: kind === 'throttle', worded: false } : null
}

/** The provider calls it a rate itself, whatever the words beside it are. */
export function isRate({ facts }: Statement): boolean {
  return facts.words.includes('rate_limit_exceeded')
}

/** T3: where the provider sends the same answer for a quota as for a rate. */
function isQuota(statement: Statement, voice: Voice): boolean {
  if (!voice.quotaBy429 || isRate(statement)) return false
  return statement.statuses.includes(429) || statement.facts.words.includes('resource_exhausted')
}
