import { playDemo } from '../demo/demo.ts'
import { type RunEvent, renderEvent } from '../demo/timeline.ts'
import { type InspectOptions, whileInspected } from './inspect-option.ts'
import { hasColour, type Io } from './io.ts'
import { type Looking, type PageOptions, whileLooking } from './page-option.ts'
import { paintedLine } from './paint.ts'
import { EXIT, oneLine } from './problems.ts'
import { wrapped } from './wrap.ts'

export interface DemoOptions extends InspectOptions, PageOptions {
  readonly json?: boolean | undefined
  readonly speed: number
}

/** `relevo demo`: prints the timeline of the demo's events as they come, or the events themselves. */
export async function demo(io: Io, { json, speed, inspect, ...page }: DemoOptions): Promise<number> {
  const colour = hasColour(io.stdout, io.env)
  const timelineLine = (event: RunEvent, from: number): string | null => {
    const line = renderEvent(event, from)
    if (line === null) return null
    const fitting = wrapped(line, io.stdout.columns)
    return colour ? paintedLine(fitting, event) : fitting
  }
  let startedAt: number | null = null
  let printed = Promise.resolve()
  const print = (event: RunEvent): void => {
    startedAt ??= 'at' in event ? event.at : null
    const line = json === true ? JSON.stringify(event) : timelineLine(event, startedAt ?? 0)
    if (line !== null) printed = printed.then(() => io.stdout.write(`${line}\n`))
  }
  const onLeftOut = (reason: string): void => {
    printed = printed.then(() => io.stderr.write(`note: the acts with coding-agent CLIs are left out: ${oneLine(reason)}\n`))
  }
  const tell = (line: string): void => {
    printed = printed.then(() => io.stderr.write(`${line}\n`))
  }
  let isPlayed = false
  await whileInspected(inspect, tell, (inspector) =>
    whileLooking(io, page, { title: 'relevo demo' }, tell, async (looking) => {
      await playDemo(print, { speed, signal: io.interrupt, onLeftOut, inspect: inspector, looking })
      isPlayed = !io.interrupt.aborted
      await printed
      await stays(io, looking)
    }),
  )
  await printed
  return isPlayed ? EXIT.ok : EXIT.interrupted
}

/** A person on a terminal has the page open: it stays until they end it. Where there is no terminal nobody would. */
async function stays(io: Io, looking: Looking | undefined): Promise<void> {
  if (looking === undefined || looking.address === null || !io.stdout.isTty || io.interrupt.aborted) return
  await io.stderr.write('the demo is over; its page stays until Ctrl-C\n')
  await new Promise((resolve) => io.interrupt.addEventListener('abort', resolve, { once: true }))
}
