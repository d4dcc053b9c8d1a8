import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type DaemonStatus, statusText } from '../../src/faces/cli/status.ts'
import { type ControlOrders, startControl } from '../../src/faces/daemon/control-server.ts'
import { teamPaths } from '../../src/faces/daemon/team-folder.ts'
import type { EngineStatus, ParticipantStatus } from '../../src/index.ts'
import { Console, folderOf } from './console.ts'

const MINUTE = 60_000
const NOW = new Date(2026, 2, 1, 12, 0).getTime()

const engine = (name: string, more: Partial<EngineStatus> = {}): EngineStatus => ({
  engine: name,
  model: null,
  limitedUntil: null,
  stated: false,
  outUntil: null,
  ...more,
})
const participant = (id: string, more: Partial<ParticipantStatus> = {}): ParticipantStatus => ({
  id,
  engine: 'claude',
  chain: [engine('claude'), engine('codex')],
  gate: null,
  approved: false,
  done: false,
  silentRow: 0,
  ...more,
})
const statusOf = (more: Partial<DaemonStatus> = {}): DaemonStatus => ({
  state: 'running',
  since: NOW - 5 * MINUTE,
  paused: null,
  end: null,
  ending: null,
  turns: 3,
  iterations: 4,
  chargedMs: 6 * MINUTE,
  running: null,
  wake: null,
  participants: [participant('ana')],
  lastPost: 7,
  pid: 42,
  startedAt: NOW - 60 * MINUTE,
  directory: '/teams/night',
  posts: 7,
  questions: {},
  ...more,
})
const shown = (status: DaemonStatus, columns: number | null = null): string[] =>
  statusText(status, NOW, { colour: false, columns }).trimEnd().split('\n')

describe('relevo status for people', () => {
  it('says what goes on, since when, and who stands where in the chain', () => {
    const running = { n: 4, participant: 'bo', engine: 'codex', startedBy: 'pick', since: NOW - 90_000 } as const
    const participants = [participant('ana'), participant('bo', { engine: 'codex' })]
    expect(shown(statusOf({ running, participants }))).toEqual([
      'running for 5 min',
      'turn 4: bo on codex for 1 min 30 s',
      '3 turns · 4 iterations · 6 min charged · 7 posts',
      'pid 42 · /teams/night',
      '',
      'ana  claude* → codex',
      'bo   claude → codex*  [at work]',
    ])
  })

  it('counts one as one', () => {
    expect(shown(statusOf({ turns: 1, iterations: 1, posts: 1 }))[1]).toBe('1 turn · 1 iteration · 6 min charged · 1 post')
  })

  it('counts down to a reset that was stated, and to the next look where none was', () => {
    const chain = [engine('claude', { limitedUntil: NOW + 72 * MINUTE, stated: true }), engine('codex', { outUntil: NOW + 10 * MINUTE })]
    const lines = shown(
      statusOf({ state: 'rate_limited', wake: { at: NOW + 72 * MINUTE, by: 'reset' }, participants: [participant('ana', { chain })] }),
    )
    expect(lines[0]).toMatch(/^rate limited for 5 min$/)
    expect(lines[1]).toBe('looks again at 13:12 (in 1 h 12 min)')
    expect(lines.at(-1)).toBe('ana  claude* (limited, back 13:12, in 1 h 12 min) → codex (out of reach, tried again 12:10, in 10 min)')
  })

  it.each([
    [0, '0 s'],
    [59_600, '1 min'],
    [90_000, '1 min 30 s'],
    [12.4 * MINUTE, '12 min'],
    [59.6 * MINUTE, '1 h'],
    [119 * MINUTE, '1 h 59 min'],
    [27 * 60 * MINUTE, '1 d 3 h'],
    [7 * 24 * 60 * MINUTE, '7 d'],
  ])('counts %i ms as %s', (ms, text) => {
    expect(shown(statusOf({ since: NOW - ms }))[0]).toBe(`running for ${text}`)
  })

  it('gives an instant of another day its date', () => {
    expect(shown(statusOf({ wake: { at: NOW + 24 * 60 * MINUTE, by: 'reset' } }))[1]).toContain('at 2026-03-02 12:00 (in ')
  })

  it('says why it is paused, what is asked, who is done and who is silent', () => {
    const participants = [
      participant('ana', { gate: 7 }),
      participant('bo', { done: true, silentRow: 2 }),
      participant('cy', { engine: null, chain: [] }),
    ]
    const lines = shown(statusOf({ state: 'paused', paused: 'silent', participants, questions: { ana: 'Shall I\ndeploy?\u001b[31m' } }))
    expect(lines[0]).toBe('paused (silent) for 5 min')
    expect(lines.slice(4)).toEqual([
      'ana  claude* → codex',
      '     asks in #7: Shall I deploy?[31m',
      'bo   claude* → codex  [done, silent ×2]',
      'cy   none of its programs is installed',
    ])
  })

  it('fits 80 columns: a long chain goes on below its first entry, a question is cut', () => {
    const chain = ['claude', 'codex', 'agy', 'gemini-cli'].map((name) => engine(name, { limitedUntil: NOW + 72 * MINUTE, stated: true }))
    const participants = [participant('ana', { chain, gate: 7, done: true })]
    const lines = shown(statusOf({ participants, questions: { ana: 'why '.repeat(50) } }), 80).slice(4)
    expect(lines).toEqual([
      'ana  claude* (limited, back 13:12, in 1 h 12 min) →',
      '     codex (limited, back 13:12, in 1 h 12 min) →',
      '     agy (limited, back 13:12, in 1 h 12 min) →',
      '     gemini-cli (limited, back 13:12, in 1 h 12 min)  [done]',
      expect.stringMatching(/^ {5}asks in #7: why .+…$/),
    ])
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  it('has colour on a terminal alone', () => {
    expect(statusText(statusOf(), NOW, { colour: true, columns: 80 })).toContain('\u001b[1mrunning\u001b[0m')
    expect(statusText(statusOf(), NOW, { colour: false, columns: 80 })).not.toContain('\u001b')
  })

  it('tells the terminal nothing by the name of a folder', () => {
    expect(statusText(statusOf({ directory: '/teams/\u001b[31mred\nline' }), NOW, { colour: false, columns: 80 })).toContain(
      ' · /teams/[31mred line\n',
    )
  })
})

/** A folder whose daemon answers so. */
async function daemon(orders: Partial<ControlOrders>): Promise<string> {
  const folder = folderOf({ 'relevo.yaml': 'team: {}\n' })
  const { control } = teamPaths(folder)
  mkdirSync(dirname(control))
  const nothing = (): never => expect.unreachable('an order that was not given')
  const running = await startControl(control, {
    status: nothing,
    pause: nothing,
    resume: nothing,
    stop: nothing,
    say: nothing,
    approve: nothing,
    ...orders,
  })
  onTestFinished(() => running.close())
  return folder
}

describe('relevo status', () => {
  it.each([
    ['running', 0],
    ['waiting', 0],
    ['backing_off', 0],
    ['paused', 3],
    ['rate_limited', 4],
    ['unreachable', 4],
  ] as const)('exits by the state: %s %i', async (state, code) => {
    const shell = new Console()
    expect(await shell.run('status', await daemon({ status: () => statusOf({ state }) }))).toBe(code)
    expect(shell.outLines[0]).toContain(state.replace('_', ' '))
    expect(shell.err).toBe('')
  })

  it('gives what the daemon says as one object with --json, for the folder it stands in', async () => {
    const folder = await daemon({ status: () => statusOf() })
    const shell = new Console({ cwd: folder })
    expect(await shell.run('status', '--json')).toBe(0)
    expect(shell.json).toEqual([statusOf()])
  })

  it('says that a daemon of another version cannot be read', async () => {
    const shell = new Console()
    expect(await shell.run('status', await daemon({ status: () => ({ state: 'x' }) }))).toBe(2)
    expect(shell.errLines).toEqual([expect.stringMatching(/^error: \/.+: the daemon is one of another version\. Stop it/)])
  })
})

describe('the orders to a running team', () => {
  it.each([[['status']], [['pause']], [['resume']], [['stop']], [['stop', '--now']], [['say', 'hello']], [['approve', 'ana']]])(
    '%j without a daemon: one line with the place and what to do, exit 2',
    async (argv) => {
      const folder = folderOf({ 'relevo.yaml': 'team: {}\n' })
      const shell = new Console({ cwd: folder })
      expect(await shell.run(...argv)).toBe(2)
      expect([shell.out, shell.errLines]).toEqual([
        '',
        [`error: ${teamPaths(folder).control}: no daemon runs here. Start it with \`relevo run\`, or name the folder of the team.`],
      ])
    },
  )

  it('say answers the number of the post; the text is the argument or standard input', async () => {
    const said: string[] = []
    const folder = await daemon({ say: (text) => ({ post: said.push(text) }) })
    const shell = new Console({ stdin: 'from\nelsewhere' })
    expect(await shell.run('say', 'hello', folder)).toBe(0)
    expect(await shell.run('say', '-', folder)).toBe(0)
    expect(shell.outLines).toEqual(['#1', '#2'])
    expect(said).toEqual(['hello', 'from\nelsewhere'])
    expect(await shell.run('say', '  ', folder)).toBe(2)
    expect(said).toHaveLength(2)
  })

  it('approve exits 1 where nobody asked', async () => {
    const folder = await daemon({ approve: (id) => id === 'ana' })
    const shell = new Console()
    expect(await shell.run('approve', 'ana', folder)).toBe(0)
    expect(shell.out).toBe('approved: ana\n')
    expect(await shell.run('approve', 'bo', folder)).toBe(1)
    expect(shell.errLines).toEqual([`error: ${folder}: bo asked for nothing that is pending. See who did with \`relevo status\`.`])
  })

  it('tells what the daemon refuses, in one line', async () => {
    const folder = await daemon({
      resume: () => {
        throw new Error('The run is over.\nNothing to resume.')
      },
    })
    const shell = new Console()
    expect(await shell.run('resume', folder)).toBe(2)
    expect(shell.errLines).toEqual([`error: ${folder}: The run is over. Nothing to resume.`])
  })

  it('an interrupt ends the waiting for a stop, and not the team', async () => {
    const orders: unknown[] = []
    const shell = new Console()
    const folder = await daemon({
      stop: (options) => {
        orders.push(options)
        shell.interrupt.abort()
      },
      status: () => statusOf({ ending: 'stop' }),
    })
    expect(await shell.run('stop', folder)).toBe(130)
    expect([shell.out, orders]).toEqual(['', [{ immediate: false }]])
    expect(await shell.run('status', folder)).toBe(0)
    expect(shell.outLines[0]).toContain('stopping when the call has ended')
  })
})
