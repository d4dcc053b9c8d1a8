import type { RunResult } from '../../src/model/team.ts'
import { Books, type Held, type Spot } from './plain-books.ts'
import { type Call, movedTo, Order, type Worker, wrong } from './plain-order.ts'
import { Rows } from './plain-rows.ts'
import type { Scene, Side } from './scene.ts'

type State = 'fresh' | 'running' | 'rate_limited' | 'unreachable' | 'backing_off' | 'waiting' | 'paused' | 'stopped'

const MINUTE = 60_000

/**
 * A team as a reader of rules.md and rulings.md would play it by hand: plain records that are changed in place, and no line of the
 * product. It is told what happens and writes down what is to be seen of a team that keeps the rules.
 *
 * 1. What it writes down since the last look is in `seen`, of each kind a list of its own: rows of turns, printed lines, states, waits, ends.
 * 2. Of what neither text rules on, it says what the scenarios of the project say (`test/corpus/team`, `test/team-scenarios`) and what
 *    docs/team.md promises of plays and mentions.
 */
export class PlainTeam implements Side {
  wall: number
  iterations = 0
  charged = 0
  pausedFor: string | null = null
  state: State = 'fresh'
  call: Call | null = null
  sleep: { readonly until: number; readonly by: string; readonly isCharged: boolean; sliceEnd: number } | null = null
  /** How many posts there are. The thread outlives a restart (T7). */
  posts = 0
  seen = { turns: [] as string[], lines: [] as string[], states: [] as string[], waits: [] as string[], ends: [] as string[] }
  books: Books
  readonly #scene: Scene
  #order: Order
  /** Time for which the machine was awake. */
  #awake = 0
  #turns = 0
  #rows: Rows
  #stopAsked = false
  #pauseAsked: string | null = null
  /** It was paused for a reason of its own, and by the person on top of that. */
  #isHeld = false

  constructor(scene: Scene, startAt: number) {
    this.#scene = scene
    this.wall = startAt
    this.books = new Books(scene)
    this.#order = this.#blankOrder()
    this.#rows = new Rows(scene.settings.maxWaitMin)
  }

  start(): void {
    if (this.state !== 'fresh') return
    if (this.pausedFor !== null) return this.#enter('paused')
    this.#enter('running')
    this.#next()
  }

  pause(): void {
    if (this.state === 'running' || this.state === 'fresh') this.#pauseAsked = 'pause'
    if (this.state === 'paused') this.#isHeld = true
    if (this.sleep === null) return
    this.#endSleep('pause')
    this.pausedFor = 'pause'
    this.#enter('paused')
  }

  resume(): void {
    if (this.state === 'running' || this.state === 'fresh') this.#pauseAsked = null
    if (this.state !== 'paused') return
    if (this.pausedFor === 'done') this.#order.nobodyIsDone()
    if (this.pausedFor !== 'pause') {
      this.#rows.failed = 0
      for (const worker of this.#order.workers) worker.silent = 0
    }
    this.#isHeld = false
    this.#rows.due = null
    this.#order.giver = null
    this.#enter('running')
    this.#next()
  }

  stop(immediate: boolean): void {
    if (this.state === 'stopped') return
    if (this.call !== null && !immediate) {
      this.#stopAsked = true
      return
    }
    if (this.sleep !== null) this.#endSleep('stop')
    this.#end('stop')
  }

  message(asked: string | null): void {
    if (this.state === 'stopped') return
    this.#order.nobodyIsDone()
    if (asked !== null) this.#order.asked.person = asked
    if (this.state === 'paused' && this.pausedFor === 'done' && !this.#isHeld) return this.resume()
    this.#wakeEarly()
  }

  openGate(id: string): void {
    if (this.state !== 'stopped' && this.books.spotsOf(id).length > 0) this.#order.gates.add(id)
  }

  approve(id: string): void {
    if (this.state === 'stopped' || !this.#order.gates.delete(id)) return
    this.#order.approved.push(...this.#order.workers.filter((worker) => worker.id === id))
    if (this.state === 'paused' && this.pausedFor === 'done' && !this.#isHeld) return this.resume()
    this.#wakeEarly()
  }

  endCall(result: RunResult): void {
    const call = this.call
    if (call === null) return
    const { worker } = call
    this.call = null
    this.seen.turns.push(`${this.wall}: ${call.n} ended ${result.kind}`)
    this.books.report(spotOf(worker), result, this.wall, (line) => this.#write(line))
    if (result.kind === 'limited' || result.kind === 'network') return this.#handOn(call)
    this.iterations++
    if (result.kind === 'posted') this.#posted(call, result)
    else {
      if (call.startedBy !== 'gate') this.#order.again = { worker, place: call.place }
      if (result.kind === 'waiting') this.#rows.waits(worker, result.minutes, this.wall)
      else this.#fails(worker, result)
    }
    this.#next()
  }

  advance(ms: number): void {
    const goal = this.#awake + ms
    while (this.sleep !== null && this.sleep.sliceEnd <= goal) {
      this.#pass(this.sleep.sliceEnd - this.#awake)
      this.#slice()
    }
    this.#pass(goal - this.#awake)
  }

  suspend(ms: number): void {
    this.wall += ms
  }

  moveClock(ms: number): void {
    this.wall += ms
  }

  restart(goesOn: boolean): void {
    const isPaused = this.state === 'paused'
    this.stop(true)
    this.state = 'fresh'
    this.books = new Books(this.#scene)
    const left = this.#order
    this.#order = this.#blankOrder()
    this.#rows = new Rows(this.#scene.settings.maxWaitMin)
    this.#stopAsked = false
    this.#pauseAsked = null
    this.#isHeld = false
    if (goesOn) this.#order.takeOver(left)
    else this.#turns = this.iterations = this.charged = 0
    if (!(goesOn && isPaused)) this.pausedFor = null
  }

  #blankOrder(): Order {
    const { participants, picks } = this.#scene
    return new Order(
      this.books,
      participants.map(({ id }) => id),
      picks,
    )
  }

  /** The order of checks (G28). */
  #next(): void {
    const { maxIterations, maxRuntimeMin } = this.#scene.settings
    if (this.#stopAsked) return this.#end('stop')
    if (this.#pauseAsked !== null) return this.#rest(this.#pauseAsked)
    if (maxIterations !== null && this.iterations >= maxIterations) return this.#end('maxIterations')
    if (maxRuntimeMin !== null && this.charged >= maxRuntimeMin * MINUTE) return this.#end('maxRuntimeMin')
    const { due } = this.#rows
    this.#rows.due = null
    if (due !== null) {
      const own = { at: due.until, by: 'probe', engine: '' }
      const { at, by } = due.failed ? this.books.earlierThan(own) : own
      if (at > this.wall) return this.#wait(due.failed ? 'backing_off' : 'waiting', { at, by }, true)
    }
    if (this.#order.areAllDone) {
      this.#write('every participant is done; run paused — say something or resume to go on')
      return this.#rest('done')
    }
    this.books.lift(this.wall)
    const next = this.#order.next()
    if ('spots' in next) return this.#sleepFor(next.spots, next.kept)
    const { worker, spot, startedBy, place, giver } = next
    if (giver?.spots.some((each) => this.books.isLimited(each)) === true) this.#write(`${giver.id} is rate limited — @${worker.id} takes the turn`)
    this.#begin({ n: this.#turns + 1, worker, startedBy, place }, spot)
  }

  #begin(call: Call, spot: number): void {
    const { worker, n, startedBy } = call
    this.#turns = n
    worker.done = false
    const { person, post } = this.#order.asked
    call.heard = { person: person === worker.id ? person : null, post: post === worker.id ? post : null }
    if (call.heard.person !== null) this.#order.asked.person = null
    if (call.heard.post !== null) this.#order.asked.post = null
    if (startedBy !== 'gate') Object.assign(this.#order, { again: null, giver: null })
    this.#run(call, spot)
  }

  #run(call: Call, to: number): void {
    const { worker } = call
    const target = worker.spots[to] ?? wrong('a run on no engine')
    const line = movedTo(worker, to, this.books)
    if (line !== null) this.#write(line)
    this.call = call
    this.#enter('running')
    this.seen.turns.push(`${this.wall}: ${call.n} ${worker.id} on ${target.engine} by ${call.startedBy}`)
  }

  /** The chain in the same step; else the turn is kept or given away (T9, T11, T12). */
  #handOn(call: Call): void {
    const { worker, place, startedBy } = call
    if (startedBy !== 'gate') {
      const hop = worker.spots.findIndex((spot, at) => at > worker.at && this.books.isFree(spot))
      if (hop !== -1 && !this.#stopAsked && this.#pauseAsked === null) return this.#run(call, hop)
      if (this.#order.keeps(worker)) this.#order.again = { worker, place }
      else this.#order.giver = { worker, place }
    }
    // A turn that never ran is not used up (G03), nor is what it was asked for.
    this.#order.asked.person ??= call.heard?.person ?? null
    this.#order.asked.post ??= call.heard?.post ?? null
    this.#next()
  }

  #posted({ worker, startedBy, place }: Call, { asked = null, done = false }: Extract<RunResult, { kind: 'posted' }>): void {
    this.posts++
    this.#rows.posted(worker)
    worker.done = done
    this.#order.place = place
    this.#order.asked.post = asked
    for (const each of this.#order.workers) if (each.id === asked && each !== worker) each.done = false
    if (startedBy === 'gate') this.#order.approved.shift()
    if (this.#order.again?.worker === worker) this.#order.again = null
  }

  #fails(worker: Worker, result: RunResult): void {
    const pause = this.#rows.fails(worker, spotOf(worker).engine, result, this.wall)
    if (pause === null) return
    this.#pauseAsked = pause.cause
    this.#write(pause.line)
  }

  #sleepFor(spots: readonly Spot[], kept: Worker | null): void {
    const first: Held = this.books.earliestOf(spots)
    const said = this.books.sleepLine(spots, first, kept?.id ?? null, this.wall)
    if (said.line !== null) this.#write(said.line)
    this.#order.giver = null
    this.#wait(kept === null && this.#order.isIdle ? 'waiting' : said.state, first, false)
  }

  #wait(state: State, { at: until, by }: Pick<Held, 'at' | 'by'>, isCharged: boolean): void {
    this.#enter(state)
    this.seen.waits.push(`${this.wall}: until ${until}`)
    this.sleep = { until, by, isCharged, sliceEnd: this.#awake }
    this.#slice()
  }

  #slice(): void {
    if (this.sleep === null) return
    const left = this.sleep.until - this.wall
    if (left > 0) {
      this.sleep.sliceEnd = this.#awake + Math.min(left, this.#scene.settings.sleepSliceMs)
      return
    }
    this.#endSleep(this.sleep.by)
    this.#next()
  }

  #wakeEarly(): void {
    if (this.state !== 'backing_off' && this.state !== 'waiting') return
    this.#endSleep('message')
    this.#next()
  }

  #endSleep(wokenBy: string): void {
    this.sleep = null
    this.seen.waits.push(`${this.wall}: woken by ${wokenBy}`)
  }

  /** Calls, waits after failures and wait plays are charged, and the time for which the machine was awake (G12). */
  #pass(ms: number): void {
    this.#awake += ms
    this.wall += ms
    if (this.call !== null || this.sleep?.isCharged === true) this.charged += ms
  }

  #rest(cause: string): void {
    this.pausedFor = cause
    this.#pauseAsked = null
    this.#enter('paused')
  }

  #end(reason: string): void {
    this.call = null
    this.#enter('stopped')
    this.seen.ends.push(`${this.wall}: ${reason}`)
  }

  #enter(state: State): void {
    if (this.state !== state) this.seen.states.push(`${this.wall}: ${state}`)
    this.state = state
  }

  #write(line: string): void {
    this.seen.lines.push(`${this.wall}: ${line}`)
  }
}

function spotOf({ spots, at }: Worker): Spot {
  return spots[at] ?? wrong('nothing to run on')
}
