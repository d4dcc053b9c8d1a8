import type { PageEvent } from '../page-event.ts'
import type { Draft } from './draft.ts'
import { BOUNDS, type TeamPost } from './state.ts'

type Told<Type extends PageEvent['type']> = Extract<PageEvent, { readonly type: Type }>

export function takeStatus(draft: Draft, { event, status }: Told<'team.told'>): void {
  const before = draft.state.team?.state ?? null
  draft.set('team', status)
  if (event.type === 'gate.opened') draft.say(`${event.participant} asks for approval`)
  else if (status.state !== before) draft.say(`team: ${status.state.replaceAll('_', ' ')}`)
}

export function appendLine(draft: Draft, { at, line }: Told<'team.logged'>): void {
  draft.push('log', { at, line }, BOUNDS.log)
}

/** A post that was told already stays as it was: a stream that catches up may tell it again. */
export function appendPost(draft: Draft, post: TeamPost): void {
  const last = draft.state.posts.at(-1)
  if (last === undefined || post.id > last.id) draft.push('posts', post, BOUNDS.posts)
}
