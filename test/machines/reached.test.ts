import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { NEVER, Observable, of } from 'rxjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hold, HoldReason } from '../../src/model/hold.ts'
import { membersOf } from '../../src/policy/team/chain.ts'
import type { Ledger } from '../../src/runtime/ledger.ts'
import { RunningTeam } from '../../src/runtime/team/running-team.ts'
import { readScenario } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulate.ts'
import { simulateTeam } from '../../src/simulate/simulate-team.ts'
import { VirtualTeamClock } from '../../src/simulate/team-clock.ts'
import { readTeamScenario } from '../../src/simulate/team-scenario.ts'
import { virtualClock } from '../../src/simulate/virtual-clock.ts'
import { scenario } from '../properties/arbitraries.ts'
import { play } from '../properties/play.ts'
import { LONE, rig, settle, TWO, watch } from '../runtime/rig.ts'
import { CHARTS, EdgeRecorder, edgeName, edgesOf, statesOf } from './edges.ts'

/**
 * Every state and every edge of every chart is reached by an actor of a kernel as it is shipped: by the corpus of scenarios, by random
 * scenarios, and by runs of a kernel for what a scenario cannot say (a hold lifted by hand, a store of holds, a stop, a defect).
 * Steps that a test makes with `transition()` are not counted here.
 */
const corpus = new EdgeRecorder()
const random = new EdgeRecorder()
const kernels = new EdgeRecorder()

const CORPUS = join(import.meta.dirname, '../corpus/routing')
const TEAMS = ['../corpus/team', '../team-scenarios'].map((folder) => join(import.meta.dirname, folder))

async function playCorpus(): Promise<void> {
  for (const file of readdirSync(CORPUS).sort()) {
    for (const document of JSON.parse(readFileSync(join(CORPUS, file), 'utf8')) as unknown[]) {
      const read = readScenario(document)
      if ('scenario' in read) await simulate(read.scenario, { inspect: corpus.inspect })
    }
  }
}

async function playTeams(): Promise<void> {
  for (const path of TEAMS.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))) {
    for (const document of JSON.parse(readFileSync(path, 'utf8')) as unknown[]) {
      const read = readTeamScenario(document)
      if ('scenario' in read) await simulateTeam(read.scenario, { inspect: corpus.inspect })
    }
  }
}

/** A scenario knows no stop that breaks a call off. */
function teamStoppedAtOnce(): void {
  const calls: string[] = []
  const team = new RunningTeam(
    { members: membersOf([{ id: 'ana', provider: 'claude', model: null, failover: [] }], () => true), settings: UNBOUND, zone: 'UTC' },
    {
      clock: new VirtualTeamClock(0),
      run: () =>
        new Observable(() => {
          calls.push('begun')
          return () => calls.push('broken off')
        }),
      onFact() {},
      inspect,
    },
  )
  team.start()
  team.stop({ immediate: true })
  expect(calls).toEqual(['begun', 'broken off'])
}

/** Nobody has anything left to do until the person speaks. */
function teamThatIsDone(): void {
  const states: string[] = []
  const entry = { engine: 'claude', provider: 'claude', model: null, primary: true }
  const team = new RunningTeam(
    { members: [{ id: 'ana', entries: [entry] }], settings: UNBOUND, zone: 'UTC' },
    {
      clock: new VirtualTeamClock(0),
      run: ({ n }) => (n < 3 ? of({ kind: 'posted', limit: null, done: true } as const) : NEVER),
      onFact: (fact) => void (fact.type === 'state.entered' && states.push(fact.state)),
      inspect,
    },
  )
  team.messagePosted('ana')
  team.start()
  team.messagePosted('ana')
  team.openGate('ana')
  team.approve('ana')
  team.stop({ immediate: true })
  expect(states).toEqual(['running', 'paused', 'running', 'paused', 'running', 'stopped'])
}

const UNBOUND = { maxIterations: null, maxRuntimeMin: null, maxWaitMin: null, sleepSliceMs: 60_000 }

async function playRandom(): Promise<void> {
  for (const written of fc.sample(scenario, { seed: 20_260_301, numRuns: 150 })) await play(written, random.inspect)
}

const { inspect } = kernels

function store(holds: readonly Hold[]) {
  return { load: () => holds, report() {}, clear() {} }
}

/** From every kind of hold to every later kind, as a shared store may bring them. */
async function holdsOfEveryReason(): Promise<void> {
  const reasons: readonly HoldReason[] = ['cooldown', 'limit', 'outage']
  for (const first of reasons) {
    for (const second of reasons) {
      const { kernel, clock } = rig({
        ports: {
          inspect,
          holds: store([
            { key: 'a.x', untilAt: 100, reason: first },
            { key: 'a.x', untilAt: 200, reason: second },
            { key: 'b.y', untilAt: 300, reason: first },
          ]),
        },
      })
      clock.moveTo(250)
      expect(kernel.holds().map((hold) => [hold.key, hold.reason])).toEqual([['b.y', first]])
      expect(kernel.clearHold('b.y')).toBe(true)
      await kernel.stop()
    }
  }
}

/** Several turns that wait for one hold, one that goes on, one that ends while the others wait, and holds lifted by hand. */
async function turnsThatWait(): Promise<void> {
  const { kernel, attempts, last } = rig({ config: { ...LONE, reliability: { jitter: 0, providerRetries: 3 } }, ports: { inspect } })
  watch(kernel, { sinks: ['event'] })
  watch(kernel, { sinks: ['event'] })
  const third = watch(kernel, { sinks: ['event'] })
  await settle()
  kernel.clearHold('a.x')
  attempts[0]?.fail('rate_limited', { retryAfterMs: 9_000 })
  attempts[1]?.fail('rate_limited', { retryAfterMs: 20_000 })
  attempts[2]?.text('x').final()
  expect(third.outcome?.kind).toBe('ok')
  watch(kernel, { sinks: ['event'] })
  await settle()
  kernel.clearHold('a.x')
  const open = attempts.filter((attempt) => !attempt.closed)
  open[0]?.fail('rate_limited', { retryAfterMs: 5_000 })
  watch(kernel, { sinks: ['event'] })
  await settle()
  kernel.clearHold('a.x')
  last().text('x').final()
  await kernel.stop()
}

async function stopsInEveryState(): Promise<void> {
  await rig({ ports: { inspect } }).kernel.stop()
  for (const said of ['nothing', 'opened', 'text']) {
    const { kernel, last } = rig({ ports: { inspect } })
    const watched = watch(kernel, { sinks: ['event'] })
    await settle()
    if (said !== 'nothing') last().opened()
    if (said === 'text') last().text('par')
    await kernel.stop()
    expect(watched.outcome?.kind).toBe('cancelled')
  }
  const { kernel, last } = rig({ config: LONE, ports: { inspect } })
  const waiting = watch(kernel, { sinks: ['event'] })
  await settle()
  last().fail('rate_limited', { retryAfterMs: 9_000 })
  await kernel.stop()
  expect(waiting.outcome?.kind).toBe('cancelled')
}

/** A ledger that cannot close the rows of one turn: a defect in the middle of its chart. */
function fullDisk(turn: string): Ledger {
  return {
    append() {},
    close(row) {
      if (row === turn) throw new Error('disk full')
    },
    rows: () => [],
  }
}

/** A turn that breaks alone, beside one that goes on, and beside one that waits; and an engine that breaks. */
async function defects(): Promise<void> {
  const ports = { inspect, ledger: fullDisk('broken') }
  const alone = rig({ config: TWO, ports, onAttempt: (attempt) => attempt.text('x').final() })
  expect((await watch(alone.kernel, { id: 'broken' }).turn.outcome).kind).toBe('defect')
  await alone.kernel.stop()

  const { kernel, attempts } = rig({ config: LONE, ports })
  watch(kernel, { id: 'other' })
  const broken = watch(kernel, { id: 'broken' })
  await settle()
  attempts[1]?.text('x').final()
  expect(broken.outcome?.kind).toBe('defect')
  const again = watch(kernel, { id: 'broken' })
  await settle()
  attempts[0]?.fail('rate_limited', { retryAfterMs: 9_000 })
  attempts[2]?.text('x').final()
  expect(again.outcome?.kind).toBe('defect')
  await kernel.stop()

  const clock = virtualClock()
  const deaf = {
    ...clock,
    now: () => clock.now(),
    wakeAt: (...[at, fire, options]: Parameters<typeof clock.wakeAt>) => {
      if (options?.background === true) throw new Error('no more timers')
      return clock.wakeAt(at, fire, options)
    },
  }
  const engine = rig({ config: TWO, ports: { inspect, clock: deaf } })
  const turn = watch(engine.kernel)
  await settle()
  engine.attempts[0]?.fail('rate_limited', { retryAfterMs: 9_000 })
  engine.attempts[1]?.text('x').final()
  expect(turn.outcome?.kind).toBe('ok')
  await engine.kernel.stop()
}

beforeAll(async () => {
  await playCorpus()
  await playTeams()
  await playRandom()
  await holdsOfEveryReason()
  await turnsThatWait()
  await stopsInEveryState()
  await defects()
  teamStoppedAtOnce()
  teamThatIsDone()
}, 120_000)

const counts = (name: string, pick: (recorder: EdgeRecorder) => Map<string, number>): number[] =>
  [corpus, random, kernels].map((recorder) => pick(recorder).get(name) ?? 0)

const table: string[] = []

/** The line of one state or edge, and whether anything reached it. */
function reached(name: string, pick: (recorder: EdgeRecorder) => Map<string, number>): boolean {
  const [documents = 0, scenarios = 0, runs = 0] = counts(name, pick)
  table.push(`${String(documents).padStart(7)}${String(scenarios).padStart(8)}${String(runs).padStart(8)}  ${name}`)
  return documents + scenarios + runs > 0
}

afterAll(() => {
  const missed = table.filter((line) => /^ *0 +0 +0 /.test(line))
  console.info(` corpus  random kernels  state or edge\n${table.join('\n')}\n${table.length - missed.length} of ${table.length} reached`)
})

describe.each(CHARTS.map((chart) => [chart.id, chart] as const))('chart %s', (id, chart) => {
  test.each(statesOf(chart))('state %s is reached by a kernel', (state) => {
    expect(reached(`${id}: ${state}`, (recorder) => recorder.states)).toBe(true)
  })

  test.each(edgesOf(chart).map(edgeName))('edge %s is taken by a kernel', (name) => {
    expect(reached(name, (recorder) => recorder.edges)).toBe(true)
  })

  test('no edge is taken that the walk of the chart does not know', () => {
    const known = new Set(edgesOf(chart).map(edgeName))
    const taken = [corpus, random, kernels].flatMap((recorder) => [...recorder.edges.keys()]).filter((name) => name.startsWith(`${id}: `))
    expect(taken.filter((name) => !known.has(name))).toEqual([])
  })
})
