import { existsSync, lstatSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Io } from './io.ts'
import { BadInput, EXIT } from './problems.ts'
import { SETTINGS_NAMES } from './settings-file.ts'

/**
 * `relevo init`: a small team to start from, for the programs that are here. Nothing that stands there is changed: one file that does, and
 * nothing is written.
 */
export async function init(io: Io, folder: string | undefined): Promise<number> {
  const directory = resolve(io.cwd, folder ?? '.')
  const files = filesFor(installed(io))
  const there = inTheWay(directory, [...new Set([...SETTINGS_NAMES, ...files.map(([name]) => name)])])
  if (there.length > 0) throw new BadInput(there.map((path) => `${path}: it stands there already. Name another folder, or remove it.`))
  for (const [name, text] of files) write(join(directory, name), text)
  const shown = folder === undefined ? '' : ` ${folder}`
  await io.stdout.write(
    `${files.map(([name]) => `wrote ${join(folder ?? '.', name)}`).join('\n')}\n\nNext: say in participants/*.md what each of them is to do, then\n  relevo check${folder === undefined ? '' : ` ${join(folder, 'relevo.yaml')}`}\n  relevo run${shown}\nand from another terminal\n  relevo say "What is to be done"${shown}\n  relevo status${shown}\n`,
  )
  return EXIT.ok
}

/** Settings under another name too, which the new ones would hide; a link that leads nowhere; and a file in the place of a folder. */
function inTheWay(directory: string, names: readonly string[]): string[] {
  const participants = join(directory, 'participants')
  const isFile = stands(participants) && statSync(participants, { throwIfNoEntry: false })?.isDirectory() !== true
  return [...names.map((name) => join(directory, name)).filter(stands), ...(isFile ? [participants] : [])]
}

function stands(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    // What cannot be looked at for another reason is told when it cannot be written.
    return false
  }
}

function write(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    throw new BadInput([
      `${path}: it cannot be written (${(error as NodeJS.ErrnoException).code}). See to the permissions of the folder, or name another.`,
    ])
  }
}

const PROGRAMS = ['claude', 'codex', 'agy', 'gemini-cli'] as const

/** Which of the programs are on this machine; two that most have where none is. */
function installed(io: Io): readonly string[] {
  const path = io.env['PATH'] ?? ''
  const commands: Readonly<Record<string, string>> = { 'gemini-cli': 'gemini' }
  const found = PROGRAMS.filter((name) => path.split(':').some((place) => place !== '' && existsSync(join(place, commands[name] ?? name))))
  return found.length === 0 ? ['claude', 'codex'] : found
}

function filesFor(programs: readonly string[]): readonly (readonly [string, string])[] {
  const [first = 'claude', second = first] = programs
  const chainOf = (own: string): string => programs.filter((each) => each !== own).join(', ')
  return [
    [
      'relevo.yaml',
      `# A team of agents that works one thread: relevo run. Every setting: docs/reference/settings.md
team:
  maxRuntimeMin: 600     # charged are calls and waits after failures, not sleep until a reset
  maxWaitMin: 60         # longest wait that a participant may ask for
  order: rotation        # or a list of ids; @id in a post goes before it

# profiles:
#   claude.main: { cli: { args: ["--permission-mode", "acceptEdits"] } }    # how the program \`claude\` is run
#   anthropic.spare: { model: claude-sonnet-4-5, apiKey: { env: ANTHROPIC_API_KEY } }    # an HTTP profile can be a provider, too
`,
    ],
    [
      'participants/ana.md',
      `---
provider: ${first}
failover: [${chainOf(first)}]
---
You write. Take the next small thing that is asked for in the thread, do it, and say in a few lines what you did and how you checked it.
Ask the person with a last line \`play: gate QUESTION\` before anything that cannot be undone.
`,
    ],
    [
      'participants/bo.md',
      `---
provider: ${second}
failover: [${chainOf(second)}]
---
You review. Look at what was done since you last spoke, try it, and say what is wrong with it and with which input that shows.
When nothing is left to do, end with \`play: done\`.
`,
    ],
  ]
}
