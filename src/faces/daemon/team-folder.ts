import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ParticipantText, type ReadTeam, readTeam } from '../../host.ts'
import type { Diagnostic } from '../../index.ts'

/** Where things stand in the folder of a team. */
export interface TeamPaths {
  readonly participants: string
  readonly thread: string
  /** Of the daemon. */
  readonly state: string
  readonly control: string
}

export function teamPaths(folder: string): TeamPaths {
  const state = join(folder, '.relevo')
  return { participants: join(folder, 'participants'), thread: join(folder, 'thread.jsonl'), state, control: join(state, 'control.sock') }
}

/** Longer files are read by nobody: a participant's file holds a prompt. */
const MAX_FILE_BYTES = 8 * 1024 * 1024

/** The participants of a folder, as their files say; every problem of every file at once. */
export function readTeamFolder(
  folder: string,
  settings: { readonly profiles: readonly string[]; readonly order: 'rotation' | readonly string[] },
): ReadTeam {
  const errors: Diagnostic[] = []
  const files = participantFiles(folder, errors)
  const read = readTeam(files, settings)
  if (errors.length === 0) return read
  return { participants: null, errors: [...errors, ...read.errors.filter(({ code }) => code !== 'no_participants')], warnings: read.warnings }
}

function participantFiles(folder: string, errors: Diagnostic[]): ParticipantText[] {
  const { participants } = teamPaths(folder)
  let names: string[]
  try {
    names = readdirSync(participants)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'ENOENT') errors.push(unreadable(participants, `The folder of the participants cannot be read (${code}).`))
    return []
  }
  return names
    .filter((name) => /\.md$/i.test(name) && !name.startsWith('.'))
    .sort()
    .flatMap((name) => {
      const path = join('participants', name)
      const text = textOf(join(participants, name))
      if (text.text !== null) return [{ path, text: text.text }]
      errors.push(unreadable(path, `The file ${text.problem}.`))
      return []
    })
}

function textOf(path: string): { readonly text: string } | { readonly text: null; readonly problem: string } {
  try {
    const bytes = readFileSync(path)
    if (bytes.length > MAX_FILE_BYTES) return { text: null, problem: `has more than ${MAX_FILE_BYTES} bytes` }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch (error) {
    if (error instanceof TypeError) return { text: null, problem: 'is no UTF-8 text' }
    return { text: null, problem: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})` }
  }
}

function unreadable(path: string, message: string): Diagnostic {
  return { code: 'unreadable_file', path, message, remedy: 'Check that it is a text file, and its permissions.' }
}
