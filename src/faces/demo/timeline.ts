import type { FailureKind, Hold, LedgerRow, Outcome, TurnEvent, Usage } from '../../index.ts'
import { columns } from './columns.ts'
import { durationText } from './duration-text.ts'
import type { TeamActFact } from './team-fact.ts'
import { teamLine } from './team-lines.ts'

/**
 * The timeline of a run: what a kernel told, in words.
 *
 * 1. Every line comes from one event by a pure function, so a recorded run prints the same timeline again.
 * 2. No prompt and no provider words; answer text only where the event is content.
 */
export type RunEvent = TurnEvent | KernelFact | TeamActFact

/** What a kernel tells beside its turns; `at` is epoch ms. */
export type KernelFact =
  | { readonly type: 'kernel.holds'; readonly at: number; readonly holds: readonly Hold[] }
  | { readonly type: 'kernel.ledger'; readonly at: number; readonly rows: readonly LedgerRow[]; readonly holds: readonly Hold[] }

/** Of headings and tables: what an ordinary terminal shows. */
const WIDTH = 80

/** The line (or table) of an event, or null for one that another line tells already. Times count from `startedAt` (epoch ms). */
export function renderEvent(event: RunEvent, startedAt: number): string | null {
  if (event.type === 'kernel.ledger') return [ledgerTable(event.rows), holdsTable(event, startedAt)].join('\n')
  if (event.type === 'team.begun' || event.type === 'team.told' || event.type === 'team.posted') return teamLine(event, heading)
  if (!('at' in event)) return contentLine(event)
  const said = sentence(event, startedAt)
  if (said === null) return null
  const line = `${clock(event.at - startedAt)}  ${said[0].padEnd(8)}  ${said[1]}`
  return event.type === 'turn.started' ? `\n${heading(event.turn)}\n${line}` : line
}

type Fact = Exclude<Extract<RunEvent, { at: number }>, { type: 'kernel.ledger' } | TeamActFact>

/** A word for the margin and a sentence behind it. */
function sentence(event: Fact, startedAt: number): readonly [word: string, text: string] | null {
  switch (event.type) {
    case 'turn.started':
      return ['plan', event.entries.join(', then ')]
    case 'attempt.started':
      return ['attempt', `${event.n}: ${event.entry}${event.mode === 'stream' ? ', streaming' : ', whole answer at once'}`]
    case 'attempt.ended':
      return event.accepted || event.result === 'cancelled' ? ['ended', `${event.n}: ${event.result}${spent(event.usage, event.cost)}`] : null
    case 'attempt.failed':
      return ['failed', `${event.n}: ${failureText(event.kind, event.event.phase)}${hint(event.event.hintMs)}`]
    case 'entry.skipped':
      return ['skip', `${event.entry} is ${event.event.reason === 'over_budget' ? 'over a budget' : 'held'} and passed over`]
    case 'output.committed':
      return ['commit', `${'━'.repeat(12)} a reader has seen output: from here on nothing is asked again`]
    case 'recovery.started':
      return [
        'recover',
        `${event.from === 'semantic_empty' ? 'the answer was empty' : 'nothing was shown yet'}: the call is made again, without streaming`,
      ]
    case 'history.shortened':
      return ['shorten', `${event.dropped} older messages left out, ${event.kept} kept`]
    case 'hold.set':
      return ['hold', holdText(event.hold, event.at, startedAt)]
    case 'wait.started':
      return ['wait', `${durationText(event.ms)} ${waitReason(event.why, event.key)}`]
    case 'wait.ended':
      return event.cut ? ['resume', 'the wait was cut short'] : ['resume', 'the wait is over']
    case 'warning.raised':
      return ['warning', `${event.warning.path}: ${event.warning.message}`]
    case 'turn.ended':
      return ['end', ending(event.outcome)]
    case 'kernel.holds':
      return ['free', holdsText(event.holds, startedAt)]
  }
}

const KINDS: Record<FailureKind, string> = {
  rate_limited: 'a limit is reached',
  quota_exhausted: 'its quota is used up, and waiting alone brings none',
  network: 'the connection broke',
  truncated: 'the stream ended before its completion signal',
  timeout: 'a deadline passed',
  empty: 'an answer without content',
  overloaded: 'the provider is overloaded',
  server_error: 'an error of the provider',
  auth: 'it is not signed in, or its key is not accepted',
  forbidden: 'what was asked is not allowed there',
  model_not_found: 'it does not know the model',
  invalid_request: 'it cannot be asked this',
  tool_schema: 'it does not take the schema of a tool',
  context_window: 'the conversation is too long for it',
  refusal: 'it refused to answer',
  protocol: 'its answer could not be read',
  unknown: 'a failure of no known kind',
}

function failureText(kind: FailureKind, phase: string): string {
  if (kind === 'network' && phase === 'connect') return 'the provider could not be reached'
  return KINDS[kind]
}

function waitReason(why: 'backoff' | 'retry_after' | 'hold', key: string): string {
  if (why === 'hold') return `until ${key} may be asked again; nobody else may be asked before`
  return why === 'retry_after' ? `as ${key} has asked for` : `before ${key} is asked again`
}

/** A limit ends at an instant that was told, or is long; other holds are short. */
function holdText({ key, reason, untilAt }: Hold, at: number, startedAt: number): string {
  const span = durationText(Math.max(0, untilAt - at))
  return reason === 'limit'
    ? `${key} is at its limit: not to be asked for ${span}, until ${instantText(untilAt, startedAt)}`
    : `${key} is not to be asked for ${span}`
}

function hint(hintMs: number | null): string {
  return hintMs === null ? '' : `, to come back after ${durationText(hintMs)}`
}

function holdsText(holds: readonly Hold[], startedAt: number): string {
  if (holds.length === 0) return 'nobody is held any more'
  return `a hold is over; still held: ${holds.map(({ key, untilAt }) => `${key} until ${instantText(untilAt, startedAt)}`).join(', ')}`
}

function ending(outcome: Outcome): string {
  const { kind, served, attempts, partialText, retryAt, endedAt, startedAt, attribution } = outcome
  const took = `${count(attempts.length, 'attempt')}, ${durationText(endedAt - startedAt)}`
  const partial = partialText === null ? '' : `; ${count(partialText.length, 'character')} already shown stay the partial answer`
  switch (kind) {
    case 'ok':
    case 'incomplete':
      return `${kind}, served by ${served === null ? 'nobody' : `${served.profile}/${served.model}`}${attribution === null ? '' : ' instead'} (${took})`
    case 'interrupted':
      return `interrupted (${took})${partial}, nothing is asked again`
    case 'cancelled':
      return `cancelled (${took})${partial}; no attempt follows`
    case 'all_held':
      return `all held (${took})${retryAt === null ? '' : `; the first is back in ${durationText(retryAt - endedAt)}`}`
    default:
      return `${kind.replaceAll('_', ' ')} (${took})${partial}`
  }
}

function contentLine(event: Exclude<RunEvent, { at: number }>): string {
  switch (event.type) {
    case 'text':
      return margin(`│ ${JSON.stringify(event.text)}`)
    case 'answer':
      return margin(`┃ ${JSON.stringify(event.text)}`)
    case 'reasoning':
      return margin('│ (reasoning)')
    case 'draft':
      return margin(`┆ ${JSON.stringify(event.text)}`)
    case 'toolCall':
      return margin(`│ calls ${event.name}`)
    case 'providerToolCall':
      return margin(`│ the provider runs ${event.name}`)
    case 'providerToolResult':
      return margin('│ (result at the provider)')
    case 'bytes':
      return margin(`│ (${event.bytes.length} bytes as they came)`)
    case 'ending':
      return margin('│ (the end as it came)')
    case 'notice':
      return margin(`! ${event.text}`)
  }
}

function margin(text: string): string {
  return `${' '.repeat(21)}${text}`
}

function heading(turn: string): string {
  return `── ${turn} ${'─'.repeat(Math.max(4, WIDTH - turn.length - 4))}`
}

/** The rows of a turn stand under its name, which would leave a terminal no room for them beside it. */
function ledgerTable(rows: readonly LedgerRow[]): string {
  const head = ['  #', 'asked', 'mode', 'result', 'kept', 'ms', 'in', 'out', 'USD']
  const cells = rows.map((row) => [
    `  ${row.n}`,
    row.profile,
    row.mode,
    row.outcome ?? 'running',
    row.accepted ? 'yes' : 'no',
    row.endedAt === null ? '' : String(row.endedAt - row.startedAt),
    tokens(row.usage?.input),
    tokens(row.usage?.output),
    paid(row),
  ])
  const [title = '', ...lines] = columns([head, ...cells], new Set([0, 5, 6, 7, 8]))
  const named = lines.flatMap((line, index) => {
    const { turn = '', reportedPicoUsd = null } = rows[index] ?? {}
    const own = turn === rows[index - 1]?.turn ? [line] : [turn, line]
    return reportedPicoUsd === null || reportedPicoUsd === 0
      ? own
      : [...own, `     reported: ${(reportedPicoUsd / 1e12).toFixed(6)} USD by the token`]
  })
  return ['', heading('every call that went out'), title, ...named].join('\n')
}

function holdsTable({ holds, at }: Extract<RunEvent, { type: 'kernel.ledger' }>, startedAt: number): string {
  if (holds.length === 0) return ['', heading('nobody is held now')].join('\n')
  const cells = holds.map(({ key, reason, untilAt }) => [key, reason, instantText(untilAt, startedAt), durationText(untilAt - at)])
  return ['', heading('who is held now'), ...columns([['held', 'reason', 'until', 'still'], ...cells])].join('\n')
}

/** What a call cost, or why there is no sum. What a program on its plan reports itself stands in a line of its own. */
function paid({ cost, costBasis, usage }: LedgerRow): string {
  if (cost !== null) return cost.toFixed(6)
  if (costBasis === 'subscription') return costBasis
  return usage === null ? '' : 'unknown'
}

function tokens(told: number | undefined): string {
  return told === undefined ? '' : String(told)
}

function spent(usage: Usage | null, cost: number | null): string {
  if (usage === null) return ''
  const parts = [`${usage.input ?? '?'} tokens in`, `${usage.output ?? '?'} out`, ...(cost === null ? [] : [`$${cost.toFixed(6)}`])]
  return `, ${parts.join(', ')}`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** The farthest instant that has a date. */
const LAST_INSTANT = 8_640_000_000_000_000

/** On the clock of the timeline, or as a date where it is far from all of it. */
function instantText(at: number, startedAt: number): string {
  if (at - startedAt < 600_000) return clock(at - startedAt).trim()
  return `${new Date(Math.min(at, LAST_INSTANT)).toISOString().slice(0, 16)}Z`
}

function clock(ms: number): string {
  return `${(ms / 1_000).toFixed(3).padStart(7)} s`
}
