import { expect, test } from 'vitest'
import type { TeamFact } from '../../src/model/team.ts'
import { held } from '../tools/memory.ts'
import { DAY, PARTICIPANTS, SLICE_MS, SoakMonth } from './soak-month.ts'

const DAYS = 30
/** What a run of fifteen days may hold on to: a fact kept from each turn would be more. */
const MOST_GROWN_BYTES = 500_000

test(`T2 T6 T9 T11 T15–T20 ${DAYS} days in virtual time: the log agrees with the turns, nothing drifts, nothing is left and nothing grows`, () => {
  const startedAt = performance.now()
  const month = new SoakMonth(20_260_310)
  const { log, team, clock, actors } = month
  const grown = [5, 10, 15, 20, 25, DAYS].map((days) => {
    month.runUntil(days * DAY)
    return { days, turns: log.turns, bytes: held(), remembered: rememberedBy(month) }
  })
  team.stop({ immediate: true })
  const wallMs = Math.round(performance.now() - startedAt)
  console.info(grown.map(({ days, turns, bytes, remembered }) => `day ${days}: turn ${turns}, ${bytes} bytes, remembers ${remembered}`).join('\n'))
  console.info(`${log.turns} turns in ${wallMs} ms; late ${JSON.stringify(log.late)}`)
  console.info([...log.counts].map(([what, times]) => `${what} ${times}`).join(', '))

  expect(log.problems).toEqual([])
  expect(log.turns).toBeGreaterThan(10_000)
  expect(log.late.plainMs).toBe(0)
  expect(log.late.movedMs).toBeLessThanOrEqual(SLICE_MS)

  expect(month.calls).toMatchObject({ now: 0, most: 1 })
  expect(month.timers).toMatchObject({ now: 0, most: 1 })
  expect(clock.nextMs).toBeNull()
  expect([...actors].map((actor) => (actor.getSnapshot() as { status: string }).status)).toEqual(['done'])

  // What is kept from each turn is there at every later look; what a collection had not got to yet, at one of them.
  const [first, ...others] = grown
  expect(Math.min(...others.slice(-3).map(({ bytes }) => bytes)) - (first?.bytes ?? 0)).toBeLessThan(MOST_GROWN_BYTES)
  // Each map and list of the memory holds a participant, an engine or a provider at the most once.
  expect(grown.filter(({ remembered }) => remembered > 8 * PARTICIPANTS.length)).toEqual([])
  expect(EVERYTHING.filter((what) => !log.counts.has(what))).toEqual([])
}, 120_000)

const line = (from: RegExp, to: string) => (fact: TeamFact) => (fact.type === 'line.written' ? { ...fact, line: fact.line.replace(from, to) } : fact)

test.each<[string, (fact: TeamFact) => TeamFact | null]>([
  ['a hop to another engine than the line says', line(/limited → \S+$/, 'limited → pi')],
  ['a handoff to somebody else', line(/@\w+ takes/, '@zoe takes')],
  ['a return to another entry', line(/back on \S+$/, 'back on pi')],
  ['a sleep for another engine', line(/waiting for \S+,/, 'waiting for pi,')],
  ['a sleep to another time', line(/(back first|next try) at .+$/, '$1 at 25:00')],
  [
    'a provider of which nobody says that it is reachable again',
    (fact) => (fact.type === 'line.written' && /reachable again/.test(fact.line) ? null : fact),
  ],
  ['a wait that ends a millisecond late', (fact) => (fact.type === 'wait.ended' ? { ...fact, at: fact.at + 1 } : fact)],
  ['a run that never ended', (fact) => (fact.type === 'run.ended' && fact.run.n === 9 ? null : fact)],
  ['a run on an engine that is limited', (fact) => (fact.type === 'run.started' ? { ...fact, at: fact.at - 3_600_000 } : fact)],
])(
  'the log notices %s',
  (_, heard) => {
    const month = new SoakMonth(20_260_310, heard)
    month.runUntil(4 * DAY)
    month.team.stop({ immediate: true })
    expect(month.log.problems).not.toEqual([])
  },
  60_000,
)

/** What a month that says anything has had, as the log counts it. */
const EVERYTHING = [
  ...['posted', 'limited', 'network', 'failed', 'silent', 'waiting'],
  ...['by pick', 'by handoff', 'by retry', 'by gate'],
  ...['rate_limited', 'unreachable', 'backing_off', 'paused'],
  ...['line: hop', 'line: handoff', 'line: back', 'line: every', 'line: kept', 'line: none reached', 'line: out', 'line: reachable', 'line: gave up'],
  ...['woken by reset', 'woken by probe', 'woken by message', 'woken by pause'],
]

/** How many things the maps, sets and lists of a run's memory hold. */
function rememberedBy({ team: { memory } }: SoakMonth): number {
  const { register, places, gates, approved, done, silentRows, news } = memory
  return register.limits.size + register.outages.size + places.size + gates.size + approved.length + done.size + silentRows.size + news.length
}
