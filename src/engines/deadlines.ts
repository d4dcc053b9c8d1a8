import type { Clock } from '../model/clock.ts'
import type { Failure, FailurePhase } from '../model/failure.ts'
import { failure } from '../model/failure.ts'
import type { Timeouts } from '../model/settings.ts'

/**
 * The deadlines of one attempt (R31, C40), for every engine.
 *
 * 1. One clock alarm is armed at a time and never later than the earliest deadline. A byte moves the idle limit by a timestamp, never by
 *    a new timer; an alarm that finds nothing due is set again.
 * 2. Data exactly at a limit is in time: an alarm lets the other work of its instant go first and then looks again.
 * 3. A phase whose predecessor has a limit of its own is measured from that predecessor's end, otherwise from the start. So the idle
 *    limit of a stream also runs before its first byte when no first-byte limit is set; that of a call does not, since a provider says
 *    nothing while it computes a whole answer.
 * 4. While the reader is slow the engine does not read, so the idle limit stands still.
 */
export type DeadlineName = 'connect' | 'first_byte' | 'first_output' | 'idle' | 'total'

const IN_ORDER: readonly DeadlineName[] = ['connect', 'first_byte', 'first_output', 'idle', 'total']

const WORDS: Record<DeadlineName, string> = {
  connect: 'no connection',
  first_byte: 'no response',
  first_output: 'no output',
  idle: 'silence',
  total: 'the call was not over',
}

export interface DeadlineOptions {
  readonly clock: Clock
  readonly timeouts: Timeouts
  readonly mode: 'stream' | 'call'
  /** Called at most once, with the deadline that passed; nothing runs afterwards. */
  readonly onExpire: (name: DeadlineName) => void
}

export class Deadlines {
  readonly #options: DeadlineOptions
  #startedAt = 0
  #connectedAt: number | null = null
  #byteAt: number | null = null
  #outputSeen = false
  #heldAt: number | null = null
  #cancelAlarm: (() => void) | null = null
  #alarmAt = Number.POSITIVE_INFINITY
  #over = false

  constructor(options: DeadlineOptions) {
    this.#options = options
  }

  /** The attempt begins now. */
  start(): void {
    this.#startedAt = this.#options.clock.now()
    this.#arm()
  }

  /** The request is being written on an open connection. */
  connected(): void {
    if (this.#connectedAt !== null || this.#over) return
    this.#connectedAt = this.#options.clock.now()
    this.#arm()
  }

  /** Bytes of the response came in, whatever they say: a status line, a comment, a ping. */
  byte(): void {
    const first = this.#byteAt === null
    this.#byteAt = this.#options.clock.now()
    if (first && !this.#over) this.#arm()
  }

  /** The first event that is output; later calls cost nothing. */
  output(): void {
    this.#outputSeen = true
  }

  /** The reader is slow: the engine stops reading. */
  hold(): void {
    this.#heldAt ??= this.#options.clock.now()
  }

  /** The engine reads again; the idle limit starts anew. */
  release(): void {
    if (this.#heldAt === null) return
    this.#heldAt = null
    if (this.#byteAt !== null) this.#byteAt = this.#options.clock.now()
    if (!this.#over) this.#arm()
  }

  /** The attempt is over; nothing fires any more. */
  stop(): void {
    this.#over = true
    this.#cancelAlarm?.()
    this.#cancelAlarm = null
  }

  #arm(): void {
    const at = this.#earliest()?.at
    if (at === undefined || at >= this.#alarmAt) return
    this.#cancelAlarm?.()
    this.#setAlarm(at, () => this.#look())
  }

  #setAlarm(at: number, then: () => void): void {
    this.#alarmAt = at
    this.#cancelAlarm = this.#options.clock.wakeAt(at, () => {
      this.#alarmAt = Number.POSITIVE_INFINITY
      this.#cancelAlarm = null
      if (!this.#over) then()
    })
  }

  #look(): void {
    const due = this.#earliest()
    if (due === undefined) return
    const now = this.#options.clock.now()
    if (due.at > now) this.#arm()
    else this.#setAlarm(now, () => this.#decide())
  }

  #decide(): void {
    const due = this.#earliest()
    if (due === undefined) return
    if (due.at > this.#options.clock.now()) return this.#arm()
    this.stop()
    this.#options.onExpire(due.name)
  }

  #earliest(): { name: DeadlineName; at: number } | undefined {
    let earliest: { name: DeadlineName; at: number } | undefined
    for (const name of IN_ORDER) {
      const at = this.#at(name)
      if (at !== null && (earliest === undefined || at < earliest.at)) earliest = { name, at }
    }
    return earliest
  }

  /** The instant of one deadline as things stand, or null when it does not run. */
  #at(name: DeadlineName): number | null {
    const { timeouts, mode } = this.#options
    const { connectMs, firstOutputMs, idleMs, totalMs } = timeouts
    switch (name) {
      case 'connect':
        return connectMs === null || this.#connectedAt !== null || this.#byteAt !== null ? null : this.#startedAt + connectMs
      case 'first_byte': {
        const limitMs = firstByteLimit(timeouts, mode)
        if (limitMs === null || this.#byteAt !== null) return null
        const from = connectMs === null ? (this.#connectedAt ?? this.#startedAt) : this.#connectedAt
        // Not connected yet: the connect limit answers for this phase.
        return from === null ? null : from + limitMs
      }
      case 'first_output':
        return firstOutputMs === null || this.#outputSeen || mode === 'call' ? null : this.#startedAt + firstOutputMs
      case 'idle':
        return this.#idleAt(idleMs)
      case 'total':
        return totalMs === null ? null : this.#startedAt + totalMs
    }
  }

  #idleAt(idleMs: number | null): number | null {
    if (idleMs === null || this.#heldAt !== null) return null
    if (this.#byteAt !== null) return this.#byteAt + idleMs
    if (this.#options.mode === 'call' || this.#options.timeouts.firstByteMs !== null) return null
    return (this.#connectedAt ?? this.#startedAt) + idleMs
  }
}

/** How long a call may say nothing when neither `firstByteMs` nor `totalMs` is set: long enough for a whole answer, and not for ever. */
export const SILENT_CALL_MS = 600_000

function firstByteLimit({ firstByteMs, totalMs }: Timeouts, mode: 'stream' | 'call'): number | null {
  return firstByteMs ?? (mode === 'call' && totalMs === null ? SILENT_CALL_MS : null)
}

/** The failure of a deadline: kind `timeout`, the deadline's name as code. */
export function deadlineFailure(name: DeadlineName, timeouts: Timeouts, phase: FailurePhase): Failure {
  return failure('timeout', phase, `${name}: ${WORDS[name]} within ${limitOf(name, timeouts)} ms`, { code: name })
}

function limitOf(name: DeadlineName, timeouts: Timeouts): number | null {
  switch (name) {
    case 'connect':
      return timeouts.connectMs
    case 'first_byte':
      return timeouts.firstByteMs ?? SILENT_CALL_MS
    case 'first_output':
      return timeouts.firstOutputMs
    case 'idle':
      return timeouts.idleMs
    case 'total':
      return timeouts.totalMs
  }
}
