import type FastCheck from 'fast-check'
import { checkConfig } from '../config/check.ts'
import { entryName } from '../model/plan.ts'
import { domainsOf } from '../plan/domains.ts'
import { type CallItem, callItem, type FastCheckModule, LONGEST_MS, MARK, mostly, type StreamItem, streamItem } from './arbitrary-items.ts'
import { settingsArbitrary } from './arbitrary-settings.ts'
import type { Scenario } from './scenario.ts'

/**
 * Whole scenarios of model calls for fast-check: settings, what every upstream will do, what the host does and when. Every failure kind,
 * every kind of sink, holds from the start, cancels at any instant.
 *
 * 1. Nothing here imports fast-check but as a type: the host passes its own in, and who writes no properties needs none.
 * 2. Whatever is generated, `readScenario` accepts.
 * 3. Every entry that a turn could be sent to has a script; a queue may still run out, which is told as `unscripted`.
 * 4. Scripted answers carry marks, `[1]`, `[2]`, a mark to an item, so that text tells which item it came from.
 */
export interface ScenarioArbitraryOptions {
  /**
   * Settings to play instead of generated ones, as `config` of a scenario holds them: `fc.constant(own)`. Keys of `env` and `file` are never
   * read, so credentials are literal. Settings that a kernel refuses are played too; each of their turns ends as `config_error`.
   */
  readonly settings?: FastCheck.Arbitrary<Readonly<Record<string, unknown>>> | undefined
}

export interface GeneratedTurn {
  readonly id: string
  readonly model: string | null
  readonly stream: boolean
  readonly sinks: ('event' | 'draft')[]
  readonly tools: boolean
  readonly messages: { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }[]
}

type GeneratedStep = { readonly atMs: number; readonly turn: GeneratedTurn } | { readonly atMs: number; readonly cancel: string }

/** A scenario that says everything that a scenario may leave out but its notes. */
export interface GeneratedScenario<Settings> {
  readonly format: 1
  readonly kind: 'calls'
  readonly id: string
  readonly config: Settings
  readonly holds: Record<string, { readonly untilMs: number; readonly reason: 'cooldown' | 'limit' | 'outage' }>
  readonly script: Record<string, { readonly call: CallItem[]; readonly stream: StreamItem[] }>
  readonly steps: GeneratedStep[]
}

const HISTORIES: readonly GeneratedTurn['messages'][] = [
  [{ role: 'user', content: 'hi' }],
  [{ role: 'user', content: 'explain why' }],
  [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two' },
    { role: 'user', content: 'three' },
    { role: 'assistant', content: 'four' },
    { role: 'user', content: 'five' },
  ],
]

/**
 * Scenarios to play with `simulate`: `fc.assert(fc.asyncProperty(scenarioArbitrary(fc), async (scenario) => { … }))`. `fc` is fast-check, of
 * major version 4, as the host imports it. By default settings are generated as well.
 */
export function scenarioArbitrary(fc: FastCheckModule, options: ScenarioArbitraryOptions = {}): FastCheck.Arbitrary<Scenario> {
  return scenarioWith(fc, options.settings ?? settingsArbitrary(fc))
}

/** The same with the type of its settings kept. */
export function scenarioWith<Settings extends Readonly<Record<string, unknown>>>(
  fc: FastCheckModule,
  settings: FastCheck.Arbitrary<Settings>,
): FastCheck.Arbitrary<GeneratedScenario<Settings>> {
  const queues = fc.record({
    call: fc.array(callItem(fc), { minLength: 2, maxLength: 5 }),
    stream: fc.array(streamItem(fc), { minLength: 1, maxLength: 3 }),
  })
  return settings.chain((config) => {
    const { names, labels, hints } = reachOf(config)
    return fc
      .record({ script: fc.tuple(...names.map(() => queues)), holds: holds(fc, labels), steps: steps(fc, hints) })
      .map((drawn): GeneratedScenario<Settings> => {
        const script = marked(Object.fromEntries(names.map((name, index) => [name, drawn.script[index] ?? { call: [], stream: [] }])))
        return { format: 1, kind: 'calls', id: 'generated', config, holds: drawn.holds, script, steps: drawn.steps }
      })
  })
}

/** Names of every entry that a plan of these settings could hold, the keys of their holds, and the hints; nothing of settings that are refused. */
function reachOf(config: unknown): { names: string[]; labels: string[]; hints: readonly string[] } {
  const { settings } = checkConfig(config, { secrets: { env: () => undefined, file: () => undefined } })
  if (settings === null) return { names: [], labels: [], hints: [] }
  const { primary, byHint, hints } = domainsOf(settings)
  const entries = [primary, ...[...byHint.values()].map((routed) => routed.domain)].flatMap((domain) => domain.all.entries)
  return { names: [...new Set(entries.map(entryName))], labels: [...new Set(entries.map((entry) => entry.holdKey))], hints }
}

function holds(fc: FastCheckModule, labels: readonly string[]): FastCheck.Arbitrary<GeneratedScenario<unknown>['holds']> {
  if (labels.length === 0) return fc.constant({})
  const hold = fc.record({
    key: fc.constantFrom(...labels),
    untilMs: fc.integer({ min: 1, max: 60_000 }),
    reason: fc.constantFrom('cooldown' as const, 'limit' as const, 'outage' as const),
  })
  return fc.array(hold, { maxLength: 2 }).map((drawn) => Object.fromEntries(drawn.map(({ key, ...rest }) => [key, rest])))
}

function steps(fc: FastCheckModule, hints: readonly string[]): FastCheck.Arbitrary<GeneratedStep[]> {
  const atMs = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(0, 500, 1_000, 10_000) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: LONGEST_MS }) },
  )
  const numbered = (number: number) => `t${number}`
  return fc.integer({ min: 1, max: 4 }).chain((count) => {
    const turns = Array.from({ length: count }, (_, index) => fc.record({ atMs, turn: turn(fc, numbered(index + 1), hints) }))
    const cancel = fc.record({ atMs, cancel: fc.integer({ min: 1, max: count }).map(numbered) })
    return fc.tuple(fc.tuple(...turns), fc.array(cancel, { maxLength: 2 })).map(([started, cancels]) => [...started, ...cancels])
  })
}

function turn(fc: FastCheckModule, id: string, hints: readonly string[]): FastCheck.Arbitrary<GeneratedTurn> {
  return fc.record({
    id: fc.constant(id),
    model: fc.constantFrom(null, 'm1', 'plain', ...hints.map((hint) => `hint:${hint}`), 'hint:none', 'auto'),
    stream: mostly(fc),
    sinks: fc.constantFrom<GeneratedTurn['sinks'][]>(['event'], ['event'], ['draft'], ['event', 'draft'], []),
    tools: fc.constantFrom(false, false, true),
    messages: fc.constantFrom(...HISTORIES),
  })
}

/** The script with a mark of its own for each item, numbered through. */
function marked(script: GeneratedScenario<unknown>['script']): GeneratedScenario<unknown>['script'] {
  let marks = 0
  const mark = <Item>(item: Item): Item => {
    const own = `[${++marks}]`
    return withText(item, own) as Item
  }
  return Object.fromEntries(Object.entries(script).map(([name, { call, stream }]) => [name, { call: call.map(mark), stream: stream.map(mark) }]))
}

/** `value` with `own` in every text that has the common mark. */
function withText(value: unknown, own: string): unknown {
  if (typeof value === 'string') return value.replaceAll(MARK, own)
  if (Array.isArray(value)) return value.map((each) => withText(each, own))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withText(each, own)]))
}
