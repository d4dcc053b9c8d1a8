import { FAULTS } from '../../src/engines/loopback/fault.ts'
import { type Expected, type Row, SINKS } from './row.ts'
import { TABLE } from './table.ts'

/** docs/faults.md: the words for faults, and the fault table as the matrix test runs it. */
export function faultsPage(): string {
  return [INTRODUCTION, words(), READING, ...TABLE.map(([title, rows]) => section(title, rows))].join('\n')
}

const INTRODUCTION = `# Faults

\`relevo/testing\` has a provider that runs on 127.0.0.1, speaks every protocol and fails in every way that is known. Point a profile at it and
script what it does, item by item:

\`\`\`ts
import { createKernel } from 'relevo'
import { startLoopbackProvider } from 'relevo/testing'

const provider = await startLoopbackProvider({
  script: {
    'openai.a/m': { stream: [{ fault: { kind: 'cut', at: { beforeEvent: 1 }, by: 'rst' } }] },
    'openai.b/m': { call: [{ http: 503, headers: { 'retry-after': '1' } }, { ok: 'here I am' }] },
  },
})
const profile = (id: string) => ({ endpoint: provider.endpoint(id), model: 'm', apiKey: 'test-key' })
const kernel = createKernel({
  primary: 'openai.a',
  profiles: { 'openai.a': { ...profile('openai.a'), fallback: ['openai.b'] }, 'openai.b': profile('openai.b') },
})
const outcome = await kernel.turn({ prompt: 'hello', sinks: { draft: (text) => console.log(text) } }).outcome
console.log(outcome.kind, provider.requests.map(({ entry, mode, end }) => [entry, mode, end]))
await kernel.stop()
await provider.close()
\`\`\`

Items are those of a scenario ([what a provider does](scenarios.md#what-a-provider-does)): \`{ ok: 'hello' }\` for a call, \`{ events: [{ text: 'hello' }, { final: 'stop' }] }\` for a
stream. A status is an item (\`{ http: 429 }\`) and a sequence of them is a queue; an error inside a stream is an event of it (\`{ error: { http: 529, message: 'no' } }\`).
Everything else is a fault, done to the item's \`answer\` or to a short ordinary one. A list of faults is done in order.
A place (\`at\`) is a byte (\`40\`, \`-8\` from the end, \`'end'\`) or speaks of the stream: \`{ beforeEvent: 1 }\`, \`{ insideEvent: 1 }\`, \`{ frame: -1 }\`.

| \`kind\` | the provider … |
|---|---|`

function words(): string {
  const rows = Object.entries(FAULTS).map(([kind, does]) => `| \`${kind}\` | ${does} |`)
  return `${rows.join('\n')}\n`
}

const READING = `## What a turn makes of them

Two profiles of one protocol: the first does what the row says, the second is healthy. No retries and default deadlines, unless the row says
otherwise. Each row is run in every protocol and for every reader by \`test/faults\`, over real HTTP; this page is printed from its table.
\`truncated → second\` reads: the first attempt failed as \`truncated\`, and the second provider served. *Interrupted*: the reader has seen text
for good, so nobody else is asked and \`turn.text\` rejects with \`StreamInterruptedAfterOutput\`. *Replaced*: the draft so far gives way to the answer.
`

function section(title: string, rows: readonly Row[]): string {
  const lines = rows.map((row) => `| ${row.does} | ${SINKS.map((sink) => cell(row.expected[sink])).join(' | ')} |`)
  const table = [`### ${title}`, '', '| the first provider … | event sink | draft sink | no sink |', '|---|---|---|---|', ...lines, '']
  const notes = notesOf(rows)
  return [...table, ...(notes.length === 0 ? [] : [...notes, ''])].join('\n')
}

/** Where a protocol differs: a line for all rows in which it differs alike. */
function notesOf(rows: readonly Row[]): string[] {
  const alike = new Map<string, { api: string; rows: string[]; end: string }>()
  for (const row of rows) {
    for (const [api, own] of Object.entries(row.differs ?? {})) {
      if (own === undefined) continue
      const cells = SINKS.flatMap((sink) => (own[sink] ? [cell(own[sink])] : []))
      const end = `${[...new Set(cells)].join(' or ')}; ${own.why}`
      const note = alike.get(api + end) ?? { api, rows: [], end }
      alike.set(api + end, { ...note, rows: [...note.rows, row.does] })
    }
  }
  return [...alike.values()].map((note) => `- \`${note.api}\` that ${note.rows.join(', or ')}: ${note.end}.`)
}

const ENDS: Readonly<Partial<Record<Expected['outcome'], string>>> = { interrupted: 'interrupted', all_held: 'all held' }

function cell(expected: Expected | null): string {
  if (expected === null) return '–'
  const steps = expected.attempts.map((attempt) => attempt.split(' ') as [string, string])
  const told = steps.map(([who, result]) => (result === 'ok' ? who : `\`${result}\``))
  const end = ENDS[expected.outcome]
  const isReplaced = expected.outcome === 'ok' && expected.seen !== 'nothing' && steps.at(-1)?.[0] === 'second'
  const warned = expected.warning === undefined ? '' : `, warned \`${expected.warning}\``
  return `${[...told, ...(end === undefined ? [] : [end])].join(' → ')}${isReplaced ? ', replaced' : ''}${warned}`
}
