import { Observable } from 'rxjs'
import type { AnyActorRef, InspectionEvent } from 'xstate'
import type { Participant, RunResult, TeamFact, TeamRun } from '../../src/model/team.ts'
import { membersOf } from '../../src/policy/team/chain.ts'
import { RunningTeam } from '../../src/runtime/team/running-team.ts'
import type { TeamClock } from '../../src/runtime/team/team-clock.ts'
import { TimerQueue } from '../../src/runtime/timer-queue.ts'
import { VirtualTeamClock } from '../../src/simulate/team-clock.ts'
import { type Chance, seeded } from '../parity/seeded.ts'
import { SoakLog } from './soak-log.ts'
import { SoakWorld, spread } from './soak-world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const SLICE_MS = MINUTE

export const PARTICIPANTS: readonly Participant[] = [
  { id: 'ana', provider: 'claude', model: null, failover: ['codex', 'claude:haiku'] },
  { id: 'bo', provider: 'codex', model: null, failover: ['agy'] },
  { id: 'cy', provider: 'agy', model: null, failover: ['openai.work:gpt-5', 'claude'] },
  { id: 'di', provider: 'openai.work', model: null, failover: ['codex'] },
  { id: 'ed', provider: 'gemini-cli', model: null, failover: [] },
]

/** A team of five at work for as long as it is let, with a person who looks in, a laptop that is closed, and a clock that is put right. */
export class SoakMonth {
  readonly clock: VirtualTeamClock
  readonly log: SoakLog
  readonly team: RunningTeam
  readonly actors = new Set<AnyActorRef>()
  /** Timers of the team that neither rang nor were taken back. */
  readonly timers = new Opened()
  readonly calls = new Opened()
  readonly #chance: Chance
  readonly #world: SoakWorld
  readonly #host = new TimerQueue()
  #resuming = false

  /** `heard`: the facts as the log is told them. */
  constructor(seed: number, heard: (fact: TeamFact) => TeamFact | null = (fact) => fact) {
    this.#chance = seeded(seed)
    this.#world = new SoakWorld(this.#chance)
    // Summer time begins in this month.
    this.clock = new VirtualTeamClock(Date.parse('2026-03-10T18:00:00Z'))
    const clock = this.#counted()
    const zone = 'Europe/Madrid'
    this.log = new SoakLog(PARTICIPANTS, this.clock, zone, SLICE_MS)
    this.team = new RunningTeam(
      {
        members: membersOf(PARTICIPANTS, () => true),
        settings: { maxIterations: null, maxRuntimeMin: null, maxWaitMin: 30, sleepSliceMs: SLICE_MS },
        zone,
      },
      { clock, run: (run) => this.#called(run), onFact: (fact) => this.#tell(heard(fact)), inspect: (event) => this.#inspect(event) },
    )
    this.#now(() => this.team.messagePosted(), 40 * MINUTE)
    this.#now(() => this.#gate(), 3 * HOUR)
    this.#now(() => this.team.pause(), 20 * HOUR)
    this.#now(() => this.#suspend(), 14 * HOUR)
    this.#now(() => this.#putRight(), 24 * HOUR)
    this.team.start()
  }

  runUntil(sinceStartMs: number): void {
    for (;;) {
      const hostMs = this.#host.nextAt ?? Number.POSITIVE_INFINITY
      const timerMs = this.clock.nextMs ?? Number.POSITIVE_INFINITY
      const nextMs = Math.min(Math.max(hostMs, this.clock.sinceStartMs), timerMs)
      if (nextMs > sinceStartMs) return
      this.clock.moveTo(nextMs)
      const due = this.#host.popDue(nextMs)
      if (due === null) this.clock.ring()
      else due.fire()
      if (this.log.state === 'paused' && !this.#resuming) this.#resumeLater()
    }
  }

  #tell(fact: TeamFact | null): void {
    if (fact !== null) this.log.take(fact)
  }

  /** Again and again, with so much time between on average. */
  #now(act: () => void, everyMs: number): void {
    this.#later(everyMs, () => {
      act()
      this.#now(act, everyMs)
    })
  }

  #later(meanMs: number, act: () => void): void {
    this.#host.add(this.clock.sinceStartMs + spread(this.#chance, meanMs), act, false)
  }

  #gate(): void {
    const { id } = PARTICIPANTS[Math.floor(this.#chance() * PARTICIPANTS.length)] ?? { id: '' }
    this.team.openGate(id)
    this.#later(30 * MINUTE, () => this.team.approve(id))
  }

  #resumeLater(): void {
    this.#resuming = true
    this.#later(30 * MINUTE, () => {
      this.#resuming = false
      this.team.resume()
    })
  }

  #suspend(): void {
    this.clock.suspend(spread(this.#chance, 40 * MINUTE))
    this.log.moved()
  }

  /** Forward only: a clock that goes back makes an engine that was free one that is held, of which a log says nothing. */
  #putRight(): void {
    this.clock.moveWallClock(Math.ceil(this.#chance() * 5_000))
    this.log.moved()
  }

  #called(run: TeamRun): Observable<RunResult> {
    return new Observable((subscriber) => {
      const close = this.calls.open()
      const cancel = this.clock.after(this.#world.tookMs(run, this.clock.now()), () => {
        const result = this.#world.resultOf(run, this.clock.now())
        this.log.reports(result)
        subscriber.next(result)
        // The next call begins before this one is taken down.
        close()
        subscriber.complete()
      })
      return () => {
        close()
        cancel()
      }
    })
  }

  #counted(): TeamClock {
    const { clock } = this
    return {
      now: () => clock.now(),
      elapsedMs: () => clock.elapsedMs(),
      after: (ms, fire) => {
        const close = this.timers.open()
        const cancel = clock.after(ms, () => {
          close()
          fire()
        })
        return () => {
          close()
          cancel()
        }
      },
    }
  }

  #inspect(event: InspectionEvent): void {
    if (event.type === '@xstate.actor') this.actors.add(event.actorRef as AnyActorRef)
  }
}

/** Counts what is open at once. */
class Opened {
  now = 0
  most = 0

  /** Returns what closes it, once. */
  open(): () => void {
    let isOpen = true
    this.most = Math.max(this.most, ++this.now)
    return () => {
      if (isOpen) this.now--
      isOpen = false
    }
  }
}
