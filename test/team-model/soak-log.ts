import type { Participant, ReportedLimit, RunResult, RunState, TeamFact, TeamRun } from '../../src/model/team.ts'
import type { TeamClock } from '../../src/runtime/team/team-clock.ts'

const MINUTE = 60_000
const OUTAGES = [1, 2, 4, 8, 15]

interface Wait {
  readonly untilAt: number
  /** The machine slept in it, or its clock was set. */
  isMoved: boolean
  /** On the clock that no suspend moves: since when it is due because of such a move. */
  dueSinceMs: number | null
}

interface SleepLine {
  readonly line: string
  readonly time: string
  readonly engine: string | null
  readonly kept: string | null
}

/**
 * Reads the facts of a run as they come, and says where they do not agree with each other: every line with what follows it, every run and
 * every wait with what the runs before have reported. It keeps books of its own and remembers nothing but what is open.
 */
export class SoakLog {
  readonly problems: string[] = []
  readonly counts = new Map<string, number>()
  turns = 0
  state: RunState | null = null
  /** The latest that a wait ended behind its instant, without a suspend and with one. */
  late = { plainMs: 0, movedMs: 0 }
  readonly #clock: TeamClock
  /** Sweden writes instants in the form of the lines. */
  readonly #local: Intl.DateTimeFormat
  readonly #sliceMs: number
  readonly #engines: ReadonlyMap<string, readonly string[]>
  readonly #limits = new Map<string, number>()
  readonly #outages = new Map<string, { readonly tries: number; readonly until: number }>()
  #run: TeamRun | null = null
  #result: RunResult | null = null
  /** The line that the run which has just ended asks for. */
  #dueLine: string | null = null
  /** What the lines since the last run have promised of the next one. */
  #promised: { readonly line: string; readonly fits: (run: TeamRun) => boolean }[] = []
  #sleepLine: SleepLine | null = null
  #wait: Wait | null = null

  constructor(participants: readonly Participant[], clock: TeamClock, zone: string, sliceMs: number) {
    this.#clock = clock
    this.#local = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
    this.#sliceMs = sliceMs
    this.#engines = new Map(participants.map(({ id, provider, failover }) => [id, [provider, ...failover]]))
  }

  /** The result of the call that ends next, with the limit in it, which facts do not tell. */
  reports(result: RunResult): void {
    this.#result = result
  }

  /** The machine was suspended, or its clock was set. */
  moved(): void {
    if (this.#wait === null) return
    this.#wait.isMoved = true
    if (this.#clock.now() >= this.#wait.untilAt) this.#wait.dueSinceMs ??= this.#clock.elapsedMs()
  }

  take(fact: TeamFact): void {
    this.#count(fact.type)
    if (this.#dueLine !== null && fact.type !== 'line.written') this.#wrong(`"${this.#dueLine}" was not written`)
    switch (fact.type) {
      case 'run.started':
        return this.#runStarted(fact.run, fact.at)
      case 'run.ended':
        return this.#runEnded(fact.run, fact.result, fact.at)
      case 'line.written':
        return this.#lineWritten(fact.line, fact.at)
      case 'state.entered':
        this.state = fact.state
        return this.#count(fact.state)
      case 'wait.started':
        return this.#waitStarted(fact.untilAt, fact.at)
      case 'wait.ended':
        return this.#waitEnded(fact.wokenBy, fact.at)
      case 'team.failed':
        return this.#wrong(`a defect: ${fact.error}`)
      case 'team.ended':
        // A run may be: one that a stop breaks off has no result.
        if (this.#wait !== null) this.#wrong('over with a wait that is open')
    }
  }

  #runStarted(run: TeamRun, at: number): void {
    if (this.#run !== null || this.#wait !== null) this.#wrong(`run ${run.n} beside another one or in a wait`)
    if (run.n !== this.turns && run.n !== this.turns + 1) this.#wrong(`turn ${run.n} behind ${this.turns}`)
    if (this.#heldUntil(run.entry.engine) > at) this.#wrong(`turn ${run.n} on ${run.entry.engine}, which is held`)
    for (const { line, fits } of this.#promised) if (!fits(run)) this.#wrong(`"${line}", and then ${run.participant} on ${run.entry.engine}`)
    this.#promised = []
    this.#run = run
    this.turns = run.n
    this.#count(`by ${run.startedBy}`)
  }

  #runEnded(run: TeamRun, kind: RunResult['kind'], at: number): void {
    if (this.#run?.n !== run.n || this.#result?.kind !== kind) this.#wrong(`the end of a run that was not on: ${run.n} ${kind}`)
    this.#run = null
    this.#count(kind)
    const { engine, provider } = run.entry
    if (kind === 'network') {
      const tries = (this.#outages.get(provider)?.tries ?? 0) + 1
      const until = at + (OUTAGES[tries - 1] ?? 15) * MINUTE
      this.#outages.set(provider, { tries, until })
      this.#dueLine = `${provider} could not be reached; trying it again at ${this.#time(until, at)}`
    } else if (this.#outages.delete(provider)) this.#dueLine = `${provider} is reachable again`
    const limit = this.#result !== null && 'limit' in this.#result ? this.#result.limit : null
    if (limit !== null) this.#limits.set(engine, untilOf(engine, limit, at))
  }

  #lineWritten(line: string, at: number): void {
    if (this.#dueLine !== null) {
      if (this.#dueLine !== line) this.#wrong(`"${line}" instead of "${this.#dueLine}"`)
      this.#dueLine = null
      return this.#count(line.includes('again at') ? 'line: out' : 'line: reachable')
    }
    for (const [kind, pattern, read] of this.#readers(line, at)) {
      const found = pattern.exec(line)
      if (found === null) continue
      this.#count(`line: ${kind}`)
      return read(found)
    }
    this.#wrong(`a line that nothing accounts for: ${line}`)
  }

  #readers(line: string, at: number): readonly (readonly [string, RegExp, (found: RegExpExecArray) => void])[] {
    const promise = (fits: (run: TeamRun) => boolean): void => void this.#promised.push({ line, fits })
    const sleep = (time: string | undefined, engine: string | null, kept: string | null): void => {
      this.#sleepLine = { line, time: time ?? '', engine, kept }
    }
    return [
      [
        'hop',
        /^(\w+): (\S+) limited → (\S+)$/,
        ([, id, from = '', to]) => {
          if ((this.#limits.get(from) ?? 0) <= at) this.#wrong(`${line}, which is not limited`)
          promise((run) => run.participant === id && run.entry.engine === to)
        },
      ],
      [
        'handoff',
        /^\w+ is rate limited — @(\w+) takes the turn$/,
        ([, id]) => promise((run) => run.participant === id && run.startedBy === 'handoff'),
      ],
      ['back', /^(\w+): limit lifted — back on its primary provider$/, ([, id]) => promise((run) => run.participant === id && run.entry.primary)],
      ['back', /^(\w+): limit lifted — back on (\S+)$/, ([, id, to]) => promise((run) => run.participant === id && run.entry.engine === to)],
      ['every', /^every participant limited — waiting for (\S+), back first at (.+)$/, ([, engine, time]) => sleep(time, engine ?? null, null)],
      ['nobody', /^nobody can take the turn — waiting for (\S+), next try at (.+)$/, ([, engine, time]) => sleep(time, engine ?? null, null)],
      ['kept', /^(\w+) is rate limited — waiting for (\S+), back first at (.+)$/, ([, id, engine, time]) => sleep(time, engine ?? null, id ?? null)],
      ['none reached', /^No provider can be reached; trying again at (.+)$/, ([, time]) => sleep(time, null, null)],
      ['gave up', /^Gave up after 12 failed attempts in a row, over five hours \(\S+ .+\); run paused/, () => {}],
      ['silent', /^\w+ ended three turns in a row without a post; run paused/, () => {}],
    ]
  }

  #waitStarted(untilAt: number, at: number): void {
    if (this.#run !== null || this.#wait !== null) this.#wrong('a wait beside a run or another wait')
    if (this.#promised.length > 0) this.#wrong(`"${this.#promised[0]?.line}", and then a wait`)
    this.#wait = { untilAt, isMoved: false, dueSinceMs: null }
    const said = this.#sleepLine
    this.#sleepLine = null
    if (said === null) return
    if (!this.#waitedFor(said).some((engines) => this.#earliestOf(engines) === untilAt)) this.#wrong(`"${said.line}", which is not the earliest`)
    if (said.time !== this.#time(untilAt, at)) this.#wrong(`"${said.line}", and a wait to ${this.#time(untilAt, at)}`)
    if (said.engine !== null && this.#heldUntil(said.engine) !== untilAt) this.#wrong(`"${said.line}", and another engine is back then`)
  }

  /** T17, G10: at its instant by the wall clock; after a suspend once the slice is over that it cut. */
  #waitEnded(wokenBy: string, at: number): void {
    const wait = this.#wait
    this.#wait = null
    this.#count(`woken by ${wokenBy}`)
    if (wait === null) return this.#wrong('the end of no wait')
    if (wokenBy !== 'reset' && wokenBy !== 'probe') return
    const lateMs = wait.dueSinceMs === null ? at - wait.untilAt : this.#clock.elapsedMs() - wait.dueSinceMs
    if (wait.isMoved) this.late.movedMs = Math.max(this.late.movedMs, lateMs)
    else this.late.plainMs = Math.max(this.late.plainMs, lateMs)
    if (at < wait.untilAt || lateMs > (wait.isMoved ? this.#sliceMs : 0)) this.#wrong(`woken at ${at}, asked for ${wait.untilAt}`)
  }

  /** A kept turn waits for its participant's engines, an approved one for the first of them, and anything else for all of the team. */
  #waitedFor({ line, kept }: SleepLine): (readonly string[])[] {
    const all = [...this.#engines.values()]
    const keptBy = (engines: readonly string[]): (readonly string[])[] => [engines, engines.slice(0, 1)]
    if (kept !== null) return keptBy(this.#engines.get(kept) ?? [])
    // "nobody" is said of a kept turn, too, when no other one can run.
    return line.startsWith('every') ? [all.flat()] : [all.flat(), ...all.flatMap(keptBy)]
  }

  #earliestOf(engines: readonly string[]): number {
    return Math.min(...engines.map((engine) => this.#heldUntil(engine)))
  }

  #heldUntil(engine: string): number {
    return Math.max(this.#limits.get(engine) ?? 0, this.#outages.get(engine.split(':')[0] ?? '')?.until ?? 0)
  }

  /** With the date when it is another day there. */
  #time(at: number, now: number): string {
    const [day, time = ''] = this.#local.format(at).split(' ')
    return this.#local.format(now).startsWith(`${day} `) ? time : `${day} ${time}`
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  #wrong(what: string): void {
    if (this.problems.length < 10) this.problems.push(`${new Date(this.#clock.now()).toISOString()} ${what}`)
  }
}

function untilOf(engine: string, { resetAt }: ReportedLimit, now: number): number {
  if (resetAt === null) return now + (/^claude\b/.test(engine) ? 60 : 30) * MINUTE
  return resetAt <= now ? now + MINUTE : resetAt
}
