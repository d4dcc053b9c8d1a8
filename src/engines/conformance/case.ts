import type { ProviderEvent } from '../../model/provider-event.ts'
import { Recording } from './recording.ts'
import type { ConformanceSubject, Need, Prepared, Situation } from './subject.ts'

export interface ConformanceCase {
  /** Rule or contract number, and the promise. */
  readonly name: string
  /** What a subject must be able to do for the case to apply. */
  readonly needs?: readonly Need[]
  run(subject: ConformanceSubject): Promise<void>
}

/** Why a case does not apply to a subject, in the subject's words; null when it does. */
export function notApplicable(one: ConformanceCase, subject: ConformanceSubject): string | null {
  for (const need of one.needs ?? []) if (subject.lacks?.[need] !== undefined) return subject.lacks[need]
  return null
}

/** A case with one prepared situation, which is disposed of whatever happens. */
export function caseOf(
  name: string,
  situation: Situation | (() => Situation),
  run: (prepared: Prepared, situation: Situation) => Promise<void>,
  ...needs: readonly Need[]
): ConformanceCase {
  return {
    name,
    needs,
    async run(subject) {
      const wanted = typeof situation === 'function' ? situation() : situation
      const prepared = await subject.prepare(wanted)
      try {
        await run(prepared, wanted)
      } finally {
        await prepared.dispose()
      }
    },
  }
}

/** A case that runs one attempt to its end, holds it against the contract, and then looks at what came. */
export function attemptCase(
  name: string,
  situation: Situation,
  look: (recording: Recording, prepared: Prepared) => void | Promise<void>,
  ...needs: readonly Need[]
): ConformanceCase {
  return caseOf(name, situation, async (prepared) => look(await attempted(prepared), prepared), ...needs)
}

/** One attempt run to its end and held against contract 2. */
export async function attempted(prepared: Prepared, onEvent?: (event: ProviderEvent, recording: Recording) => void): Promise<Recording> {
  const recording = new Recording(prepared.engine, prepared.request, onEvent)
  const ended = await prepared.until(recording.over)
  if (!ended) {
    recording.stop()
    throw new Error(`never completed; its last word was ${recording.events.at(-1)?.type ?? 'nothing'}`)
  }
  recording.lawful()
  return recording
}

export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  const [is, should] = [canonical(actual), canonical(expected)]
  if (is === should) return
  const at = firstDifference(is, should)
  throw new Error(`${what}: expected ${excerpt(should, at)}, got ${excerpt(is, at)}`)
}

function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

/** The part around a place, so that long texts stay one readable line. */
function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - 30)
  return `${from > 0 ? '…' : ''}${text.slice(from, at + 50)}${text.length > at + 50 ? '…' : ''}`
}

/** JSON with sorted keys, so that the order in which an engine builds its objects means nothing. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'undefined'
  )
}
