import { type FakeCliScript, type VirtualClock, virtualClock } from '../../testing.ts'
import { type Played, type Stage, stageKernel } from './play.ts'
import { type ProgramFolder, programFolder } from './program-folder.ts'

/**
 * The act of a team: three participants on three programs through a night of an hour.
 *
 * 1. Calls are real processes and take as long as they take. A wait of the team is gone through in about a second, whatever it is on the
 *    clock of the act, on which every time that is printed stands.
 * 2. What is printed are the facts of the run and the posts of its thread.
 */
const TITLE = 'a team, and a night in which every engine runs dry'

const PARTICIPANTS = [
  { id: 'ana', provider: 'claude', failover: ['codex'], prompt: 'You build.' },
  { id: 'bo', provider: 'codex', failover: [], prompt: 'You write the tests.' },
  { id: 'cy', provider: 'agy', failover: [], prompt: 'You review.' },
] as const

const MINUTE_MS = 60_000

/** What the three print. `ahead` gives an instant on the clock of the act; a duration is counted from when it is printed. */
function teamScript(ahead: (minutes: number) => string): FakeCliScript {
  return {
    claude: [
      { text: 'I take the parser. @bo writes the tests.' },
      { limit: { resetAt: ahead(45), scope: 'five_hour' } },
      { text: 'The parser is whole again.\n\nplay: wait 6' },
      { text: 'Nothing else came in.' },
      { text: 'My part is finished.\n\nplay: done' },
    ],
    codex: [
      { text: 'The tests stand; one of them fails.' },
      { text: 'Half of it is mended, on my second engine.' },
      { limit: { resetAt: ahead(60) } },
      { text: 'All tests pass.\n\nplay: done' },
    ],
    agy: [
      { text: 'I have read both. Go on.' },
      { text: 'Then I mend the test.' },
      { limit: { resetInMs: 50 * MINUTE_MS } },
      { network: 'down' },
      { text: 'Reviewed, and fine.\n\nplay: done' },
    ],
  }
}

/** Plays it where programs can be played; what it leaves is for the table of calls. */
export async function playTeam(stage: Stage): Promise<Played> {
  if (stage.signal.aborted) return NOTHING
  const clock = virtualClock(stage.clock.now())
  const startedAt = clock.now()
  const ahead = (minutes: number): string => new Date(Math.ceil(startedAt / MINUTE_MS + minutes) * MINUTE_MS).toISOString()
  const folder = await programFolder(teamScript(ahead))
  // Why there are none was told with the act before.
  if ('missing' in folder) return NOTHING
  try {
    return await playIn(folder, clock, stage)
  } finally {
    folder.remove()
  }
}

const NOTHING: Played = { rows: [], holds: [] }

async function playIn({ path }: ProgramFolder, clock: VirtualClock, stage: Stage): Promise<Played> {
  const { speed, signal, report, looking } = stage
  const processes = { environment: { PATH: path, HOME: path }, runs: `${path}/runs` }
  const kernel = stageKernel(stage, 'team', { primary: null, team: { sleepSliceMs: MINUTE_MS } }, { clock, processes })
  const pace = passing(clock, speed)
  const stop = (): void => void team.stop({ immediate: true })
  const team = kernel.supervise({ participants: PARTICIPANTS, zone: 'UTC', id: 'team' })
  looking?.followTeam(team, { name: TITLE, participants: PARTICIPANTS.map(({ id }) => ({ id, path: null })) })
  report({
    type: 'team.begun',
    at: clock.now(),
    title: TITLE,
    chains: PARTICIPANTS.map(({ id, provider, failover }) => [id, [provider, ...failover].join(' → ')]),
  })
  team.events$.subscribe((event) => {
    if (event.type === 'wait.started') pace.hurryTo(event.untilAt)
    if (event.type === 'wait.ended') pace.walk()
    report({ type: 'team.told', at: event.at, event })
    if (event.type === 'state.entered' && event.state === 'paused') queueMicrotask(() => void team.stop())
  })
  team.thread$.subscribe((post) => report({ type: 'team.posted', at: post.at, post }))
  signal.addEventListener('abort', stop, { once: true })
  try {
    await team.done
    return { rows: kernel.ledger.rows(), holds: [] }
  } finally {
    signal.removeEventListener('abort', stop)
    pace.end()
    await kernel.stop()
  }
}

interface Pace {
  hurryTo(at: number): void
  walk(): void
  end(): void
}

const BEAT_MS = 20
/** What a wait of the team takes on the wall. */
const WAIT_MS = 800

/** Lets the clock of the act go on: as the wall does, or so fast that an instant is reached in about a second. */
function passing(clock: VirtualClock, speed: number): Pace {
  let hurry: { readonly to: number; readonly times: number } | null = null
  let lastAt = performance.now()
  const beat = setInterval(() => {
    const now = performance.now()
    const passedMs = now - lastAt
    lastAt = now
    // Never beyond what is hurried to: whatever begins there takes its own time.
    const next = clock.now() + Math.max(1, Math.round(passedMs * (hurry?.times ?? 1)))
    clock.moveTo(hurry === null ? next : Math.min(next, hurry.to))
  }, BEAT_MS)
  return {
    hurryTo(at) {
      hurry = { to: at, times: Math.max(1, ((at - clock.now()) * speed) / WAIT_MS) }
    },
    walk() {
      hurry = null
    },
    end: () => clearInterval(beat),
  }
}
