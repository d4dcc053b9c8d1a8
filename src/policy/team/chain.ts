import type { ChainEntry, Member, Participant } from '../../model/team.ts'

/**
 * Which engines a participant may run on, on this machine (T6, T8, T10, G18).
 *
 * 1. The participant's own provider comes first, then its chain as written; there is no other (T8).
 * 2. A program that is missing is skipped, the primary's too, and says nothing (T10, G18).
 * 3. The pin of the participant is its primary's. It makes no engine of its own: only a model that a chain entry names does (T6, T10).
 */
export function membersOf(participants: readonly Participant[], isInstalled: (provider: string) => boolean): Member[] {
  return participants.map(({ id, provider, model, failover }) => {
    const primary: ChainEntry = { engine: provider, provider, model, primary: true }
    return { id, entries: [primary, ...failover.map(entryOf)].filter((entry) => isInstalled(entry.provider)) }
  })
}

/** A model may hold colons; a provider holds none. */
function entryOf(written: string): ChainEntry {
  const colon = written.indexOf(':')
  if (colon === -1) return { engine: written, provider: written, model: null, primary: false }
  return { engine: written, provider: written.slice(0, colon), model: written.slice(colon + 1), primary: false }
}
