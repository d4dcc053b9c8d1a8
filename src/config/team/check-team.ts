import { z } from 'zod'
import type { Diagnostic } from '../../model/plan.ts'
import type { Participant, TeamConfig } from '../../model/team.ts'
import { teamStandingSchema } from '../../model/team-standing.ts'
import { isZone } from '../../model/zone.ts'
import { invalidSetting } from '../diagnostics.ts'
import { CLI_FAMILIES } from '../families.ts'
import { nearest } from '../nearest.ts'
import { modelName } from '../profile-schema.ts'
import { idProblem } from './participant-id.ts'
import { quotable } from './quotable.ts'
import { teamSchema } from './team-schema.ts'

/**
 * A team that a host hands over as an object: the same rules as for one that stands in files, without lines to point at.
 *
 * Every problem is told at once, with its path in the object.
 */
export interface PromptedParticipant extends Participant {
  /** Who it is and what it is to do. */
  readonly prompt: string
}

export interface CheckedTeam {
  readonly participants: readonly PromptedParticipant[]
  readonly settings: TeamConfig
  readonly errors: readonly Diagnostic[]
}

const participantSchema = z.object({
  id: z.string(),
  provider: z.string(),
  model: modelName
    .nullable()
    .default(null)
    .transform((model) => (model === null || model.trim() === '' ? null : model.trim())),
  failover: z.array(z.string().transform(trimmedEntry).refine(hasModelName)).readonly().default([]),
  prompt: z.string(),
})

/** Whatever else a host may hand over with its participants. */
const portsSchema = z.object({
  thread: z.custom((value) => isObject(value) && typeof value['append'] === 'function' && typeof value['posts'] === 'function').optional(),
  choice: z.function().optional(),
  until: z.function().optional(),
  onHeartbeat: z.function().optional(),
  zone: z.string().refine(isZone).optional(),
  directory: z.string().min(1).optional(),
  id: z.string().min(1).optional(),
  standing: teamStandingSchema.optional(),
})

/** `settings`: those of the kernel where the host states none. */
export function checkTeam(asked: unknown, settings: TeamConfig | null, profiles: readonly string[]): CheckedTeam {
  const errors: Diagnostic[] = []
  const team = isObject(asked) ? asked : {}
  read(portsSchema, team, [], errors)
  const participants = read(z.array(participantSchema).min(1), team['participants'], ['participants'], errors) ?? []
  const own = team['settings'] === undefined ? (settings ?? teamSchema.parse({})) : read(teamSchema, team['settings'], ['settings'], errors)
  const ids = new Map<string, number>()
  for (const [index, participant] of participants.entries()) {
    errors.push(...idErrors(participant.id, index, ids), ...providerErrors(participant, index, profiles))
    if (participant.prompt.trim() === '')
      errors.push(invalidSetting(['participants', index, 'prompt'], 'is blank', 'Say who it is and what it is to do.'))
  }
  const order = own?.order ?? 'rotation'
  if (typeof order !== 'string' && errors.length === 0) {
    for (const [index, id] of order.entries()) if (!participants.some((one) => one.id === id)) errors.push(stranger(index, participants))
  }
  return { participants, settings: own ?? teamSchema.parse({}), errors }
}

function read<Value>(schema: z.ZodType<Value>, written: unknown, path: readonly PropertyKey[], errors: Diagnostic[]): Value | null {
  const parsed = schema.safeParse(written)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) {
    const at = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path
    errors.push(
      invalidSetting(
        [...path, ...at],
        issue.code === 'unrecognized_keys' ? 'is not known here' : 'has not the form it must have',
        'Correct it, or remove it.',
      ),
    )
  }
  return null
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** An engine has one name, however it was spaced. */
function trimmedEntry(entry: string): string {
  const colon = entry.indexOf(':')
  return colon === -1 ? entry.trim() : `${entry.slice(0, colon).trim()}:${entry.slice(colon + 1).trim()}`
}

function hasModelName(entry: string): boolean {
  return !entry.endsWith(':') && modelName.safeParse(entry).success
}

function idErrors(id: string, index: number, seen: Map<string, number>): Diagnostic[] {
  const path = ['participants', index, 'id']
  const problem = idProblem(id)
  if (problem !== null) return [invalidSetting(path, problem, 'Use 1 to 32 letters, digits, `-` and `_`, the first a letter and the last no mark.')]
  const first = seen.get(id.toLowerCase())
  if (first !== undefined)
    return [
      invalidSetting(
        path,
        `is that of participants[${first}] already, as upper and lower case are not told apart`,
        'Give one of the two another id.',
      ),
    ]
  seen.set(id.toLowerCase(), index)
  return []
}

function providerErrors({ provider, failover }: Participant, index: number, profiles: readonly string[]): Diagnostic[] {
  const named = [
    { path: ['participants', index, 'provider'], name: provider },
    ...failover.map((entry, at) => ({ path: ['participants', index, 'failover', at], name: entry.split(':', 1)[0] ?? '' })),
  ]
  return named.flatMap(({ path, name }) => {
    if (CLI_FAMILIES.includes(name) || profiles.includes(name)) return []
    const known = [...CLI_FAMILIES, ...profiles]
    const meant = nearest(quotable(name), known)
    const remedy = `${meant === null ? 'Name' : `Write \`${meant}\`, or name`} one of: ${known.join(', ')}.`
    return [{ ...invalidSetting(path, 'names neither a command line engine nor a configured profile', remedy), code: 'unknown_provider' }]
  })
}

function stranger(index: number, participants: readonly Participant[]): Diagnostic {
  return invalidSetting(['settings', 'order', index], 'names no participant', `Name one of: ${participants.map(({ id }) => id).join(', ')}.`)
}
