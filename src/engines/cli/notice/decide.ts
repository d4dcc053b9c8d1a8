import type { Notice } from '../../../model/notice.ts'
import { normalised } from '../reset/normalise.ts'
import { believed, readInstant, readReset } from '../reset/read-reset.ts'
import type { Reset, ResetView } from '../reset/reset.ts'
import { bindingOf } from './binding.ts'
import { classify, isRetry, type Reading } from './classify.ts'
import type { Memory } from './memory.ts'
import { behind, isOfMinutes, LONGEST_THROTTLE_MS, statedReset } from './stated-reset.ts'
import { type Statement, statementOf } from './statement.ts'
import { NO_FACTS, type Voice } from './voice.ts'

/**
 * The notice of a run (cli-engines.md §6), in the order that binds: success wins; the structured limit; what was said, the terminal event
 * first; a sleep; an outage; a retry; nothing.
 */

/** What is known of the end beside what was said. */
interface HeardEnd {
  /** Null: not known, ended by a signal, or by us. */
  readonly exitCode: number | null
  readonly plain: string
  readonly view: ResetView
}

/** The longest text that is passed on for people, and what is looked at for it. */
const WORDS = 500
const READ = 2000

/** Whatever of the program stands in a notice is printed for people: no code of a terminal is in it, wherever the words were found. */
export function decide(memory: Memory, voice: Voice, end: HeardEnd): Notice {
  const notice = decided(memory, voice, end)
  const printable = (text: string): string => normalised(text.slice(0, READ)).slice(0, WORDS)
  const nameOf = (text: string | null): string | null => (text === null || printable(text) === '' ? null : printable(text))
  return { ...notice, words: printable(notice.words), scope: nameOf(notice.scope), model: nameOf(notice.model) }
}

function decided(memory: Memory, voice: Voice, end: HeardEnd): Notice {
  const { ended } = memory
  const { statements: errors, retry: again, sleep } = memory.errors.heard()
  if (ended?.how === 'well') return finished(classify(errors, voice, ['incomplete']))
  if (ended?.how === 'unusable') return bare('incomplete', ended.text)
  const { statements: plain, retry } = plainOf(end.plain, voice)
  if (ended === null && end.exitCode === 0 && voice.exitTells) {
    // Old versions of a CLI print their notice as an answer (G21); whatever else is said, the run has succeeded.
    return heard(classify(plain, voice, ['spend', 'limit']), memory, end.view) ?? bare('none', '')
  }
  const groups = [memory.last, [...memory.others, ...plain], errors]
  return (
    standingLimit(memory, voice, groups.flat(), end.view) ??
    said(groups.slice(0, 2), errors, memory, voice, end.view) ??
    slept(sleep ?? memory.sleep, memory.runModel, end.view) ??
    said([errors], [], memory, voice, end.view) ??
    // Without its plain output, which may be the answer of a model: these words go into the log (R36).
    unfinished(memory, end, [...memory.last, ...memory.others, ...errors], again ?? retry)
  )
}

/** Success with a line beside it that takes it back. */
function finished(taken: Reading | null): Notice {
  return taken === null ? bare('none', '') : bare('incomplete', taken.text)
}

/** Output without events: a notice if it is nothing else (G21). */
function plainOf(plain: string, voice: Voice): { readonly statements: readonly Statement[]; readonly retry: string | null } {
  if (plain === '') return { statements: [], retry: null }
  const statement = statementOf(plain, voice, { own: false, guarded: true })
  return isRetry(statement, voice) ? { statements: [], retry: statement.text } : { statements: [statement], retry: null }
}

/**
 * The account is out, and the run failed. The event says so of every 429 (finding 1), so that a spend stop or a throttle in the words wins;
 * an event that names neither limit nor instant gives way to whatever the words say, and says nothing of a run that has not ended with it:
 * it comes before the words of a passing throttle as well.
 */
function standingLimit({ standing, ended, runModel }: Memory, voice: Voice, statements: readonly Statement[], view: ResetView): Notice | null {
  if (standing?.rejected !== true) return null
  const reading = classify(statements, voice)
  const isBare = standing.type === null && standing.resetsAt === null
  const isStop = reading?.worded === true && (reading.kind === 'spend' || reading.kind === 'throttle')
  if (isStop || (isBare && (reading === null ? ended === null : reading.kind !== 'limit'))) return null
  const text = reading?.text ?? wordsOf(statements)
  const stated = readInstant(standing.resetsAt)
  const reset = believed(stated, view.now) ?? readReset(text, view)
  return limit(reset, bindingOf(text, NO_FACTS, standing.type, runModel), text, stated)
}

/** The first group that says anything decides; a limit without a reset takes the one that is said elsewhere of the same. */
function said(groups: readonly (readonly Statement[])[], beside: readonly Statement[], memory: Memory, voice: Voice, view: ResetView): Notice | null {
  for (const group of groups) {
    const notice = heard(classify(group, voice), memory, view)
    if (notice === null) continue
    if (notice.kind !== 'limit_no_reset') return notice
    const others = [...group, ...beside].map((one) => heard(classify([one], voice, ['limit']), memory, view))
    return others.find((other) => other?.kind === 'limit_reset') ?? notice
  }
  return null
}

function heard(reading: Reading | null, memory: Memory, view: ResetView): Notice | null {
  if (reading === null) return null
  const { kind, statement, text, rate } = reading
  switch (kind) {
    case 'limit':
    case 'throttle': {
      const reset = statedReset(reading, view)
      const isLong = reset !== null && reset.at - view.now > LONGEST_THROTTLE_MS
      const isLimit = rate && (reset !== null || isOfMinutes(reading)) ? isLong : kind === 'limit'
      if (isLimit) return limit(reset, bindingOf(text, statement.facts, null, memory.runModel), text, readInstant(statement.facts.resetsAt))
      // The CLI has waited as long as it was told to, and was sent away again.
      return bare('throttle', text, memory.retries.some((retry) => retry.includes(statement.text)) ? null : reset)
    }
    case 'overloaded':
      return bare(kind, text, statedReset(reading, view))
    case 'spend':
      return { ...bare(kind, text), ...bindingOf(text, statement.facts, null, memory.runModel) }
    default:
      return bare(kind, text)
  }
}

/** A sleep that was announced instead of an end is the limit that it waits out. */
function slept(sleep: Memory['sleep'], runModel: string | null, view: ResetView): Notice | null {
  if (sleep === null) return null
  const reset = readReset(sleep.text, view) ?? believed(behind(view.now, { ms: sleep.ms, source: 'duration' }), view.now)
  return limit(reset, bindingOf(sleep.text, NO_FACTS, null, runModel), sleep.text, null)
}

function unfinished(memory: Memory, { exitCode }: HeardEnd, statements: readonly Statement[], printed: string | null): Notice {
  if (memory.waiting !== null) return bare('network', memory.waiting)
  const retry = memory.retries.at(-1) ?? printed
  // A process that has ended is not trying any more.
  if (retry !== null && exitCode === null && memory.ended === null) return bare('retry_notice', retry)
  return bare('none', wordsOf(statements))
}

/** The first that is certainly no answer: what may be a model's and is too long for a notice is in no log (R36). */
function wordsOf(statements: readonly Statement[]): string {
  return statements.find(({ tooLong }) => !tooLong)?.text ?? ''
}

/** `stated`: the instant of a field. Where it is not believed the words say so, as nothing in them shows it. */
function limit(reset: Reset | null, binding: Pick<Notice, 'scope' | 'model'>, text: string, stated: Reset | null): Notice {
  const words = reset === null && stated !== null ? `${text.slice(0, WORDS - NOT_BELIEVED.length)}${NOT_BELIEVED}` : text
  return { ...bare(reset === null ? 'limit_no_reset' : 'limit_reset', words, reset), ...binding }
}

const NOT_BELIEVED = ' (it states a reset that is too far ahead to be believed)'

function bare(kind: Notice['kind'], words: string, reset: Reset | null = null): Notice {
  return { kind, resetAt: reset?.at ?? null, resetSource: reset?.source ?? 'none', scope: null, model: null, words }
}
