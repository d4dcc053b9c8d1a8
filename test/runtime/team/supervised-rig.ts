import type { Post } from '../../../src/model/post.ts'
import type { TeamEvent } from '../../../src/model/team-event.ts'
import type { KernelConfig, KernelPorts } from '../../../src/runtime/kernel-door.ts'
import type { Team, TeamHandle } from '../../../src/runtime/team/team-door.ts'
import { type OnAttempt, type PlayedAttempt, type Rig, rig, settle } from '../rig.ts'

/** ana on a.x, bo on b.y, cy on an engine of the host in the place of the program claude: each is played by hand. */
export const ANA = { id: 'ana', provider: 'a.x', prompt: 'You are ana.' } as const
export const BO = { id: 'bo', provider: 'b.y', prompt: 'You are bo.' } as const
export const CY = { id: 'cy', provider: 'claude', model: 'opus', prompt: 'You are cy.' } as const

export const PROFILES: KernelConfig = {
  primary: null,
  team: {},
  profiles: { 'a.x': { model: 'm1', apiKey: 'k-a' }, 'b.y': { model: 'm2', apiKey: 'k-b' } },
  reliability: { jitter: 0, providerRetries: 0 },
}

export interface SupervisedOptions {
  readonly team?: Partial<Team>
  readonly config?: KernelConfig
  readonly ports?: KernelPorts
  readonly onAttempt?: OnAttempt
  /** Called in the moment of each event. */
  readonly onEvent?: (event: TeamEvent, team: TeamHandle) => void
}

export interface Supervised extends Rig {
  readonly team: TeamHandle
  readonly events: TeamEvent[]
  readonly lines: () => string[]
  readonly types: () => string[]
  readonly posts: Post[]
  /** Who was called, as participant and turn, from the rows of the ledger. */
  readonly called: () => string[]
  /** The call in flight, once it is there. */
  current(): Promise<PlayedAttempt>
  /** The call in flight answers so. */
  answer(text: string, finish?: string): Promise<void>
  /** Lets time pass and everything that waits for it happen. */
  pass(ms: number): Promise<void>
}

/** A team on a kernel with played engines and a virtual clock, and all that is to be seen of it. */
export function supervised({ team: more = {}, config = PROFILES, ports, onAttempt, onEvent }: SupervisedOptions = {}): Supervised {
  const base = rig({ config, ...(ports === undefined ? {} : { ports }), ...(onAttempt === undefined ? {} : { onAttempt }) })
  const team = base.kernel.supervise({ participants: [ANA, BO], zone: 'UTC', id: 'night', ...more })
  const events: TeamEvent[] = []
  const posts: Post[] = []
  team.events$.subscribe((event) => {
    events.push(event)
    onEvent?.(event, team)
  })
  team.thread$.subscribe((post) => posts.push(post))
  const current = async (): Promise<PlayedAttempt> => {
    await settle()
    return base.last()
  }
  return {
    ...base,
    team,
    events,
    posts,
    current,
    lines: () => events.flatMap((event) => (event.type === 'line.written' ? [event.line] : [])),
    types: () => events.map(({ type }) => type),
    called: () => base.kernel.ledger.rows().map(({ participant, turn }) => `${participant} ${turn}`),
    async answer(text, finish) {
      const attempt = await current()
      attempt.text(text).final(finish)
      await settle()
    },
    async pass(ms) {
      const until = base.clock.now() + ms
      await settle()
      for (let next = base.clock.nextAt(); next !== null && next <= until; next = base.clock.nextAt()) {
        base.clock.moveTo(next)
        await settle()
      }
      base.clock.moveTo(until)
      await settle()
    },
  }
}
