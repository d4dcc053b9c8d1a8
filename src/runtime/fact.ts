import type { StreamEnd } from '../../machines/stream.ts'
import type { Failure } from '../model/failure.ts'
import { entryName } from '../model/plan.ts'
import type { TurnFact } from '../model/turn-event.ts'
import type { TurnNews } from '../policy/turn-step.ts'
import type { AttemptEnd } from '../policy/verdict.ts'
import { entryOf } from '../policy/walk.ts'
import type { TurnWork } from './turn-work.ts'

/** What the chart of a turn emits, as the public fact: named entries instead of positions, and nothing of the provider's words (R36). */
export function factOf(fact: TurnNews, turn: string, at: number, work: TurnWork): TurnFact {
  switch (fact.type) {
    case 'entry.skipped':
      return { type: 'entry.skipped', turn, at, entry: entryName(entryOf(work.plan, fact.entry)), event: fact.event }
    case 'attempt.failed':
      return { type: 'attempt.failed', turn, at, n: fact.n, kind: fact.failure.kind, event: fact.event }
    case 'hold.set':
      return { type: 'hold.set', turn, at, hold: fact.hold }
    case 'recovery.started':
      return { type: 'recovery.started', turn, at, from: fact.from }
    case 'history.shortened': {
      const kept = work.shortened?.length ?? 0
      return { type: 'history.shortened', turn, at, kept, dropped: work.messages.length - kept }
    }
  }
}

/** A chart, and so an inspector, is given what a failure is and not what its provider said (R36). */
export function withoutWords<End extends { readonly failure: Failure | null }>(end: End): End {
  return end.failure === null ? end : { ...end, failure: { ...end.failure, message: '' } }
}

/** The end of an attempt as its chart reads it. */
export function judgeable({ failure, finish, answered, providerTools }: StreamEnd, mode: AttemptEnd['mode'], committed: boolean): AttemptEnd {
  return { mode, failure, finish, answered, committed, providerTools }
}
