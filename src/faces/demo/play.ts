import { filter, firstValueFrom, fromEvent, map, type Observable, pairwise, takeUntil } from 'rxjs'
import {
  type Clock,
  createKernel,
  type Hold,
  type Inspector,
  type Kernel,
  type KernelConfig,
  type KernelPorts,
  type LedgerRow,
  type TeamHandle,
} from '../../index.ts'
import type { Act } from './acts.ts'
import type { RunEvent } from './timeline.ts'

/** What every part of the demo is played with. */
export interface Stage {
  readonly clock: Clock
  readonly speed: number
  readonly signal: AbortSignal
  report(event: RunEvent): void
  readonly inspect: Inspector | undefined
  readonly looking: DemoLooking | undefined
}

/** Whoever looks at the kernels and the team of the demo beside what is printed. */
export interface DemoLooking {
  /** Ports of the kernel of that name, with what is looked at in them. */
  ports(name: string, ports: Pick<KernelPorts, 'inspect' | 'clock'>): Pick<KernelPorts, 'inspect' | 'ledger' | 'facts'>
  follow(name: string, kernel: Kernel, clock: Clock): void
  followTeam(team: TeamHandle, about: { readonly name: string; readonly participants: readonly { readonly id: string; readonly path: null }[] }): void
}

/** A kernel of the demo, looked at by this name. `clock`: where it has one of its own. */
export function stageKernel(stage: Stage, name: string, config: KernelConfig, { clock = stage.clock, ...ports }: KernelPorts = {}): Kernel {
  const { inspect, looking } = stage
  const kernel = createKernel(config, { clock, inspect, ...looking?.ports(name, { inspect, clock }), ...ports })
  looking?.follow(name, kernel, clock)
  return kernel
}

/** What is left when a part is over. */
export interface Played {
  readonly rows: readonly LedgerRow[]
  readonly holds: readonly Hold[]
}

/** Plays acts one after the other, until the signal. `prepare` is called before each. */
export async function playActs(kernel: Kernel, acts: readonly Act[], stage: Stage, prepare = async (): Promise<void> => {}): Promise<Played> {
  const { clock, signal, report } = stage
  const lapses = lapses$(kernel).subscribe((holds) => report({ type: 'kernel.holds', at: clock.now(), holds }))
  try {
    for (const act of acts) {
      if (act.whenFree === true) await everybodyFree(kernel, signal)
      if (signal.aborted) break
      await prepare()
      await playAct(kernel, act, stage)
    }
    return { rows: kernel.ledger.rows(), holds: kernel.holds() }
  } finally {
    lapses.unsubscribe()
  }
}

/** What is still held, each time that somebody may be asked again. A hold that is set is told by the turn that sets it. */
function lapses$(kernel: Kernel): Observable<readonly Hold[]> {
  return kernel.holds$.pipe(
    pairwise(),
    filter(([before, after]) => after.length < before.length),
    map(([, after]) => after),
  )
}

async function playAct(kernel: Kernel, act: Act, { report, signal }: Stage): Promise<void> {
  const { id, prompt, stream, model, cancelAfterTexts = Number.POSITIVE_INFINITY } = act
  const turn = kernel.turn({ id, prompt, stream, model, sinks: ['event'], signal })
  let texts = 0
  turn.events$.subscribe((event) => {
    report(event)
    if (event.type === 'text' && ++texts === cancelAfterTexts) turn.cancel()
  })
  await turn.outcome
}

async function everybodyFree(kernel: Kernel, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const free = kernel.holds$.pipe(
    filter((holds) => holds.length === 0),
    takeUntil(fromEvent(signal, 'abort')),
  )
  await firstValueFrom(free, { defaultValue: [] })
}
