import type { ActorEvent } from '../page-event.ts'
import type { Draft } from './draft.ts'
import { type Actor, BOUNDS, keyOf } from './state.ts'

/** An actor began, stepped or ended. Of those that are over the latest stay, so that a person can see how they ended. */
export function stepActor(draft: Draft, { type: _, at, ...told }: ActorEvent): void {
  const actors = draft.map('actors')
  const key = keyOf(told.kernel, told.session)
  const known = actors.get(key)
  const moved = known === undefined || known.state !== told.state
  const place = moved ? { since: at, before: known?.state ?? null } : { since: known.since, before: known.before }
  actors.set(key, { ...told, key, ...place, steps: (known?.steps ?? 0) + 1 } satisfies Actor)
  if (told.status !== 'active' && known?.status !== told.status) end(draft, key)
  // The oldest give way: who watches more than this at once reads none of them.
  if (actors.size > BOUNDS.actors) actors.delete(actors.keys().next().value as string)
}

function end(draft: Draft, key: string): void {
  const ended = draft.list('endedActors')
  ended.push(key)
  while (ended.length > BOUNDS.endedActors) {
    const oldest = ended.shift() as string
    const actors = draft.map('actors')
    if (actors.get(oldest)?.status !== 'active') actors.delete(oldest)
  }
}
