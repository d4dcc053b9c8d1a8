import type { EntryDescription, Hold } from '../../../index.ts'
import { useNow, useTools } from './hooks.ts'
import type { Chain, PageState } from './state.ts'
import { clipped, countdownWords, instantWords, spelled } from './words.ts'

/** What a turn would try now, entry by entry, for the settings' own choice and for each hint. */
export function ChainView({ state }: { readonly state: PageState }) {
  const chains = [...state.chains.values()]
  if (chains.length === 0) return <p class="empty">{whyNone(state.opened)}</p>
  const kernels = [...new Set(chains.map(({ kernel }) => kernel))]
  return (
    <div class="chains">
      <Reason />
      {kernels.map((kernel) => (
        <section key={kernel} aria-label={`Kernel ${clipped(kernel, 80)}`}>
          {kernels.length > 1 && <h3>Kernel {clipped(kernel, 80)}</h3>}
          <div class="cards">
            {chains
              .filter((chain) => chain.kernel === kernel)
              .map((chain) => (
                <ChainCard key={chain.model ?? ''} chain={chain} holds={state.holds.get(kernel) ?? []} />
              ))}
          </div>
        </section>
      ))}
    </div>
  )
}

/** The settings of a team alone have no choice of their own: each participant has one. */
function whyNone(opened: PageState['opened']): string {
  return opened?.team == null ? 'No kernel has told what it would try yet.' : 'What each participant would try stands in the view Team.'
}

function Reason() {
  const { whyNoOrders } = useTools()
  return whyNoOrders === null ? null : <p class="hint">{whyNoOrders}</p>
}

function ChainCard({ chain, holds }: { readonly chain: Chain; readonly holds: readonly Hold[] }) {
  const { plan, model } = chain
  return (
    <article class="card">
      <h3>
        {model === null ? 'settings' : clipped(model)}{' '}
        <small>
          asks for {clipped(plan.requested.profile)}, {clipped(plan.requested.model)}
        </small>
      </h3>
      <ol class="entries">
        {plan.entries.map((entry, index) => (
          <Entry key={index} entry={entry} place={index + 1} kernel={chain.kernel} holds={holds} />
        ))}
      </ol>
      {plan.allow !== null && <p class="hint">Only these profiles are allowed: {clipped(plan.allow.join(', '), 400)}</p>}
      {plan.warnings.map(({ code, path }) => (
        <p key={`${code} ${path}`} class="warning">
          {clipped(code)} at {clipped(path)}
        </p>
      ))}
    </article>
  )
}

const SKIPS: Readonly<Record<string, string>> = {
  held: 'held',
  not_allowed: 'not on the allow-list',
  no_streaming: 'cannot stream',
  no_tool_events: 'cannot stream tool calls',
  not_capable: 'lacks what is asked for',
  over_budget: 'over its budget',
}

interface EntryProps {
  readonly entry: EntryDescription
  readonly place: number
  readonly kernel: string
  readonly holds: readonly Hold[]
}

function Entry({ entry, place, kernel, holds }: EntryProps) {
  const now = useNow()
  const { order } = useTools()
  const hold = holds.find(({ key, untilAt }) => key === entry.hold && untilAt > now)
  const stated = entry.heldUntil === null ? Number.NaN : Date.parse(entry.heldUntil)
  const untilAt = hold?.untilAt ?? (stated > now ? stated : null)
  // A plan is told when holds change; one that has lapsed since is over.
  const skip = entry.skip === 'held' && untilAt === null ? null : entry.skip
  return (
    <li class={skip === null ? 'free' : 'skipped'}>
      <span class="place" aria-hidden="true">
        {place}
      </span>
      <span class="name">
        {clipped(entry.profile)} <span class="model">{entry.model === null ? 'as asked for' : clipped(entry.model)}</span>
      </span>
      <span class="why">{skip === null ? 'would be tried' : `skipped: ${SKIPS[skip] ?? spelled(clipped(skip))}`}</span>
      {untilAt !== null && (
        <span class="until">
          {hold === undefined ? '' : `${spelled(clipped(hold.reason))}, `}
          <b>{countdownWords(untilAt - now)}</b> to its reset at <time dateTime={new Date(untilAt).toISOString()}>{instantWords(untilAt, now)}</time>
        </span>
      )}
      {untilAt !== null && order !== null && (
        <button type="button" onClick={() => order({ do: 'clearHold', kernel, key: entry.hold })} aria-label={`Clear hold on ${clipped(entry.hold)}`}>
          Clear hold
        </button>
      )}
    </li>
  )
}
