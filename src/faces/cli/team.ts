import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { teamPaths } from '../daemon/team-folder.ts'
import { type ControlOptions, teamDirectory } from './control.ts'
import { openInEditor } from './editor.ts'
import type { Io } from './io.ts'
import { BadInput, EXIT } from './problems.ts'

/** `relevo team edit`: the path of a participant's file; on a terminal it is opened in the editor of the user. */
export async function editParticipant(io: Io, id: string, folder: string | undefined, { config }: ControlOptions): Promise<number> {
  const directory = teamDirectory(io, folder, config)
  const path = fileOf(directory, id)
  const editor = [io.env['VISUAL'], io.env['EDITOR']].map((name = '') => name.trim()).find((name) => name !== '')
  await io.stdout.write(`${path}\n`)
  if (!io.stdin.isTty || !io.stdout.isTty || editor === undefined) return EXIT.ok
  return openInEditor(editor, path)
}

function fileOf(directory: string, id: string): string {
  const { participants } = teamPaths(directory)
  const files = participantFiles(participants)
  const found = files.find((name) => idOf(name).toLowerCase() === id.toLowerCase())
  if (found !== undefined) return join(participants, found)
  const ids = files.map(idOf)
  const known =
    ids.length === 0 ? `Write a team with \`relevo init\`, or name its folder.` : `Name one of: ${ids.join(', ')}; or write its file there.`
  throw new BadInput([`${participants}: there is no participant \`${id}\`. ${known}`])
}

function participantFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.md$/i.test(name) && !name.startsWith('.'))
      .sort()
  } catch {
    return []
  }
}

function idOf(name: string): string {
  return basename(name).replace(/\.md$/i, '')
}
