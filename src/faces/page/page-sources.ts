import type { ToldFact } from '../../host.ts'
import { type Inspector, type Kernel, type KernelPorts, memoryLedger } from '../../index.ts'
import type { ActorEvent, PageEvent } from './page-event.ts'
import { ToldActors } from './told-actors.ts'
import { ToldChains } from './told-chains.ts'
import { toldLedger } from './told-ledger.ts'
import { type SeenTeam, tellTeam } from './told-team.ts'

/** Who is told. */
export interface PageSink {
  /** Without it no text of a post reaches `take` (R36). */
  readonly showsText: boolean
  take(event: PageEvent): void
}

/** Ports as a kernel would have them otherwise. */
export interface UnwatchedPorts extends Pick<KernelPorts, 'inspect' | 'ledger'> {
  readonly clock?: { now(): number } | undefined
}

/** Ports with what is looked at in them. */
export interface WatchedPorts {
  readonly inspect: Inspector
  readonly ledger: NonNullable<KernelPorts['ledger']>
  readonly facts: NonNullable<KernelPorts['facts']>
}

/**
 * Where the events of a page and of a recording come from: the kernels and the team that it is given.
 *
 * 1. Whatever is looked at goes on whatever a sink does: one that throws is told nothing more.
 * 2. What the actors do is told while somebody watches them; everything else, from the beginning.
 * 3. The clock is that of the kernel that was given last.
 */
export class PageSources {
  readonly #sinks = new Set<PageSink>()
  readonly #actors = new Map<string, ToldActors>()
  readonly #chains = new Map<string, ToldChains>()
  readonly #ends: (() => void)[] = []
  #now: () => number
  #watchers = 0

  /** `now`: epoch ms, until a kernel is given. */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  now(): number {
    return this.#now()
  }

  /** From here on a sink is told what happens: it comes before the kernels. */
  tell(sink: PageSink): void {
    this.#sinks.add(sink)
  }

  /** To be given to the kernel of this name when it is made; `ports`: what it would be given otherwise. */
  ports(name: string, { inspect, ledger, clock }: UnwatchedPorts = {}): WatchedPorts {
    const now = (): number => clock?.now() ?? Date.now()
    const actors = new ToldActors(name, now, (event) => this.#tell(event))
    this.#actors.get(name)?.leave()
    this.#actors.set(name, actors)
    if (this.#watchers > 0) actors.watch()
    return {
      inspect: inspect === undefined ? actors.inspect : both(actors.inspect, inspect),
      facts: (fact, { participant }) => this.#hear(name, fact, participant ?? null),
      ledger: toldLedger(ledger ?? memoryLedger(), (row) => this.#tell({ type: 'row.closed', at: row.endedAt ?? row.startedAt, row })),
    }
  }

  /** The kernel that those ports were for. `clock`: its own, where it was given one. */
  follow(name: string, kernel: Pick<Kernel, 'plan' | 'hints' | 'holds$'>, clock?: { now(): number }): void {
    this.#now = () => clock?.now() ?? Date.now()
    this.#chains.get(name)?.close()
    this.#chains.set(name, new ToldChains(name, kernel, this.#now, (event) => this.#tell(event)))
  }

  followTeam(team: SeenTeam): void {
    this.#ends.push(tellTeam(team, (event) => this.#tell(event)))
  }

  /** What is known in another way, such as from a scenario that is played. */
  add(event: PageEvent): void {
    this.#tell(event)
  }

  /** From here until `leaveActors` what the actors do is told, each as it stands first. */
  watchActors(): void {
    if (this.#watchers++ === 0) for (const actors of this.#actors.values()) actors.watch()
  }

  leaveActors(): void {
    if (--this.#watchers === 0) for (const actors of this.#actors.values()) actors.leave()
  }

  /** Every actor as it stands, while they are watched. */
  get presentActors(): readonly ActorEvent[] {
    return [...this.#actors.values()].flatMap((actors) => actors.present)
  }

  /** Looks whether plans have become others, as they do with new settings. */
  look(): void {
    for (const chains of this.#chains.values()) chains.look()
  }

  /** The last look; nothing is told afterwards. */
  close(): void {
    for (const chains of this.#chains.values()) chains.close()
    for (const end of this.#ends.splice(0)) end()
    for (const actors of this.#actors.values()) actors.leave()
    this.#sinks.clear()
  }

  #hear(kernel: string, fact: ToldFact, participant: string | null): void {
    this.#tell({ type: 'turn.told', at: fact.at, kernel, participant, fact })
    if (fact.type === 'turn.ended') this.#chains.get(kernel)?.look()
  }

  #tell(event: PageEvent): void {
    for (const sink of [...this.#sinks]) {
      try {
        sink.take(sink.showsText ? event : withoutText(event))
      } catch {
        this.#sinks.delete(sink)
      }
    }
  }
}

function withoutText(event: PageEvent): PageEvent {
  return event.type === 'team.posted' ? { ...event, post: { ...event.post, text: null } } : event
}

/** The one of the kernel guards against whatever is thrown; of two each hears what the other breaks at. */
function both(ours: (event: InspectionEvent) => void, theirs: Inspector): Inspector {
  return (event) => {
    ours(event)
    if (typeof theirs === 'function') theirs(event)
    else theirs.next?.(event)
  }
}

type InspectionEvent = Parameters<Extract<Inspector, (event: never) => void>>[0]
