import { describe, expect, test } from 'vitest'
import { oneLine } from '../../src/faces/cli/problems.ts'
import { type DaemonStatus, statusText } from '../../src/faces/cli/status.ts'
import { PROGRAMS, Stage } from '../cli/stage.ts'
import { Console, folderOf } from '../faces/console.ts'

const HOSTILE = 'a\u001b]0;title\u0007b\u001b[2Jc\u009b31md\u202ee\u2066f\rg\u0008h\u007f'
/** Line ends, tabs and the way in which relevo itself clears the last line are all that may stand between printed characters. */
const ASTRAY = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u
const printed = (text: string) => text.replaceAll('\r\u001b[2K', '').replace(/[\n\t]/g, '')

describe.each(PROGRAMS)('CLI-12 a terminal shows nothing of $family that leads it astray', ({ family, name }) => {
  async function turn(run: object, ...options: readonly string[]): Promise<Console> {
    const { clis, runs } = await Stage.of({ [name]: [run as never] }, [name])
    const shell = new Console({ cwd: folderOf({}), tty: true, env: { PATH: clis.path, XDG_STATE_HOME: runs, NO_COLOR: '1' } })
    await shell.run('turn', '--engine', family, ...options, 'hi')
    return shell
  }

  test('CLI-12 its answer, its tools and its words when it crashes', async () => {
    const answered = await turn({ text: HOSTILE, tools: [{ name: `shell${HOSTILE}`, output: HOSTILE }] })
    expect(answered.out).toContain('efgh')
    const crashed = await turn({ crash: { exit: 3, stderr: `Error: boom ${HOSTILE}` } })
    expect(crashed.err).toContain('boom')
    for (const text of [answered.both, crashed.both]) expect(printed(text)).not.toMatch(ASTRAY)
  })

  test('CLI-12 its events as JSON, which are the same when they are read', async () => {
    const shell = await turn({ text: HOSTILE }, '--json')
    expect(printed(shell.both)).not.toMatch(ASTRAY)
    expect(JSON.stringify(shell.json)).toContain(JSON.stringify(HOSTILE).slice(1, -1))
  })
})

test('CLI-12 a line of a team, and what a gate asks, are one line of printed characters', () => {
  expect(oneLine(`${HOSTILE}\nb`)).not.toMatch(ASTRAY)
  const participant = { id: 'ana', engine: 'claude', chain: [], gate: 2, approved: false, done: false, silentRow: 0 }
  const status = {
    ...{ state: 'running', since: 0, running: null, wake: null, turns: 1, iterations: 1, chargedMs: 0, posts: 1, pid: 1, directory: '/w' },
    ...{ ending: null, paused: null, participants: [participant], questions: { ana: `Shall I?${HOSTILE}` } },
  }
  const text = statusText(status as unknown as DaemonStatus, 1, { colour: false, columns: 200 })
  expect(text).toContain('Shall I?')
  expect(printed(text)).not.toMatch(ASTRAY)
})
