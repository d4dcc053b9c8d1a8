import type { ComponentType } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { PageOrder } from '../page-event.ts'
import { Announcer } from './announcer.tsx'
import { ChainView } from './chain-view.tsx'
import { Tools, useModel } from './hooks.ts'
import { LedgerView } from './ledger-view.tsx'
import { LiveView } from './live-view.tsx'
import { Masthead } from './masthead.tsx'
import { give } from './orders.ts'
import { PlayerBar } from './player-bar.tsx'
import { rememberedView, rememberView } from './session.ts'
import type { PageState } from './state.ts'
import type { Store } from './store.ts'
import { Tabs } from './tabs.tsx'
import { TeamView } from './team-view.tsx'
import { TimelineView } from './timeline-view.tsx'
import { TraceView } from './trace-view.tsx'

const VIEWS: readonly { readonly id: string; readonly title: string; readonly View: ComponentType<{ state: PageState }> }[] = [
  { id: 'live', title: 'Live', View: LiveView },
  { id: 'chain', title: 'Chain', View: ChainView },
  { id: 'timeline', title: 'Timeline', View: TimelineView },
  { id: 'ledger', title: 'Ledger', View: LedgerView },
  { id: 'team', title: 'Team', View: TeamView },
  { id: 'trace', title: 'Trace', View: TraceView },
]

const known = (id: string | null): string | null => (VIEWS.some((view) => view.id === id) ? id : null)

export function App({ store, token }: { readonly store: Store; readonly token: string | null }) {
  const model = useModel(store)
  const [chosen, choose] = useView()
  const [answer, setAnswer] = useState({ n: 0, text: '' })
  const order = useCallback(
    async (what: PageOrder) => {
      const { taken, words } = await give(what, token)
      setAnswer(({ n }) => ({ n: n + 1, text: words }))
      return taken
    },
    [token],
  )
  const whyNoOrders = reasonAgainstOrders(model.player !== null, model.state.opened?.takesOrders ?? false, token !== null)
  const { View, title } = VIEWS.find(({ id }) => id === chosen) ?? VIEWS[0] ?? { View: LiveView, title: 'Live' }
  return (
    <Tools.Provider value={{ store, token, order: whyNoOrders === null ? order : null, whyNoOrders }}>
      <Masthead model={model} />
      <nav aria-label="Views">
        <Tabs items={VIEWS} chosen={chosen} onChoose={choose} />
      </nav>
      <main>
        {model.player !== null && <PlayerBar player={model.player} />}
        <div id="view" role="tabpanel" aria-labelledby={`tab-${chosen}`}>
          <h2 class="unseen">{title}</h2>
          <View state={model.state} />
        </div>
      </main>
      <Answer answer={answer} onClose={() => setAnswer(({ n }) => ({ n, text: '' }))} />
      <Announcer said={model.state.said} connection={model.connection} closed={model.state.closed} />
    </Tools.Provider>
  )
}

function Answer({ answer, onClose }: { readonly answer: { readonly n: number; readonly text: string }; readonly onClose: () => void }) {
  return (
    <div class="answer" role="status" aria-label="What came of an order" hidden={answer.text === ''}>
      <span key={answer.n}>{answer.text}</span>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </div>
  )
}

function reasonAgainstOrders(recorded: boolean, taken: boolean, hasToken: boolean): string | null {
  if (recorded) return 'A recording takes no orders.'
  if (!taken) return 'No orders are taken here.'
  return hasToken ? null : 'Orders need the token: open the page by the address that the command printed.'
}

/** The view stands in the fragment, so that back and forward work; the last one is remembered. */
function useView(): [string, (id: string) => void] {
  const [chosen, setChosen] = useState(() => known(location.hash.slice(1)) ?? known(rememberedView()) ?? 'live')
  useEffect(() => {
    const follow = (): void => setChosen((before) => known(location.hash.slice(1)) ?? before)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const choose = useCallback((id: string) => {
    rememberView(id)
    location.hash = id
    setChosen(id)
  }, [])
  return [chosen, choose]
}
