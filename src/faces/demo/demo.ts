import { filter, firstValueFrom, fromEvent, map, type Observable, pairwise, takeUntil } from 'rxjs'
import { createKernel, type Hold, type Kernel } from '../../index.ts'
import { startLoopbackProvider } from '../../testing.ts'
import { ACTS, type Act, ANTHROPIC_SCRIPT, demoConfig, OPENAI_SCRIPT } from './acts.ts'
import { fastClock } from './fast-clock.ts'
import type { RunEvent } from './timeline.ts'

/**
 * The demo: a kernel on the real HTTP engines against two providers on this machine, which speak the real protocols by script.
 *
 * 1. It prints nothing. It reports what the turns and the kernel tell, and whoever watches makes lines of that.
 * 2. Nothing leaves the machine: both endpoints are on 127.0.0.1.
 */
export interface DemoOptions {
  /** Times as fast as the wall clock; 1 by default. */
  readonly speed?: number | undefined
  readonly signal: AbortSignal
}

export async function playDemo(report: (event: RunEvent) => void, { speed = 1, signal }: DemoOptions): Promise<void> {
  const openai = await startLoopbackProvider({ protocol: 'openai-chat', script: OPENAI_SCRIPT, timeScale: 1 / speed })
  const anthropic = await startLoopbackProvider({ protocol: 'anthropic-messages', script: ANTHROPIC_SCRIPT, timeScale: 1 / speed })
  const clock = fastClock(speed)
  const kernel = createKernel(demoConfig(openai, anthropic), { clock })
  const lapses = lapses$(kernel).subscribe((holds) => report({ type: 'kernel.holds', at: clock.now(), holds }))
  try {
    for (const act of ACTS) {
      if (act.whenFree === true) await everybodyFree(kernel, signal)
      if (signal.aborted) return
      await playAct(kernel, act, report, signal)
    }
    report({ type: 'kernel.ledger', at: clock.now(), rows: kernel.ledger.rows(), holds: kernel.holds() })
  } finally {
    lapses.unsubscribe()
    await kernel.stop()
    await Promise.all([openai.close(), anthropic.close()])
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

async function playAct(kernel: Kernel, act: Act, report: (event: RunEvent) => void, signal: AbortSignal): Promise<void> {
  const { id, prompt, stream, cancelAfterTexts = Number.POSITIVE_INFINITY } = act
  const turn = kernel.turn({ id, prompt, stream, sinks: ['event'], signal })
  let texts = 0
  turn.events$.subscribe((event) => {
    report(event)
    if (event.type === 'text' && ++texts === cancelAfterTexts) turn.cancel()
  })
  await turn.outcome
}

async function everybodyFree(kernel: Kernel, signal: AbortSignal): Promise<void> {
  const free = kernel.holds$.pipe(
    filter((holds) => holds.length === 0),
    takeUntil(fromEvent(signal, 'abort')),
  )
  await firstValueFrom(free, { defaultValue: [] })
}
