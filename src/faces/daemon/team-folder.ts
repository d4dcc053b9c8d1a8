import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
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
  let whole: string
  try {
    names = readdirSync(participants)
    whole = realpathSync(participants)
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
      const text = textOf(whole, name)
      if (text.text !== null) return [{ path, text: text.text }]
      errors.push(unreadable(path, `The file ${text.problem}.`, text.remedy))
      return []
    })
}

type Text = { readonly text: string } | { readonly text: null; readonly problem: string; readonly remedy?: string }

/** Without following a link that has come since, and without waiting at a pipe. */
const READING = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * The text goes to a provider word for word: a link that leads out of the folder would send whatever it leads to. One within it is a name
 * like another.
 */
function textOf(folder: string, name: string): Text {
  try {
    const path = realpathSync(join(folder, name))
    if (!path.startsWith(folder.endsWith(sep) ? folder : folder + sep))
      return { text: null, problem: 'is a link that leads out of the folder', remedy: 'Put the file itself there.' }
    const descriptor = openSync(path, READING)
    try {
      return textIn(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (error instanceof TypeError) return { text: null, problem: 'is no UTF-8 text' }
    return { text: null, problem: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})` }
  }
}

function textIn(descriptor: number): Text {
  const file = fstatSync(descriptor)
  if (!file.isFile()) return { text: null, problem: 'is no regular file' }
  if (file.size > MAX_FILE_BYTES) return { text: null, problem: `has more than ${MAX_FILE_BYTES} bytes` }
  return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(descriptor)) }
}

function unreadable(path: string, message: string, remedy = 'Check that it is a text file, and its permissions.'): Diagnostic {
  return { code: 'unreadable_file', path, message, remedy }
}
