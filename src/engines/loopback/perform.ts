import type { ServerResponse } from 'node:http'
import { type Answer, bytesOf, type Step } from './voice.ts'

/**
 * Carries an answer out on one connection.
 *
 * 1. A performance ends when its answer does, when the client goes away, or when the server is closed; no timer outlives it.
 * 2. It never holds more than the connection takes: a slow client stops it.
 * 3. Before a reset the bytes already said get time to be read; a reset may overtake them otherwise, and the script says they arrived.
 */
export type RequestEnd = 'answered' | 'broken_off' | 'client_gone' | 'server_closed'

/** What a performance needs of its surroundings. */
export interface Stage {
  /** Aborted with a `RequestEnd` as reason when the client goes away or the server closes. */
  readonly gone: AbortSignal
  readonly timeScale: number
  /** Told of every body byte that was written. */
  readonly sent: (bytes: number) => void
  /** Told when the answer has come to the point from which it only goes on pretending. */
  readonly quiet: () => void
  /** Called before the connection is broken off by script, so that its end is not taken for the client's. */
  readonly breaking: () => void
}

const RESET_GRACE_MS = 10
const RESET_GRACE_TURNS = 3
const SMALLEST_WAIT_MS = 1

/** Waits `afterMs` (scaled), then gives the answer. Resolves when it is over and never rejects. */
export async function perform(answer: Answer, afterMs: number, response: ServerResponse, stage: Stage): Promise<RequestEnd> {
  if (afterMs > 0 && !(await pause(afterMs * stage.timeScale, stage.gone))) return endOf(stage)
  switch (answer.kind) {
    case 'silence':
      if (answer.statusLine) response.socket?.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n')
      return silence(stage)
    case 'close':
      return hangUp(response, stage)
    case 'reset':
      return reset(response, stage)
    case 'raw':
      response.socket?.write(answer.bytes)
      return hangUp(response, stage)
    case 'response':
      response.writeHead(answer.status, answer.headers)
      return steps(answer.steps, response, stage)
  }
}

async function steps(list: readonly Step[], response: ServerResponse, stage: Stage): Promise<RequestEnd> {
  for (const step of joined(list)) {
    if (stage.gone.aborted) return endOf(stage)
    if (step.do !== 'write' && step.do !== 'end') response.flushHeaders()
    const end = await one(step, response, stage)
    if (end !== undefined) return end
  }
  return finish(response, stage)
}

/** Undefined when the body goes on. */
async function one(step: Step, response: ServerResponse, stage: Stage): Promise<RequestEnd | undefined> {
  switch (step.do) {
    case 'write':
      return (await send(bytesOf(step.bytes), response, stage)) ? undefined : endOf(stage)
    case 'raw':
      await flushed(response, stage)
      response.socket?.write(step.bytes)
      return undefined
    case 'wait':
      return (await pause(step.ms * stage.timeScale, stage.gone)) ? undefined : endOf(stage)
    case 'repeat':
      if (step.times === Number.POSITIVE_INFINITY) stage.quiet()
      return (await repeat(step, response, stage)) ? undefined : endOf(stage)
    case 'end':
      return finish(response, stage)
    case 'close':
      return hangUp(response, stage)
    case 'reset':
      return reset(response, stage)
    case 'stall':
      return silence(stage)
  }
}

/** Writes without a wait between them, as one. */
function joined(list: readonly Step[]): Step[] {
  const result: Step[] = []
  let run: Uint8Array[] = []
  const flush = (): void => {
    if (run.length > 0) result.push({ do: 'write', bytes: Buffer.concat(run) })
    run = []
  }
  for (const step of list) {
    if (step.do === 'write') run.push(bytesOf(step.bytes))
    else {
      flush()
      result.push(step)
    }
  }
  flush()
  return result
}

async function repeat(step: Extract<Step, { do: 'repeat' }>, response: ServerResponse, stage: Stage): Promise<boolean> {
  const bytes = bytesOf(step.bytes)
  for (let time = 0; time < step.times; time++) {
    if (!(await send(bytes, response, stage))) return false
    if (step.everyMs > 0 && !(await pause(step.everyMs * stage.timeScale, stage.gone))) return false
  }
  return true
}

/** False when nobody is there to read on. */
async function send(bytes: Uint8Array, response: ServerResponse, stage: Stage): Promise<boolean> {
  if (stage.gone.aborted || response.destroyed) return false
  stage.sent(bytes.length)
  if (response.write(bytes)) return true
  return until(stage.gone, (done) => {
    response.once('drain', done)
    return () => response.off('drain', done)
  })
}

async function finish(response: ServerResponse, stage: Stage): Promise<RequestEnd> {
  const ended = await until(stage.gone, (done) => {
    response.end(done)
    return () => {}
  })
  return ended ? 'answered' : endOf(stage)
}

async function hangUp(response: ServerResponse, stage: Stage): Promise<RequestEnd> {
  await flushed(response, stage)
  if (stage.gone.aborted) return endOf(stage)
  stage.breaking()
  response.socket?.destroySoon()
  return 'broken_off'
}

async function reset(response: ServerResponse, stage: Stage): Promise<RequestEnd> {
  await flushed(response, stage)
  if (response.headersSent) {
    await pause(RESET_GRACE_MS, stage.gone)
    // A client in this process reads in the poll phase, which a late timer may come before.
    for (let turn = 0; turn < RESET_GRACE_TURNS; turn++) await pause(0, stage.gone)
  }
  if (stage.gone.aborted) return endOf(stage)
  stage.breaking()
  response.socket?.resetAndDestroy()
  return 'broken_off'
}

/** Whatever was written has left this process. */
async function flushed(response: ServerResponse, stage: Stage): Promise<void> {
  const socket = response.socket
  if (!response.headersSent || socket === null) return
  response.flushHeaders()
  await until(stage.gone, (done) => {
    socket.write('', () => done())
    return () => {}
  })
}

async function silence(stage: Stage): Promise<RequestEnd> {
  stage.quiet()
  await until(stage.gone, () => () => {})
  return endOf(stage)
}

function endOf(stage: Stage): RequestEnd {
  return stage.gone.reason === 'server_closed' ? 'server_closed' : 'client_gone'
}

/** True after `ms` (0: in the next turn of the event loop), false when the stage was cleared before. */
function pause(ms: number, gone: AbortSignal): Promise<boolean> {
  return until(gone, (done) => {
    if (ms <= 0) {
      const turn = setImmediate(done)
      return () => clearImmediate(turn)
    }
    const timer = setTimeout(done, Math.max(SMALLEST_WAIT_MS, ms))
    return () => clearTimeout(timer)
  })
}

/** True when `start` calls back, false when the stage was cleared before; then what `start` returned is called. */
function until(gone: AbortSignal, start: (done: () => void) => () => void): Promise<boolean> {
  return new Promise((resolve) => {
    if (gone.aborted) return resolve(false)
    const cleared = (): void => {
      undo()
      resolve(false)
    }
    gone.addEventListener('abort', cleared, { once: true })
    const undo = start(() => {
      gone.removeEventListener('abort', cleared)
      resolve(true)
    })
  })
}
