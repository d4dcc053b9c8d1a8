import { Observable, type Subscriber } from 'rxjs'
import type { InspectionEvent } from 'xstate'
import type { RunResult, TeamFact } from '../../src/model/team.ts'
import type { RunningTeam, TeamAsk } from '../../src/runtime/team/running-team.ts'
import type { VirtualTeamClock } from '../../src/simulate/team-clock.ts'
import type { Product } from './product.ts'
import type { Scene, Side } from './scene.ts'

export const START_AT = Date.parse('2026-03-01T12:00:00Z')

export interface Watching {
  readonly inspect?: ((event: InspectionEvent) => void) | undefined
  /** Told of every command that is carried out, by its kind. */
  readonly onCommand?: ((kind: string) => void) | undefined
}

/** A team of the product on a clock that a test moves, with every call in its hand. What is to be seen is written down as the model does it. */
export class Rig implements Side {
  posts = 0
  seen = { turns: [] as string[], lines: [] as string[], states: [] as string[], waits: [] as string[], ends: [] as string[] }
  /** Calls that somebody still listens to; of a team there is one at the most. */
  readonly calls = new Set<Subscriber<RunResult>>()
  readonly clock: VirtualTeamClock
  readonly #product: Product
  readonly #scene: Scene
  readonly #watching: Watching
  #team: RunningTeam
  #state: string | null = null

  constructor(product: Product, scene: Scene, watching: Watching = {}) {
    this.#product = product
    this.#scene = scene
    this.#watching = watching
    this.clock = new product.VirtualTeamClock(START_AT)
    this.#team = this.#made()
  }

  /** A command is carried out. */
  count(kind: string): void {
    this.#watching.onCommand?.(kind)
  }

  get progress(): RunningTeam['progress'] {
    return this.#team.progress
  }

  start(): void {
    this.#team.start()
  }

  pause(): void {
    this.#team.pause()
  }

  resume(): void {
    this.#team.resume()
  }

  stop(immediate: boolean): void {
    this.#team.stop({ immediate })
  }

  message(asked: string | null): void {
    this.#team.messagePosted(asked)
  }

  openGate(id: string): void {
    this.#team.openGate(id)
  }

  approve(id: string): void {
    this.#team.approve(id)
  }

  endCall(result: RunResult): void {
    const [call] = this.calls
    if (call === undefined) throw new Error('no call is in flight')
    if (result.kind === 'posted') this.posts++
    call.next(result)
    call.complete()
  }

  advance(ms: number): void {
    const goal = this.clock.sinceStartMs + ms
    for (let nextMs = this.clock.nextMs; nextMs !== null && nextMs <= goal; nextMs = this.clock.nextMs) {
      this.clock.moveTo(nextMs)
      this.clock.ring()
    }
    this.clock.moveTo(goal)
  }

  suspend(ms: number): void {
    this.clock.suspend(ms)
  }

  moveClock(ms: number): void {
    this.clock.moveWallClock(ms)
  }

  restart(goesOn: boolean): void {
    const isPaused = this.#state === 'paused'
    this.#team.stop({ immediate: true })
    const { position, begun, ended, repeated, gates, approved, asked, done, iterations, chargedMs, paused } = this.#team.memory
    const left = { position, begun, ended, repeated, gates, approved, asked, done, iterations, chargedMs, paused: isPaused ? paused : null }
    this.#team = this.#made(goesOn ? left : undefined)
  }

  #made(start?: TeamAsk['start']): RunningTeam {
    const { participants, installed, picks, settings } = this.#scene
    const { RunningTeam: Made, membersOf: membersFrom, listedOrder: orderOf, askedFirst: firstAsked } = this.#product
    const members = membersFrom(
      participants.map((each) => ({ ...each, model: null })),
      (provider) => installed.includes(provider),
    )
    return new Made(
      { members, settings, zone: 'UTC', choice: firstAsked(orderOf(picks)), start },
      {
        clock: this.clock,
        run: () =>
          new Observable((call) => {
            this.calls.add(call)
            return () => this.calls.delete(call)
          }),
        onFact: (fact) => this.#take(fact),
        inspect: this.#watching.inspect,
      },
    )
  }

  #take(fact: TeamFact): void {
    const { turns, lines, states, waits, ends } = this.seen
    const at = `${fact.at}: `
    switch (fact.type) {
      case 'run.started': {
        const { n, participant, entry, startedBy } = fact.run
        turns.push(`${at}${n} ${participant} on ${entry.engine} by ${startedBy}`)
        return
      }
      case 'run.ended':
        turns.push(`${at}${fact.run.n} ended ${fact.result}`)
        return
      case 'line.written':
        lines.push(at + fact.line)
        return
      case 'state.entered':
        this.#state = fact.state
        states.push(at + fact.state)
        return
      case 'wait.started':
        waits.push(`${at}until ${fact.untilAt}`)
        return
      case 'wait.ended':
        waits.push(`${at}woken by ${fact.wokenBy}`)
        return
      case 'team.ended':
        ends.push(at + fact.reason)
        return
      case 'team.failed':
        ends.push(`${at}defect: ${fact.error}`)
    }
  }
}
