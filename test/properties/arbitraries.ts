import fc from 'fast-check'
import type { ScriptedEvent, ScriptedOutcome, ScriptedStream } from '../../src/engines/loopback/script.ts'
import { oracle } from '../plan/oracle.ts'

/**
 * Whole scenarios of model calls: a graph of profiles, what every upstream will do, what the host does and when. Every failure kind, every
 * kind of sink, holds from the start, cancels at any instant. Each scripted text carries a mark of its own, so that forwarded text tells
 * which attempt it came from.
 */
export interface WrittenProfile {
  readonly model?: string
  readonly fallbackModels: readonly string[]
  readonly fallback: readonly string[]
  readonly apiKey?: string
  readonly apiKeys?: readonly string[]
  readonly zone: 'local' | 'cloud'
  readonly contextWindow: number | null
  readonly capabilities: { readonly streaming: boolean; readonly toolEvents: boolean; readonly tools: boolean; readonly vision: boolean }
  readonly price: Readonly<Record<string, { input: number; output: number; cachedInput: number | null }>>
  readonly timeouts: { readonly firstByteMs: number | null; readonly idleMs: number; readonly totalMs: number }
}

export interface WrittenConfig {
  readonly primary: string
  readonly model: string | null
  readonly profiles: Readonly<Record<string, WrittenProfile>>
  readonly modelRoutes: readonly { readonly hint: string; readonly modelProvider: string; readonly model: string }[]
  readonly reliability: {
    readonly providerRetries: number
    readonly providerBackoffMs: number
    readonly maxBackoffMs: number
    readonly maxInTurnWaitMs: number
    readonly defaultCooldownMs: number
    readonly onAllHeld: 'wait' | 'fail'
    readonly onRefusal: 'stop' | 'advance'
  }
  readonly effortRouting: { readonly localHint: string; readonly cloudHint: string; readonly escalation: string } | null
}

export interface WrittenTurn {
  readonly id: string
  readonly model: string | null
  readonly stream: boolean
  readonly sinks: readonly ('event' | 'draft')[]
  readonly tools: boolean
  readonly messages: readonly { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }[]
}

export type WrittenStep = { readonly atMs: number; readonly turn: WrittenTurn } | { readonly atMs: number; readonly cancel: string }

export interface WrittenScenario {
  readonly format: 1
  readonly kind: 'calls'
  readonly id: string
  readonly config: WrittenConfig
  readonly holds: Readonly<Record<string, { readonly untilMs: number; readonly reason: 'cooldown' | 'limit' | 'outage' }>>
  readonly script: Readonly<Record<string, { readonly call: readonly ScriptedOutcome[]; readonly stream: readonly ScriptedStream[] }>>
  readonly steps: readonly WrittenStep[]
}

const IDS = ['a.x', 'b.y', 'c.z', 'a.w', 'd.v'] as const
const LONGEST_MS = 200_000

/** Mostly now, sometimes soon, sometimes far off. */
const delayMs = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 3_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: LONGEST_MS }) },
)
const instantMs = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(0, 500, 1_000, 10_000) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: LONGEST_MS }) },
)
const mostly = fc.integer({ min: 0, max: 5 }).map((roll) => roll > 0)

const usage = fc.option(
  fc.record(
    { input: fc.integer({ min: 0, max: 1_000 }), output: fc.integer({ min: 0, max: 1_000 }), cachedInput: fc.constant(0) },
    { requiredKeys: [] },
  ),
  { nil: undefined },
)

const seconds = fc.constantFrom('0', '1', '3', '29', '31', '120')

/** Failures of the opening or of a whole call: one of every kind that a response or a socket can bring. */
const notServing = fc.oneof(
  fc.record({ http: fc.constant(429), headers: fc.record({ 'retry-after': seconds }) }),
  fc.record({ http: fc.constant(429) }),
  fc.record({ http: fc.constant(429), body: fc.constant('insufficient_quota') }),
  fc.record({ http: fc.constantFrom(500, 502, 529, 408) }),
  fc.record({ http: fc.constant(503), headers: fc.record({ 'retry-after': seconds }) }),
  fc.record({ http: fc.constantFrom(400, 401, 402, 403, 404, 422, 302) }),
  fc.record({ http: fc.constant(400), body: fc.constant('prompt is too long') }),
  fc.record({ network: fc.constantFrom('ECONNRESET', 'ENOTFOUND') }),
  fc.record({ timeout: fc.constantFrom('connect' as const, 'first_byte' as const, 'idle' as const, 'total' as const) }),
  fc.record({ pending: fc.constant(true as const) }),
)

const timed = <Item extends object>(item: fc.Arbitrary<Item>) =>
  fc
    .tuple(item, delayMs, usage)
    .map(([each, afterMs, told]) => ({ ...each, ...(afterMs === 0 ? {} : { afterMs }), ...(told === undefined ? {} : { usage: told }) }))

/** Pieces of text as a model may send them, tags and markers cut anywhere. */
const piece = fc.constantFrom('word ', 'a', '<', '<think>', '</think>', '<thi', 'nk>', '<eom>', '<|eo', 'm|>', '\n', ' ', '')
const toolCall = { id: 'call-1', name: 'tool', arguments: '{}' }

/** `mark` stands for the item's own mark until the scenario is put together. */
const MARK = '\u0001'
const outcome: fc.Arbitrary<ScriptedOutcome> = timed(
  fc.oneof(
    { weight: 3, arbitrary: fc.array(piece, { maxLength: 3 }).map((pieces) => ({ ok: MARK + pieces.join('') })) },
    { weight: 1, arbitrary: fc.constant({ ok: '', toolCalls: [toolCall] }) },
    { weight: 1, arbitrary: fc.constantFrom({ empty: true as const }, { reasoning: 'hm', empty: true as const }, { ok: '<think>never closed' }) },
    { weight: 1, arbitrary: fc.constantFrom({ refusal: 'no' }, { length: `${MARK}cut off` }) },
    { weight: 8, arbitrary: notServing },
  ),
)

const streamEvent: fc.Arbitrary<ScriptedEvent> = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: piece.map((text) => ({ text })) },
      { weight: 2, arbitrary: fc.constantFrom({ text: MARK }) },
      { weight: 1, arbitrary: fc.constant({ reasoning: 'hm' }) },
      { weight: 1, arbitrary: fc.constant({ toolCall }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          { providerToolCall: { name: 'search', arguments: '{}' } },
          { providerToolResult: { name: 'search', output: 'found' } },
        ),
      },
      { weight: 1, arbitrary: fc.record({ usage: fc.record({ input: fc.nat(1_000), output: fc.nat(1_000) }) }) },
    ),
    delayMs,
  )
  .map(([event, afterMs]) => (afterMs === 0 ? event : { ...event, afterMs }))

const streamEnd: fc.Arbitrary<ScriptedEvent> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ final: fc.constantFrom('stop' as const, 'tool_calls' as const, 'length' as const, 'content_filter' as const) }),
  },
  fc.constant({ eof: true as const }),
  fc.record({ network: fc.constant('ECONNRESET') }),
  fc.record({ error: fc.record({ http: fc.constantFrom(429, 500, 529, 400), message: fc.constantFrom('oops', 'prompt is too long') }) }),
  fc.constant({ error: { message: 'oops' } }),
  fc.constant({ stall: true as const }),
)

const stream: fc.Arbitrary<ScriptedStream> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.array(streamEvent, { maxLength: 5 }), streamEnd).map(([events, end]) => ({ events: [...events, end] })) },
  { weight: 2, arbitrary: timed(notServing) },
)

const price = fc.constantFrom({}, { m1: { input: 1, output: 2, cachedInput: 0.5 }, m2: { input: 3, output: 5, cachedInput: null } })

const profile = (ids: readonly string[], index: number): fc.Arbitrary<WrittenProfile> =>
  fc
    .record({
      model: fc.option(fc.constantFrom('m1', 'm2'), { nil: undefined, freq: 5 }),
      fallbackModels: fc.subarray(['m3', 'm1'], { maxLength: 1 }),
      fallback: fc.oneof(
        { weight: 2, arbitrary: fc.constant(ids.slice(index + 1, index + 2)) },
        { weight: 1, arbitrary: fc.subarray([...ids], { maxLength: Math.min(3, ids.length) }) },
      ),
      pool: fc.integer({ min: 0, max: 7 }),
      zone: fc.constantFrom('local' as const, 'cloud' as const),
      contextWindow: fc.constantFrom(null, 1_000, 8_000),
      capabilities: fc.record({ streaming: mostly, toolEvents: mostly, tools: mostly, vision: fc.constant(true) }),
      price,
      timeouts: fc.record({
        firstByteMs: fc.constantFrom(null, 5_000),
        idleMs: fc.constantFrom(90_000, 2_000),
        totalMs: fc.constantFrom(LONGEST_MS, 20_000),
      }),
    })
    .map(({ model, pool, ...rest }) => ({
      ...rest,
      ...(model === undefined ? {} : { model }),
      ...(pool === 7 ? { apiKeys: ['k1', 'k2'] } : { apiKey: 'k' }),
    }))

const reliability = fc.record({
  providerRetries: fc.integer({ min: 0, max: 3 }),
  providerBackoffMs: fc.constantFrom(0, 500, 4_000),
  maxBackoffMs: fc.constantFrom(10_000, 1_000, 50),
  maxInTurnWaitMs: fc.constantFrom(30_000, 400, 120_000, 0),
  defaultCooldownMs: fc.constantFrom(10_000, 0, 60_000),
  onAllHeld: fc.constantFrom('wait' as const, 'wait' as const, 'fail' as const),
  onRefusal: fc.constantFrom('stop' as const, 'advance' as const),
})

const config: fc.Arbitrary<WrittenConfig> = fc.integer({ min: 1, max: IDS.length }).chain((count) => {
  const ids = IDS.slice(0, count)
  return fc
    .record({
      model: fc.option(fc.constant('m2'), { nil: null, freq: 1 }),
      profiles: fc.tuple(...ids.map((_, index) => profile(ids, index))),
      local: fc.nat(count - 1),
      cloud: fc.nat(count - 1),
      effort: fc.option(fc.constantFrom('auto', 'never'), { nil: null, freq: 1 }),
      reliability,
    })
    .map(({ model, profiles, local, cloud, effort, reliability: rules }) => ({
      primary: 'a.x',
      model,
      // The target of the local hint is local, or the settings could not be used at all (R39).
      profiles: Object.fromEntries(
        ids.map((id, index) => [id, { ...profiles[index], ...(index === local ? { zone: 'local' as const } : {}) }]),
      ) as WrittenConfig['profiles'],
      modelRoutes: [
        { hint: 'loc', modelProvider: ids[local] ?? 'a.x', model: 'm2' },
        { hint: 'cld', modelProvider: ids[cloud] ?? 'a.x', model: 'm1' },
      ],
      reliability: rules,
      effortRouting: effort === null ? null : { localHint: 'loc', cloudHint: 'cld', escalation: effort },
    }))
})

/** Every entry that a plan of these settings could name. */
function entryNamesOf(written: WrittenConfig): string[] {
  const targets = [written.primary, ...written.modelRoutes.map((route) => route.modelProvider)]
  return [...new Set(targets.flatMap((target) => oracle(written, target)))]
}

const HISTORIES: readonly WrittenTurn['messages'][] = [
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

const turn = (id: string): fc.Arbitrary<WrittenTurn> =>
  fc.record({
    id: fc.constant(id),
    model: fc.constantFrom(null, 'm1', 'plain', 'hint:loc', 'hint:cld', 'hint:none', 'auto'),
    stream: mostly,
    sinks: fc.constantFrom<readonly ('event' | 'draft')[]>(['event'], ['event'], ['draft'], ['event', 'draft'], []),
    tools: fc.constantFrom(false, false, true),
    messages: fc.constantFrom(...HISTORIES),
  })

const steps: fc.Arbitrary<readonly WrittenStep[]> = fc
  .integer({ min: 1, max: 4 })
  .chain((count) =>
    fc
      .tuple(
        fc.tuple(...Array.from({ length: count }, (_, index) => fc.record({ atMs: instantMs, turn: turn(`t${index + 1}`) }))),
        fc.array(fc.record({ atMs: instantMs, cancel: fc.integer({ min: 1, max: count }).map((number) => `t${number}`) }), { maxLength: 2 }),
      )
      .map(([turns, cancels]) => [...turns, ...cancels]),
  )

/** The item with a mark of its own in place of the common one. */
function marked<Item>(item: Item, mark: string): Item {
  return JSON.parse(JSON.stringify(item).replaceAll('\\u0001', mark)) as Item
}

export const scenario: fc.Arbitrary<WrittenScenario> = config.chain((written) => {
  const names = entryNamesOf(written)
  const labels = [...new Set(names.map((name) => name.split('/')[0] ?? ''))]
  const items = fc.record({ call: fc.array(outcome, { minLength: 2, maxLength: 5 }), stream: fc.array(stream, { minLength: 1, maxLength: 3 }) })
  return fc
    .record({
      script: fc.tuple(...names.map(() => items)),
      holds: fc.array(
        fc.record({
          key: fc.constantFrom(...labels),
          untilMs: fc.integer({ min: 1, max: 60_000 }),
          reason: fc.constantFrom('cooldown' as const, 'limit' as const, 'outage' as const),
        }),
        { maxLength: 2 },
      ),
      steps,
    })
    .map((drawn): WrittenScenario => {
      let marks = 0
      const mark = <Item>(item: Item): Item => marked(item, `[${++marks}]`)
      const script = Object.fromEntries(
        names.map((name, index) => {
          const own = drawn.script[index] as { call: ScriptedOutcome[]; stream: ScriptedStream[] }
          return [name, { call: own.call.map(mark), stream: own.stream.map(mark) }]
        }),
      )
      const holds = Object.fromEntries(drawn.holds.map(({ key, ...hold }) => [key, hold]))
      return { format: 1, kind: 'calls', id: 'generated', config: written, holds, script, steps: drawn.steps }
    })
})
