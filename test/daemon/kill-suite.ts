import { readdirSync } from 'node:fs'
import { expect } from 'vitest'
import type { TeamEvent } from '../../src/index.ts'
import type { FakeRun } from '../../src/testing.ts'
import { type Daemon, DaemonStage } from './daemon-stage.ts'

export interface KillPlan {
  readonly turns: number
  readonly kills: number
  readonly seed: number
}

export interface KillFigures {
  readonly posts: number
  readonly kills: number
  readonly lostCalls: number
  readonly openRows: number
  /** Calls that had ended well, and whose answer went with the process before it was a post. */
  readonly unposted: number
  /** Programs that were at work when their daemon was killed. */
  readonly orphaned: number
}

/**
 * A run that is killed again and again, and must come to what one that was not would have: as many posts as it may make, each text once, the
 * participants in turn, no program left. Every answer of every program is another text, and a moment is a count of events and a delay.
 */
export async function runKilled({ turns, kills, seed }: KillPlan): Promise<KillFigures> {
  const random = seeded(seed)
  const stage = await DaemonStage.of({
    script: { claude: answers('claude', turns + kills), codex: answers('codex', turns + kills) },
    participants: { ana: 'provider: claude', bo: 'provider: codex' },
    settings: `{ maxIterations: ${turns} }`,
  })
  let orphaned = 0
  let kept: readonly string[] = []
  for (let kill = 0; kill < kills; kill++) {
    const daemon = stage.run(['--json'])
    // A turn has four events or so, and the kills are to end before the turns do; some fall into the start.
    const moment = Math.floor(random() * ((turns * 3) / kills))
    await daemon.until(() => daemon.lines.length >= moment)
    await new Promise((resolve) => setTimeout(resolve, random() * 350))
    orphaned += await killed(stage, daemon)
    kept = stillThere(stage, kept)
  }
  const last = await stage.run(['--json']).ended
  expect({ code: last.code, err: last.err }).toMatchObject({ code: 0 })
  stillThere(stage, kept)
  return { ...(await judged(stage, { turns, kills, seed })), orphaned }
}

/** Every post that stood when the process before was killed stands where it did, also behind what the next one repaired. */
function stillThere({ texts }: DaemonStage, kept: readonly string[]): readonly string[] {
  expect(texts.slice(0, kept.length)).toEqual(kept)
  return texts
}

/** Kills it, and holds what it had said against what is left. Answers how many programs it left at work. */
async function killed(stage: DaemonStage, daemon: Daemon): Promise<number> {
  const openBefore = new Set(stage.attempts.open)
  daemon.kill('SIGKILL')
  const { signal } = await daemon.ended
  expect(signal, 'it was at work when it was killed').toBe('SIGKILL')
  const { begun, open } = stage.attempts
  const ids = stage.thread.map(({ id }) => id)
  const told = eventsOf(daemon).flatMap((event) => (event.type === 'post.appended' ? [event.post] : []))
  expect(
    told.filter((id) => !ids.includes(id)),
    'posts that were told and are gone',
  ).toEqual([])
  // No more than the call in flight is open, which is the one that was begun last.
  for (const id of open.filter((one) => !openBefore.has(one))) expect(id, 'the open attempt of a call that was not killed').toBe(begun.at(-1))
  return (await stage.programs.survivors()).length
}

async function judged(stage: DaemonStage, { turns, kills }: KillPlan): Promise<Omit<KillFigures, 'orphaned'>> {
  const { thread, texts } = stage
  const { open, served } = stage.attempts
  const lostCalls = stage.events.filter(({ type }) => type === 'run.lost').length
  expect(thread.map(({ id }) => id)).toEqual(thread.map((_, index) => index + 1))
  expect(thread).toHaveLength(turns)
  expect(new Set(texts).size, 'texts that stand twice').toBe(turns)
  expect(thread.map(({ participant }) => participant)).toEqual(thread.map((_, index) => (index % 2 === 0 ? 'ana' : 'bo')))
  expect(thread.filter(({ text, engine }) => !text.startsWith(`${engine} says `))).toEqual([])
  expect(open.length).toBeLessThanOrEqual(kills)
  expect(served).toBeGreaterThanOrEqual(turns)
  expect(served - turns, 'answers that were no post').toBeLessThanOrEqual(kills)
  expect(await stage.programs.survivors(), 'programs that are left').toEqual([])
  expect(readdirSync(stage.state('runs'))).toEqual([])
  expect(readdirSync(stage.state('.')).filter((name) => /lock|begun|sock/.test(name))).toEqual([])
  return { posts: thread.length, kills, lostCalls, openRows: open.length, unposted: served - turns }
}

function eventsOf(daemon: Daemon): readonly TeamEvent[] {
  return daemon.lines.map((line) => JSON.parse(line) as TeamEvent)
}

/** They take no notice of a polite end, and some are slow, so that they outlive their daemon until they would print again. */
function answers(name: string, count: number): FakeRun[] {
  return Array.from({ length: count }, (_, n) => ({ text: `${name} says ${n}`, afterMs: n % 4 === 0 ? 250 : 10, ignoreTerm: true }))
}

/** mulberry32. */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
