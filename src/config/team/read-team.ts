import type { Diagnostic } from '../../model/plan.ts'
import { invalidSetting } from '../diagnostics.ts'
import { nearest } from '../nearest.ts'
import { type ParticipantFile, type ParticipantText, readParticipant } from './participant-file.ts'
import { idProblem } from './participant-id.ts'
import { quotable } from './quotable.ts'
import type { TeamInput } from './team-schema.ts'

/**
 * From the files of the participants to a team.
 *
 * 1. Every problem of every file is told at once; with one error there is no team.
 * 2. An id is the name of the file. It is what a mention says, so that two which differ in case only are one id twice.
 * 3. The order of the files as they were listed decides nothing: participants stand by id, so that the same folder is the same team everywhere.
 */
export interface ReadTeam {
  /** Null when there is any error. */
  readonly participants: readonly ParticipantFile[] | null
  readonly errors: readonly Diagnostic[]
  readonly warnings: readonly Diagnostic[]
}

export interface TeamOptions {
  /** Ids of the configured profiles. */
  readonly profiles: readonly string[]
  readonly order: TeamInput['order']
}

/** Reads the files of a team; their text is given, no disk is read. */
export function readTeam(files: readonly ParticipantText[], { profiles, order }: TeamOptions): ReadTeam {
  const named = files.map((file) => ({ file, id: idOf(file.path) }))
  named.sort((a, b) => compare(a.id.toLowerCase(), b.id.toLowerCase()) || compare(a.file.path, b.file.path))
  const read = named.map(({ file, id }) => readParticipant(file, id, profiles))
  const ids = named.map(({ id }) => id)
  const errors = [
    ...(files.length === 0 ? [noParticipants()] : []),
    ...named.flatMap(({ file, id }) => invalidId(file.path, id)),
    ...duplicates(named),
    ...read.flatMap((one) => one.errors),
    ...strangers(order, ids),
  ]
  const participants = read.flatMap(({ participant }) => participant ?? [])
  return { participants: errors.length === 0 ? participants : null, errors, warnings: read.flatMap((one) => one.warnings) }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function idOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return name.replace(/\.md$/i, '')
}

function noParticipants(): Diagnostic {
  return {
    code: 'no_participants',
    path: 'participants',
    message: 'The team has no participants.',
    remedy: 'Write a file for each, such as `participants/ana.md`.',
  }
}

function invalidId(path: string, id: string): Diagnostic[] {
  const problem = idProblem(id)
  if (problem === null) return []
  return [
    {
      code: 'invalid_participant_id',
      path: quotable(path, 200),
      message: `\`${quotable(id)}\` ${problem}.`,
      remedy: 'Name the file with 1 to 32 letters, digits, `-` and `_`, the first a letter and the last no mark: `ana.md`.',
    },
  ]
}

function duplicates(named: readonly { readonly file: ParticipantText; readonly id: string }[]): Diagnostic[] {
  const first = new Map<string, string>()
  return named.flatMap(({ file: { path }, id }) => {
    const earlier = first.get(id.toLowerCase())
    if (earlier === undefined) {
      first.set(id.toLowerCase(), path)
      return []
    }
    const message = `The id \`${quotable(id)}\` is that of ${quotable(earlier, 200)} already, as upper and lower case are not told apart.`
    return [{ code: 'duplicate_participant', path: quotable(path, 200), message, remedy: 'Give one of the two files another name.' }]
  })
}

/** Ids of the order that nobody has. */
function strangers(order: TeamInput['order'], ids: readonly string[]): Diagnostic[] {
  if (typeof order === 'string') return []
  return order.flatMap((id, index) => {
    if (ids.includes(id)) return []
    const meant = nearest(quotable(id), ids)
    const remedy = `${meant === null ? 'Name' : `Write \`${meant}\`, or name`} one of: ${ids.length === 0 ? 'nobody is there yet' : ids.join(', ')}.`
    return [invalidSetting(['team', 'order', index], 'names no participant', remedy)]
  })
}
