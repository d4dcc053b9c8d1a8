import type { PageEvent } from '../page-event.ts'
import { Draft } from './draft.ts'
import { stepActor } from './reduce-actor.ts'
import { enterRow } from './reduce-ledger.ts'
import { appendLine, appendPost, takeStatus } from './reduce-team.ts'
import { tellTurn } from './reduce-turn.ts'
import { BOUNDS, keyOf, type PageState } from './state.ts'

/**
 * The state after these events: the one way in which the page comes to know anything, live and from a recording.
 *
 * 1. It reads no clock and no chance: the same events make the same state.
 * 2. `page.opened` begins anew, so that a stream that comes back needs no memory of what it had told before.
 */
export function reduced(state: PageState, events: readonly PageEvent[]): PageState {
  if (events.length === 0) return state
  const draft = new Draft(state)
  for (const event of events) take(draft, event)
  return draft.state
}

function take(draft: Draft, event: PageEvent): void {
  if (event.type === 'page.opened') open(draft, event)
  if (event.at > draft.state.at) draft.set('at', event.at)
  switch (event.type) {
    case 'page.opened':
      return
    case 'page.time':
      return draft.set('clock', { at: event.at, rate: event.rate })
    case 'page.closed':
      return close(draft, event)
    case 'team.opened':
      return openTeam(draft, event)
    case 'turn.told':
      return tellTurn(draft, event)
    case 'row.closed':
      return enterRow(draft, event.row)
    case 'chain.planned':
      return plan(draft, event)
    case 'holds.changed':
      return void draft.map('holds').set(event.kernel, event.holds)
    case 'actor.stepped':
      return stepActor(draft, event)
    case 'team.told':
      return takeStatus(draft, event)
    case 'team.logged':
      return appendLine(draft, event)
    case 'team.posted':
      return appendPost(draft, event.post)
  }
}

function open(draft: Draft, event: Extract<PageEvent, { readonly type: 'page.opened' }>): void {
  const { at, title, showsText, takesOrders, team } = event
  draft.clear()
  draft.set('opened', { title, showsText, takesOrders, team })
  draft.set('clock', { at, rate: 0 })
}

/** What is over stays as it was: on a clock that went on, a demo's day would pass in seconds, and all that is held would be free. */
function close(draft: Draft, { at, why }: Extract<PageEvent, { readonly type: 'page.closed' }>): void {
  draft.set('closed', why)
  if (why === 'over') draft.set('clock', { at, rate: 0 })
}

/** A team that came later; what is known of another is over. */
function openTeam(draft: Draft, { name, participants }: Extract<PageEvent, { readonly type: 'team.opened' }>): void {
  const { opened } = draft.state
  if (opened !== null) draft.set('opened', { ...opened, team: { name, participants } })
}

/** A kernel's chains keep their places when they are planned anew. */
function plan(draft: Draft, { kernel, model, at, plan: planned }: Extract<PageEvent, { readonly type: 'chain.planned' }>): void {
  const chains = draft.map('chains')
  const key = keyOf(kernel, model ?? '')
  if (!chains.has(key) && chains.size >= BOUNDS.chains) chains.delete(chains.keys().next().value as string)
  chains.set(key, { kernel, model, at, plan: planned })
}
