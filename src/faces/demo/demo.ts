import type { Inspector } from '../../index.ts'
import { startLoopbackProvider } from '../../testing.ts'
import { ACTS, anthropicScript, demoConfig, openaiScript } from './acts.ts'
import { CLI_ACTS, cliConfig, cliScript, SPARE_SCRIPT } from './cli-acts.ts'
import { fastClock } from './fast-clock.ts'
import { type DemoLooking, type Played, playActs, type Stage, stageKernel } from './play.ts'
import { type ProgramFolder, programFolder } from './program-folder.ts'
import { playTeam } from './team-act.ts'
import type { RunEvent } from './timeline.ts'

/**
 * The demo: kernels on the real engines, against providers on this machine that speak the real protocols by script and programs that print
 * what coding-agent CLIs print.
 *
 * 1. It prints nothing. It reports what the turns and the kernels tell, and whoever watches makes lines of that.
 * 2. Nothing leaves the machine: every endpoint is on 127.0.0.1, and no program is called but its own, which see nothing of the environment.
 * 3. It leaves no process and no file behind, also when it is interrupted.
 */
export interface DemoOptions {
  /** Times as fast as the wall clock; 1 by default. */
  readonly speed?: number | undefined
  readonly signal: AbortSignal
  /** Told why the acts with CLIs are left out, where they cannot be played. */
  onLeftOut(reason: string): void
  /** Told what the actors of every kernel of the demo do. */
  readonly inspect?: Inspector | undefined
  readonly looking?: DemoLooking | undefined
}

export async function playDemo(report: (event: RunEvent) => void, { speed = 1, signal, onLeftOut, inspect, looking }: DemoOptions): Promise<void> {
  const stage: Stage = { clock: fastClock(speed), speed, signal, report, inspect, looking }
  const played = [await playProviders(stage), await playPrograms(stage, onLeftOut), await playTeam(stage)]
  if (signal.aborted) return
  const at = stage.clock.now()
  report({
    type: 'kernel.ledger',
    at,
    rows: played.flatMap(({ rows }) => rows),
    holds: played.flatMap(({ holds }) => holds).filter(({ untilAt }) => untilAt > at),
  })
}

async function playProviders(stage: Stage): Promise<Played> {
  const { speed } = stage
  const timeScale = 1 / speed
  const openai = await startLoopbackProvider({ protocol: 'openai-chat', script: openaiScript(speed), timeScale })
  const anthropic = await startLoopbackProvider({ protocol: 'anthropic-messages', script: anthropicScript(speed), timeScale })
  const kernel = stageKernel(stage, 'providers', demoConfig(openai, anthropic, speed))
  try {
    return await playActs(kernel, ACTS, stage)
  } finally {
    await kernel.stop()
    await Promise.all([openai.close(), anthropic.close()])
  }
}

async function playPrograms(stage: Stage, onLeftOut: (reason: string) => void): Promise<Played> {
  if (stage.signal.aborted) return { rows: [], holds: [] }
  const folder = await programFolder(cliScript(stage.clock.now(), stage.speed))
  if ('missing' in folder) {
    onLeftOut(folder.missing)
    return { rows: [], holds: [] }
  }
  try {
    return await playIn(folder, stage)
  } finally {
    folder.remove()
  }
}

async function playIn({ path, install }: ProgramFolder, stage: Stage): Promise<Played> {
  const { clock, speed } = stage
  const spare = await startLoopbackProvider({ protocol: 'anthropic-messages', script: SPARE_SCRIPT, timeScale: 1 / speed })
  const processes = { environment: { PATH: path, HOME: path }, runs: `${path}/runs` }
  const kernel = stageKernel(stage, 'programs', cliConfig(spare), { processes })
  try {
    return await playActs(kernel, CLI_ACTS, stage, () => install(cliScript(clock.now(), speed)))
  } finally {
    await kernel.stop()
    await spare.close()
  }
}
