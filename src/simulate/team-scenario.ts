import { z } from 'zod'
import type { ChainEntry, Member } from '../model/team.ts'
import { isZone } from '../model/zone.ts'
import { membersOf } from '../policy/team/chain.ts'
import { readerOf } from './raw-run.ts'
import { type ScenarioProblem, scenarioProblems } from './scenario-problems.ts'

/** The scenario language for teams (docs/scenarios.md). Keys that begin with `x-` are notes and ignored. */
const durationMs = z.number().int().nonnegative()
const tookMs = durationMs.optional()
const posted = z.boolean().optional()
const instant = z.iso.datetime({ offset: true })

const runSchema = z.union([
  z.strictObject({ post: z.string(), tookMs }),
  z.strictObject({
    limit: z.union([z.strictObject({ resetInMs: z.number().int() }), z.strictObject({ resetAt: instant }), z.strictObject({})]),
    posted,
    tookMs,
  }),
  z.strictObject({ network: z.string(), posted, tookMs }),
  z.strictObject({ crash: z.strictObject({ exit: z.number().int(), stderr: z.string().optional() }), posted, tookMs }),
  z.strictObject({ timeout: z.literal(true), posted, tookMs }),
  z.strictObject({ silent: z.literal(true), tookMs }),
  z.strictObject({
    raw: z.strictObject({ stdout: z.string().default(''), stderr: z.string().default(''), exit: z.number().int().default(0) }),
    tookMs,
  }),
  z.strictObject({ wait: z.strictObject({ minutes: z.number().nonnegative() }), tookMs }),
])
export type ScriptedRun = z.infer<typeof runSchema>

const name = z.string().regex(/\S/, 'It is blank')
const stepSchema = z.discriminatedUnion('do', [
  z.strictObject({ atMs: durationMs, do: z.enum(['stop', 'pause', 'resume']) }),
  z.strictObject({ atMs: durationMs, do: z.literal('say'), text: z.string().optional() }),
  z.strictObject({ atMs: durationMs, do: z.literal('suspend'), forMs: durationMs }),
  z.strictObject({ atMs: durationMs, do: z.literal('clock'), byMs: z.number().int() }),
  z.strictObject({ atMs: durationMs, do: z.enum(['gate', 'approve']), participant: name }),
])
export type TeamStepScenario = z.infer<typeof stepSchema>

const most = z.number().int().positive().nullable().default(null)
const minutes = z.number().positive().nullable().default(null)

const teamScenarioSchema = z.strictObject({
  format: z.literal(1),
  kind: z.literal('team'),
  id: z.string(),
  title: z.string().optional(),
  rules: z.array(z.string()).optional(),
  startAt: z.iso.datetime().default('1970-01-01T00:00:00Z'),
  zone: z.string().default('UTC').refine(isZone, 'It is no time zone that is known here; write one such as Europe/Madrid'),
  participants: z
    .array(z.strictObject({ id: name, provider: name, model: name.nullable().default(null), failover: z.array(name).default([]) }))
    .min(1),
  installed: z.array(name).optional(),
  settings: z
    .strictObject({ maxIterations: most, maxRuntimeMin: minutes, maxWaitMin: minutes, sleepSliceMs: z.number().int().positive().default(60_000) })
    .prefault({}),
  picks: z.union([z.literal('rotation'), z.array(name).min(1)]).default('rotation'),
  engines: z.record(z.string(), z.array(runSchema)),
  steps: z.array(stepSchema).default([]),
  until: z.union([
    z.strictObject({ turns: z.number().int().positive() }),
    z.strictObject({ ms: durationMs }),
    z.strictObject({ state: z.enum(['running', 'rate_limited', 'unreachable', 'backing_off', 'waiting', 'paused', 'stopped']) }),
  ]),
  expect: z.record(z.string(), z.unknown()).optional(),
})
export type TeamScenario = z.infer<typeof teamScenarioSchema>

export type ReadTeamScenario = { readonly scenario: TeamScenario } | { readonly problems: readonly ScenarioProblem[] }

/** Checks a document of the kind `team` (docs/scenarios.md); never throws. */
export function readTeamScenario(document: unknown): ReadTeamScenario {
  const read = teamScenarioSchema.safeParse(withoutNotes(document))
  if (!read.success) return { problems: read.error.issues.flatMap((issue) => scenarioProblems(issue)) }
  const problems = [...nameProblems(read.data), ...engineProblems(read.data)]
  return problems.length === 0 ? { scenario: read.data } : { problems }
}

/** The members of a scenario's team, with what the machine has of their chains (T10). A profile over HTTP is always there. */
export function scenarioMembers({ participants, installed }: Pick<TeamScenario, 'participants' | 'installed'>): Member[] {
  return membersOf(participants, (provider) => installed === undefined || programOf(provider) === null || isInstalled(provider, installed))
}

function isInstalled(provider: string, installed: readonly string[]): boolean {
  return installed.includes(provider) || installed.includes(programOf(provider) ?? provider)
}

/** The program that a provider runs: a bare name is that of one, a profile has it as its family (T1); null for a profile over HTTP. */
function programOf(provider: string): string | null {
  if (!provider.includes('.')) return provider
  return readerOf(provider)?.family ?? null
}

function nameProblems({ participants, picks, steps }: TeamScenario): ScenarioProblem[] {
  const ids = participants.map(({ id }) => id)
  const known = (id: string): boolean => ids.includes(id)
  const twice = ids.flatMap((id, at) =>
    ids.indexOf(id) === at ? [] : [{ path: `participants[${at}].id`, reason: `a second participant named ${id}` }],
  )
  const picked = picks === 'rotation' ? [] : picks
  const strangers = picked.flatMap((id, at) => (known(id) ? [] : [{ path: `picks[${at}]`, reason: `no participant is named ${id}` }]))
  const meant = steps.flatMap((step, at) =>
    'participant' in step && !known(step.participant)
      ? [{ path: `steps[${at}].participant`, reason: `no participant is named ${step.participant}` }]
      : [],
  )
  return [...twice, ...strangers, ...meant]
}

function engineProblems(scenario: TeamScenario): ScenarioProblem[] {
  const entries = scenarioMembers(scenario).flatMap((member) => member.entries)
  if (entries.length === 0) return [{ path: 'installed', reason: 'no participant has an engine on this machine' }]
  return Object.entries(scenario.engines).flatMap(([engine, runs]) => {
    const provider = engine.split(':', 1)[0] ?? engine
    const unreadable = runs.flatMap((run, at) =>
      'raw' in run && readerOf(provider) === null
        ? [{ path: `engines[${JSON.stringify(engine)}][${at}].raw`, reason: `${provider} is no program whose output can be read` }]
        : [],
    )
    return unreadable
  })
}

/** Whether an engine is one that a run could be on. */
export function scriptOf({ engines }: TeamScenario, { engine }: ChainEntry): readonly ScriptedRun[] {
  return Object.hasOwn(engines, engine) ? (engines[engine] ?? []) : []
}

/** Notes may stand anywhere but among the names of engines, and in what is expected they are part of it. */
function withoutNotes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNotes)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !key.startsWith('x-'))
  return Object.fromEntries(kept.map(([key, each]) => [key, noteless(key, each)]))
}

function noteless(key: string, value: unknown): unknown {
  if (key === 'expect') return value
  if (key !== 'engines' || typeof value !== 'object' || value === null || Array.isArray(value)) return withoutNotes(value)
  return Object.fromEntries(Object.entries(value).map(([engine, runs]) => [engine, withoutNotes(runs)]))
}
