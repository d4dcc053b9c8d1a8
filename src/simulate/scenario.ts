import { z } from 'zod'
import { messageSchema } from '../model/message.ts'
import { usageSchema } from '../model/usage.ts'
import { type ScenarioProblem, scenarioProblems } from './scenario-problems.ts'

/** The scenario language for model calls (docs/scenarios.md). Keys that begin with `x-` are notes and ignored. */
const afterMs = z.number().int().nonnegative().optional()
const toolCall = z.strictObject({ id: z.string().nullable().optional(), name: z.string(), arguments: z.string() })
const usage = usageSchema.optional()

const failing = [
  z.strictObject({ http: z.number().int(), headers: z.record(z.string(), z.string()).optional(), body: z.unknown().optional(), afterMs, usage }),
  z.strictObject({ network: z.string(), afterMs, usage }),
  z.strictObject({ timeout: z.enum(['connect', 'first_byte', 'idle', 'total']), afterMs, usage }),
  z.strictObject({ pending: z.literal(true), afterMs, usage }),
] as const

const outcomeSchema = z.union([
  z.strictObject({ ok: z.string(), toolCalls: z.array(toolCall).optional(), reasoning: z.string().optional(), afterMs, usage }),
  z.strictObject({ empty: z.literal(true), reasoning: z.string().optional(), afterMs, usage }),
  z.strictObject({ length: z.string(), afterMs, usage }),
  z.strictObject({ refusal: z.string(), afterMs, usage }),
  ...failing,
])

const eventSchema = z.union([
  z.strictObject({ text: z.string(), afterMs }),
  z.strictObject({ reasoning: z.string(), afterMs }),
  z.strictObject({ toolCall, afterMs }),
  z.strictObject({ providerToolCall: toolCall, afterMs }),
  z.strictObject({
    providerToolResult: z.strictObject({ id: z.string().nullable().optional(), name: z.string().nullable().optional(), output: z.string() }),
    afterMs,
  }),
  z.strictObject({ usage: usageSchema, afterMs }),
  z.strictObject({ final: z.enum(['stop', 'tool_calls', 'length', 'content_filter']), afterMs }),
  z.strictObject({ eof: z.literal(true), afterMs }),
  z.strictObject({ error: z.strictObject({ http: z.number().int().optional(), message: z.string() }), afterMs }),
  z.strictObject({ network: z.string(), afterMs }),
  z.strictObject({ stall: z.literal(true), afterMs }),
])

const streamSchema = z.union([z.strictObject({ events: z.array(eventSchema) }), ...failing])

const instant = z.number().int().nonnegative()
const stepSchema = z.union([
  z.strictObject({
    atMs: instant,
    turn: z.strictObject({
      id: z.string().min(1),
      model: z.string().nullable().optional(),
      stream: z.boolean().optional(),
      sinks: z.array(z.enum(['event', 'draft'])).optional(),
      tools: z.boolean().optional(),
      messages: z.array(messageSchema).optional(),
    }),
  }),
  z.strictObject({ atMs: instant, cancel: z.string() }),
  z.strictObject({ atMs: instant, advance: z.number().int().nonnegative() }),
])

export const scenarioSchema = z.strictObject({
  format: z.literal(1),
  kind: z.literal('calls'),
  id: z.string(),
  title: z.string().optional(),
  rules: z.array(z.string()).optional(),
  /** Settings as the operator writes them; checked by the kernel itself. */
  config: z.record(z.string(), z.unknown()),
  startAt: z.iso.datetime().optional(),
  holds: z.record(z.string(), z.strictObject({ untilMs: z.number().int(), reason: z.enum(['cooldown', 'limit', 'outage']) })).optional(),
  script: z.record(z.string(), z.strictObject({ call: z.array(outcomeSchema).optional(), stream: z.array(streamSchema).optional() })).default({}),
  steps: z.array(stepSchema).min(1),
  expect: z.record(z.string(), z.unknown()).optional(),
})
export type Scenario = z.infer<typeof scenarioSchema>
export type Step = Scenario['steps'][number]

/** A scenario, or every problem of the document as path and reason. */
export type ReadScenario = { readonly scenario: Scenario } | { readonly problems: readonly ScenarioProblem[] }

/** Checks a document of the kind `calls` (docs/scenarios.md); never throws. */
export function readScenario(document: unknown): ReadScenario {
  const read = scenarioSchema.safeParse(withoutNotes(document))
  if (!read.success) return { problems: read.error.issues.flatMap((issue) => scenarioProblems(issue)) }
  const problems = stepProblems(read.data.steps)
  return problems.length === 0 ? { scenario: read.data } : { problems }
}

/** Turn names are the traces' keys, and a cancel needs a turn to reach. */
function stepProblems(steps: readonly Step[]): ScenarioProblem[] {
  const problems: ScenarioProblem[] = []
  const named = new Set<string>()
  for (const [index, step] of steps.entries()) {
    if (!('turn' in step)) continue
    if (named.has(step.turn.id)) problems.push({ path: `steps[${index}].turn.id`, reason: `a second turn named ${step.turn.id}` })
    named.add(step.turn.id)
  }
  for (const [index, step] of steps.entries()) {
    if ('cancel' in step && !named.has(step.cancel)) problems.push({ path: `steps[${index}].cancel`, reason: `no turn is named ${step.cancel}` })
  }
  return problems
}

/** Notes may stand on the document, on a step and on a turn; deeper down a key such as `x-ratelimit-reset` is a header. */
function withoutNotes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const kept = Object.entries(value).filter(([key]) => !key.startsWith('x-'))
  return Object.fromEntries(
    kept.map(([key, each]) => [key, key === 'steps' && Array.isArray(each) ? each.map(withoutNotes) : withoutTurnNotes(key, each)]),
  )
}

function withoutTurnNotes(key: string, value: unknown): unknown {
  return key === 'turn' ? withoutNotes(value) : value
}
