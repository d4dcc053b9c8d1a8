import type { LedgerRow } from '../../../index.ts'
import { useNow } from './hooks.ts'
import { together } from './reduce-ledger.ts'
import type { LedgerSum, PageState } from './state.ts'
import { VirtualTable } from './virtual-table.tsx'
import { clipped, countWords, durationWords, instantWords, knownWords, picoWords, spelled, usdWords } from './words.ts'

/** What was paid: sums by profile and model, and the rows that they are made of. What nobody told is `?`. */
export function LedgerView({ state }: { readonly state: PageState }) {
  const now = useNow(10_000)
  const sums = [...state.sums.values()].sort((a, b) => b.costPicoUsd.sum - a.costPicoUsd.sum || b.attempts - a.attempts)
  if (sums.length === 0) return <p class="empty">No attempt has been entered yet.</p>
  const rows = state.rows.toReversed()
  return (
    <div class="ledger">
      <h3>By profile and model</h3>
      <Sums sums={sums} />
      <p class="hint">
        ? is what nobody told, a provider its tokens or the settings a price: it is not zero, and is in no sum. An attempt on a subscription owes
        nothing by the call. Sums are over all attempts that this page was told of; the rows are the latest {countWords(rows.length)}.
      </p>
      <h3>Attempts, latest first</h3>
      <VirtualTable
        label="Attempts of the ledger"
        columns={ROW_COLUMNS}
        items={rows}
        keyOf={(row, index) => `${index} ${row.turn} ${row.n} ${row.iteration ?? ''}`}
        cells={(row) => cellsOf(row, now)}
      />
    </div>
  )
}

const ROW_COLUMNS = [
  { title: 'ended' },
  { title: 'turn' },
  { title: 'n', figure: true },
  { title: 'profile' },
  { title: 'model' },
  { title: 'result' },
  { title: 'took', figure: true },
  { title: 'input', figure: true },
  { title: 'output', figure: true },
  { title: 'cost', figure: true },
  { title: 'basis' },
]

function cellsOf(row: LedgerRow, now: number): string[] {
  const { usage, endedAt, startedAt } = row
  return [
    endedAt === null ? 'runs' : instantWords(endedAt, now),
    clipped(row.participant === undefined ? row.turn : `${row.turn}, ${row.participant}`, 60),
    String(row.n),
    clipped(row.profile, 60),
    clipped(row.model, 60),
    row.outcome === null ? 'runs' : `${spelled(row.outcome)}${row.outcome === 'ok' && !row.accepted ? ', not accepted' : ''}`,
    endedAt === null ? '–' : durationWords(endedAt - startedAt),
    orUnknown(usage?.input, countWords),
    orUnknown(usage?.output, countWords),
    row.costBasis === 'subscription' ? '–' : orUnknown(row.cost, usdWords),
    row.costBasis,
  ]
}

function orUnknown(value: number | null | undefined, words: (value: number) => string): string {
  return value === null || value === undefined ? '?' : words(value)
}

const NO_BASES = { metered: 0, subscription: 0, unknown: 0 }
const SUM_COLUMNS = ['profile', 'model', 'attempts', 'input', 'cached', 'output', 'cost', 'basis']

function Sums({ sums }: { readonly sums: readonly LedgerSum[] }) {
  const of = (name: 'input' | 'output' | 'cached' | 'costPicoUsd') => together(sums.map((sum) => sum[name]))
  const attempts = sums.reduce((count, sum) => count + sum.attempts, 0)
  const figures = { attempts, input: of('input'), output: of('output'), cached: of('cached'), costPicoUsd: of('costPicoUsd') }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <section class="sums" aria-label="Sums by profile and model" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {SUM_COLUMNS.map((title, column) => (
              <th key={title} scope="col" class={column > 1 && column < 7 ? 'figure' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sums.map((sum) => (
            <SumRow key={`${sum.profile} ${sum.model}`} sum={sum} />
          ))}
        </tbody>
        <tfoot>
          <SumRow sum={{ profile: 'all', model: '', bases: NO_BASES, ...figures }} total />
        </tfoot>
      </table>
    </section>
  )
}

function SumRow({ sum, total = false }: { readonly sum: LedgerSum; readonly total?: boolean }) {
  const bases = Object.entries(sum.bases).filter(([, count]) => count > 0)
  return (
    <tr>
      <th scope="row">{clipped(sum.profile, 80)}</th>
      <td>{clipped(sum.model, 80)}</td>
      <td class="figure">{countWords(sum.attempts)}</td>
      <td class="figure">{knownWords(sum.input, countWords)}</td>
      <td class="figure">{knownWords(sum.cached, countWords)}</td>
      <td class="figure">{knownWords(sum.output, countWords)}</td>
      <td class="figure">{knownWords(sum.costPicoUsd, picoWords)}</td>
      <td>{total ? '' : bases.map(([basis, count]) => (bases.length === 1 ? basis : `${basis} ${count}`)).join(', ')}</td>
    </tr>
  )
}
