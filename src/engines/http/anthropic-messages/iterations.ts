import type { Iteration } from '../../../model/provider-event.ts'
import { type Usage, usageFrom } from '../../../model/usage.ts'
import { count } from '../decoder.ts'
import { isObject, type JsonObject } from '../json-object.ts'

/**
 * What Anthropic samples inside one response, `usage.iterations` (wire.md §3; platform.claude.com, "Refusals and fallback", "Compaction at a token
 * threshold", "Advisor tool"). An entry is one sampling with its own counts, each billed at the rate of the model that ran it: `message` of the model
 * that was asked, also of one that declined; `fallback_message` of another that took over, always the last one of it; `compaction` of the model that was
 * asked; `advisor_message` of one that it asked for advice. The counts beside the list are those of the answer alone.
 *
 * 1. A list is taken whole or not at all: the counts beside it are right in themselves.
 * 2. Samplings of one model are one iteration, as a loop of tools at the provider has dozens. What answered stands apart, and last.
 * 3. The first iteration is that of the model that was asked, with no tokens where the provider went past it (it remembers for an hour who has declined a
 *    conversation).
 * 4. The model that was asked has the name that it was asked by: the wire has its full one.
 */
export interface Sampled {
  /** Of the models in order; fewer than two where only the model that was asked was sampled. */
  readonly iterations: readonly Iteration[]
  /** Of all samplings. */
  readonly usage: Usage
}

/** Null when the list is none, or says what no list says. `asked`: the name of the model in the request; `named`: who the message says it is from. */
export function sampledOf(list: unknown, asked: string | null, named: string | null): Sampled | null {
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_SAMPLINGS) return null
  const samplings: Sampling[] = []
  for (const entry of list) {
    const sampling = isObject(entry) ? samplingOf(entry, named) : null
    if (sampling === null) return null
    samplings.push(sampling)
  }
  const iterations = inOrder(samplings, asked)
  const usage = total(samplings)
  const isCountable = Number.isSafeInteger(usage.input) && Number.isSafeInteger(usage.output)
  return isCountable && iterations.length > 0 && iterations.length <= MOST_MODELS ? { iterations, usage } : null
}

/** Tokens of one sampling or of an answer, as the house counts them: `input` with what was read from and written to a cache (faces.md §2). */
export function usageOf(counts: JsonObject): Usage | null {
  const [fresh, output, cachedInput] = [count(counts.input_tokens), count(counts.output_tokens), count(counts.cache_read_input_tokens)]
  const input = fresh === undefined ? undefined : fresh + (count(counts.cache_creation_input_tokens) ?? 0) + (cachedInput ?? 0)
  if (input === undefined && output === undefined) return null
  return usageFrom(input, output, cachedInput)
}

interface Sampling {
  readonly model: string
  readonly usage: Usage
  readonly answers: boolean
  readonly tookOver: boolean
  readonly advises: boolean
}

/** A loop of tools ends far sooner; a longer list is an attack on whoever keeps it. */
const MOST_SAMPLINGS = 1_000
/** Three models may be named to take over; a ledger has a row for each. */
const MOST_MODELS = 16

function samplingOf(entry: JsonObject, named: string | null): Sampling | null {
  const { type } = entry
  const [tookOver, advises] = [type === 'fallback_message', type === 'advisor_message']
  const answers = tookOver || type === 'message'
  // What the model that was asked has sampled does not always say so.
  const model = entry.model === undefined || entry.model === null ? (tookOver || advises ? null : named) : nameIn(entry.model)
  const usage = usageOf(entry)
  if (!(answers || advises || type === 'compaction') || model === null || usage?.input === undefined || usage.output === undefined) return null
  return { model, usage, answers, tookOver, advises }
}

/** Stands in ledgers and before people: no control character and no end of a line, whoever speaks at the address. */
export function nameIn(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,200}$/.test(value) ? value : null
}

function inOrder(samplings: readonly Sampling[], asked: string | null): Iteration[] {
  const own = askedAs(samplings)
  const nameOf = (model: string): string => (model === own ? (asked ?? model) : model)
  // One that paused before it answered has only made its history shorter.
  const answering = samplings.findLastIndex(({ answers }) => answers)
  const last = answering === -1 ? samplings.findLastIndex(({ model }) => model === own) : answering
  const answered = samplings[last]?.model
  if (answered === undefined) return []
  if (samplings.every(({ model }) => model === own)) return [{ model: nameOf(answered), usage: total(samplings) }]
  let from = last
  while (samplings[from - 1]?.model === answered) from -= 1
  // Only a refusal makes it go on with another model; an adviser, and a round of a loop of tools, came off.
  const wasTakenOver = samplings.some(({ tookOver }) => tookOver)
  const tried = new Map<string, Omit<Iteration, 'model'>>()
  for (const { model, usage, answers } of [...samplings.slice(0, from), ...samplings.slice(last + 1)]) {
    const before = tried.get(nameOf(model))
    const result = before?.result === 'refusal' || (wasTakenOver && answers) ? 'refusal' : 'ok'
    tried.set(nameOf(model), { usage: plus(before?.usage ?? {}, usage), result })
  }
  const first = own === null ? asked : nameOf(own)
  const wasPassed = first !== null && first !== [...tried.keys()][0]
  return [
    ...(wasPassed ? [{ model: first, usage: { input: 0, output: 0 }, result: wasTakenOver ? ('refusal' as const) : ('ok' as const) }] : []),
    ...[...tried].map(([model, rest]) => ({ model, ...rest })),
    { model: nameOf(answered), usage: total(samplings.slice(from, last + 1)) },
  ]
}

/** How the wire names the model that was asked; null where it was not sampled at all. */
function askedAs(samplings: readonly Sampling[]): string | null {
  const first = samplings.find(({ advises }) => !advises)?.model ?? null
  return samplings.some(({ tookOver, model }) => tookOver && model === first) ? null : first
}

function total(samplings: readonly Sampling[]): Usage {
  return samplings.map(({ usage }) => usage).reduce(plus, {})
}

function plus(left: Usage, right: Usage): Usage {
  const sum: Usage = {}
  for (const name of ['input', 'output', 'cachedInput'] as const) {
    if (left[name] !== undefined || right[name] !== undefined) sum[name] = (left[name] ?? 0) + (right[name] ?? 0)
  }
  return sum
}
