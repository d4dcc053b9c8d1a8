import type { Post, TeamEvent, TeamHandle, TeamStatus } from '../../index.ts'
import type { PageEvent } from './page-event.ts'

/** A team as far as it is looked at. */
export type SeenTeam = Pick<TeamHandle, 'events$' | 'thread$' | 'thread' | 'status'>

/** How many of the posts that stand in the thread already are told. */
const POSTS_TOLD = 1_000

/** Tells how a team stands, and from then on everything that happens in it. Returns the end of that. */
export function tellTeam(team: SeenTeam, tell: (event: PageEvent) => void): () => void {
  for (const post of team.thread.posts().slice(-POSTS_TOLD)) tell(postEvent(post))
  const { status } = team
  tell({ type: 'team.told', at: status.since, event: { type: 'state.entered', at: status.since, state: status.state }, status })
  const events = team.events$.subscribe((event) => tell(teamEvent(event, team.status)))
  const posts = team.thread$.subscribe((post) => tell(postEvent(post)))
  return () => {
    events.unsubscribe()
    posts.unsubscribe()
  }
}

/** A line of the log is no change of the team. A defect is told as its words, as an error is nothing in JSON. */
export function teamEvent(event: TeamEvent, status: TeamStatus): PageEvent {
  const { at } = event
  if (event.type === 'line.written') return { type: 'team.logged', at, line: event.line }
  return { type: 'team.told', at, event: event.type === 'team.failed' ? { ...event, error: String(event.error) } : event, status }
}

function postEvent({ id, at, participant, engine, text, notice }: Post): PageEvent {
  return { type: 'team.posted', at, post: { id, at, participant, engine, text, ...(notice === undefined ? {} : { notice }) } }
}
