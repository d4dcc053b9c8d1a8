import fc from 'fast-check'
import type { RunResult } from '../../src/model/team.ts'
import type { PlainTeam } from './plain-team.ts'
import type { Rig } from './rig.ts'
import { IDS, type Side } from './scene.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/**
 * What a host and its engines may do, one thing at a time.
 *
 * 1. Each is done to the model and to the product, and then everything that is to be seen of the two is compared.
 * 2. Instants are given as time from then on, so that a run that is shrunk still means something.
 */
export class TeamCommand implements fc.Command<PlainTeam, Rig> {
  readonly #name: string
  readonly #can: (model: PlainTeam) => boolean
  readonly #act: (side: Side, model: PlainTeam) => void

  constructor(name: string, act: (side: Side, model: PlainTeam) => void, can: (model: PlainTeam) => boolean = () => true) {
    this.#name = name
    this.#act = act
    this.#can = can
  }

  check(model: PlainTeam): boolean {
    return this.#can(model)
  }

  run(model: PlainTeam, rig: Rig): void {
    rig.count(this.kind)
    // The product first: what a command reads of the model is then the same for both.
    this.#act(rig, model)
    this.#act(model, model)
    agree(model, rig)
  }

  get kind(): string {
    return /[a-z]+/.exec(this.#name)?.[0] ?? this.#name
  }

  toString(): string {
    return this.#name
  }
}

/** Many of the same, with the waits between them: rows of failures are long, and chance seldom makes one. */
class Row extends TeamCommand {
  readonly #result: (model: PlainTeam, done: number) => RunResult
  readonly #times: number

  constructor(name: string, times: number, result: (model: PlainTeam, done: number) => RunResult) {
    super(
      `${times} × ${name}`,
      () => {},
      (model) => model.call !== null,
    )
    this.#times = times
    this.#result = result
  }

  override run(model: PlainTeam, rig: Rig): void {
    rig.count(this.kind)
    for (let done = 0; done < this.#times && model.call !== null; done++) {
      const result = this.#result(model, done)
      for (const side of [rig, model]) side.endCall(result)
      agree(model, rig)
      const ms = untilWake(model)
      if (model.call !== null || ms === null) continue
      for (const side of [rig, model]) side.advance(ms)
      agree(model, rig)
    }
  }
}

export function agree(model: PlainTeam, rig: Rig): void {
  const { iterations, chargedMs, paused, limits } = rig.progress
  const told = { ...rig.seen, posts: rig.posts, iterations, chargedMs, paused, limits: [...limits].sort(), calls: rig.calls.size }
  const ahead = [...model.books.limits].flatMap(([engine, { until }]) => (until > model.wall ? [[engine, until] as const] : []))
  const expected = {
    ...model.seen,
    posts: model.posts,
    iterations: model.iterations,
    chargedMs: model.charged,
    paused: model.pausedFor,
    limits: ahead.sort(),
    calls: model.call === null ? 0 : 1,
  }
  const [left, right] = [JSON.stringify(told), JSON.stringify(expected)]
  if (left !== right) throw new Error(`the product:\n${left}\nthe model:\n${right}`)
  if (rig.clock.nextMs !== null && model.sleep === null) throw new Error('a timer is left over')
  for (const side of [model, rig]) side.seen = { turns: [], lines: [], states: [], waits: [], ends: [] }
}

const MOVES = {
  start: new TeamCommand('start', (side) => side.start()),
  pause: new TeamCommand('pause', (side) => side.pause()),
  resume: new TeamCommand('resume', (side) => side.resume()),
  stop: new TeamCommand('stop', (side) => side.stop(false)),
  stopAtOnce: new TeamCommand('stop at once', (side) => side.stop(true)),
  message: new TeamCommand('message', (side) => side.message(null)),
  restart: new TeamCommand('restart', (side) => {
    side.restart(false)
    side.start()
  }),
  goOn: new TeamCommand('restart where it left off', (side) => {
    side.restart(true)
    side.start()
  }),
  toTheWake: new TeamCommand('wake', (side, model) => side.advance(untilWake(model) ?? 0), isAsleep),
  almostToTheWake: new TeamCommand('wake but for 1 ms', (side, model) => side.advance(Math.max(0, (untilWake(model) ?? 0) - 1)), isAsleep),
}

const resetInMs = fc.constantFrom(null, -5, 0, 1, 3 * SECOND, 90 * SECOND, HOUR, 5 * HOUR, 26 * HOUR)
const anyId = fc.constantFrom(...IDS)
const exit = (code: number): RunResult => ({ kind: 'failed', fault: { kind: 'exited', code } })

const results: Record<string, fc.Arbitrary<TeamCommand>> = {
  post: fc.constant(ended('post', () => ({ kind: 'posted', limit: null }))),
  ask: anyId.map((asked) => ended(`post @${asked}`, () => ({ kind: 'posted', limit: null, asked }))),
  done: fc.oneof(
    { weight: 3, arbitrary: fc.constant(ended('done', () => ({ kind: 'posted', limit: null, done: true }))) },
    { weight: 1, arbitrary: anyId.map((asked) => ended(`done @${asked}`, () => ({ kind: 'posted', limit: null, done: true, asked }))) },
  ),
  limit: resetInMs.map((ms) => ended(`limit ${ms}`, (model) => ({ kind: 'limited', limit: resetOf(model, ms) }))),
  late: resetInMs.map((ms) => ended(`post then limit ${ms}`, (model) => ({ kind: 'posted', limit: resetOf(model, ms) }))),
  outage: fc.constant(ended('outage', () => ({ kind: 'network' }))),
  crash: fc.constantFrom(
    ended('crash', () => exit(7)),
    ended('time-out', () => ({ kind: 'failed', fault: { kind: 'timed_out' } })),
    ended('fault', () => ({ kind: 'failed', fault: { kind: 'failed', failure: 'server' } })),
  ),
  silence: fc.constant(ended('silence', () => ({ kind: 'silent' }))),
  wait: fc.constantFrom(1, 4, 60).map((minutes) => ended(`wait ${minutes}`, () => ({ kind: 'waiting', minutes }))),
  row: fc.oneof(
    fc.integer({ min: 2, max: 13 }).map((times) => new Row('crash', times, () => exit(1))),
    fc.array(fc.boolean(), { minLength: 3, maxLength: 6 }).map((silences) => {
      const name = `(${silences.map((isSilence) => (isSilence ? 'silence' : 'crash')).join(' then ')})`
      return new Row(name, silences.length, (_, done) => (silences[done] === true ? { kind: 'silent' } : exit(1)))
    }),
    fc.integer({ min: 2, max: 3 }).map((times) => new Row('silence', times, () => ({ kind: 'silent' }))),
    fc.integer({ min: 2, max: 6 }).map((times) => new Row('outage', times, () => ({ kind: 'network' }))),
    fc.integer({ min: 2, max: 4 }).map((times) => new Row('wait', times, () => ({ kind: 'waiting', minutes: 2 }))),
    fc.integer({ min: 2, max: 5 }).map((times) => new Row('done', times, () => ({ kind: 'posted', limit: null, done: true }))),
    fc.integer({ min: 2, max: 4 }).map((times) => new Row('limit', times, (model) => ({ kind: 'limited', limit: resetOf(model, HOUR) }))),
  ),
}

const messages = fc.oneof(
  fc.constant(MOVES.message),
  anyId.map((asked) => new TeamCommand(`message @${asked}`, (side) => side.message(asked))),
)
const gates = anyId.chain((id) =>
  fc.constantFrom(
    new TeamCommand(`gate ${id}`, (side) => side.openGate(id)),
    new TeamCommand(`approve ${id}`, (side) => side.approve(id)),
    new TeamCommand(`gate and approve ${id}`, (side) => {
      side.openGate(id)
      side.approve(id)
    }),
  ),
)
const times = fc.constantFrom(1, SECOND, 30 * SECOND, 5 * MINUTE, HOUR, 7 * HOUR)
const advance = times.map((ms) => new TeamCommand(`advance ${ms}`, (side) => side.advance(ms)))
const suspend = times.map((ms) => new TeamCommand(`suspend ${ms}`, (side) => side.suspend(ms)))
const clock = fc.constantFrom(-HOUR, -SECOND, MINUTE, 3 * HOUR).map((ms) => new TeamCommand(`clock ${ms}`, (side) => side.moveClock(ms)))

/** Orders that are given before the start. */
export const earlyCommands: fc.Arbitrary<TeamCommand[]> = fc.array(fc.oneof(gates, messages, fc.constantFrom(MOVES.pause, MOVES.resume)), {
  maxLength: 3,
})

/** The weights are by repetition: `fc.commands` takes each with the same chance. */
export const teamCommands: fc.Arbitrary<fc.Command<PlainTeam, Rig>>[] = Object.entries({
  post: [results['post'], 4],
  ask: [results['ask'], 2],
  done: [results['done'], 2],
  limit: [results['limit'], 6],
  late: [results['late'], 1],
  outage: [results['outage'], 3],
  crash: [results['crash'], 2],
  silence: [results['silence'], 2],
  wait: [results['wait'], 2],
  row: [results['row'], 1],
  gates: [gates, 3],
  advance: [advance, 3],
  wake: [fc.constantFrom(MOVES.toTheWake, MOVES.toTheWake, MOVES.almostToTheWake), 5],
  suspend: [suspend, 1],
  clock: [clock, 1],
  message: [messages, 2],
  pause: [fc.constant(MOVES.pause), 1],
  resume: [fc.constant(MOVES.resume), 2],
  stop: [fc.constantFrom(MOVES.stop, MOVES.stopAtOnce, MOVES.restart, MOVES.goOn, MOVES.start), 1],
} as Record<string, [fc.Arbitrary<TeamCommand>, number]>).flatMap(([, [arbitrary, weight]]) => Array.from({ length: weight }, () => arbitrary))

export const START = MOVES.start

function ended(name: string, result: (model: PlainTeam) => RunResult): TeamCommand {
  // The result is made once a run, by the model's clock: both sides are given the same.
  return new TeamCommand(
    name,
    (side, model) => side.endCall(result(model)),
    (model) => model.call !== null,
  )
}

function resetOf({ wall }: PlainTeam, inMs: number | null): { readonly resetAt: number | null } {
  return { resetAt: inMs === null ? null : wall + inMs }
}

function isAsleep(model: PlainTeam): boolean {
  return model.sleep !== null
}

function untilWake({ sleep, wall }: PlainTeam): number | null {
  return sleep === null ? null : Math.max(0, sleep.until - wall)
}
