import { describe, expect, it } from 'vitest'
import type { DeadlineName } from '../../src/engines/deadlines.ts'
import { Deadlines, deadlineFailure } from '../../src/engines/deadlines.ts'
import type { Clock } from '../../src/model/clock.ts'
import type { Timeouts } from '../../src/model/settings.ts'

/** A clock that visits what is due one by one, in order of instant and then of arming. */
class SteppingClock implements Clock {
  #now = 0
  #order = 0
  armed = 0
  #waiting: { at: number; order: number; fire: () => void }[] = []
  now(): number {
    return this.#now
  }
  wakeAt(at: number, fire: () => void): () => void {
    this.armed += 1
    const entry = { at: Math.max(at, this.#now), order: this.#order++, fire }
    this.#waiting.push(entry)
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== entry)
    }
  }
  get pending(): number {
    return this.#waiting.length
  }
  runTo(until: number): void {
    for (;;) {
      const next = this.#waiting.filter((entry) => entry.at <= until).sort((a, b) => a.at - b.at || a.order - b.order)[0]
      if (next === undefined) break
      this.#waiting = this.#waiting.filter((entry) => entry !== next)
      this.#now = next.at
      next.fire()
    }
    this.#now = until
  }
}

const none: Timeouts = { connectMs: null, firstByteMs: null, firstOutputMs: null, idleMs: null, totalMs: null }

function scene(timeouts: Partial<Timeouts>, mode: 'stream' | 'call' = 'stream') {
  const clock = new SteppingClock()
  const expired: { name: DeadlineName; at: number }[] = []
  const deadlines = new Deadlines({ clock, timeouts: { ...none, ...timeouts }, mode, onExpire: (name) => expired.push({ name, at: clock.now() }) })
  deadlines.start()
  return { clock, deadlines, expired }
}

describe('R31 a call that is never answered', () => {
  it('ends after ten minutes when nothing else limits it', () => {
    const { clock, deadlines, expired } = scene({ connectMs: 10_000, idleMs: 90_000 }, 'call')
    deadlines.connected()
    clock.runTo(599_999)
    expect(expired).toEqual([])
    clock.runTo(700_000)
    expect(expired).toEqual([{ name: 'first_byte', at: 600_000 }])
    expect(deadlineFailure('first_byte', none, 'call').message).toContain('600000 ms')
  })

  it.each([{ totalMs: 3_600_000 }, { firstByteMs: 3_600_000 }])('may take what the operator allows: %o', (timeouts) => {
    const { clock, deadlines, expired } = scene(timeouts, 'call')
    deadlines.connected()
    clock.runTo(3_599_999)
    expect(expired).toEqual([])
  })
})

describe('R31 every deadline is its own failure', () => {
  it.each<[DeadlineName, Partial<Timeouts>]>([
    ['connect', { connectMs: 10 }],
    ['first_byte', { firstByteMs: 10 }],
    ['first_output', { firstOutputMs: 10 }],
    ['idle', { idleMs: 10 }],
    ['total', { totalMs: 10 }],
  ])('%s passes at its limit when nothing happens', (name, timeouts) => {
    const { clock, expired } = scene(timeouts)
    clock.runTo(9)
    expect(expired).toEqual([])
    clock.runTo(100)
    expect(expired).toEqual([{ name, at: 10 }])
    expect(clock.pending).toBe(0)
  })

  it('carries its name as code and its limit in the words', () => {
    expect(deadlineFailure('idle', { ...none, idleMs: 90_000 }, 'stream')).toMatchObject({ kind: 'timeout', code: 'idle', phase: 'stream' })
    expect(deadlineFailure('idle', { ...none, idleMs: 90_000 }, 'stream').message).toContain('90000 ms')
  })

  it('measures the first byte from the connection, so that a slow handshake does not eat it', () => {
    const { clock, deadlines, expired } = scene({ connectMs: 100, firstByteMs: 10 })
    clock.runTo(95)
    deadlines.connected()
    clock.runTo(1000)
    expect(expired).toEqual([{ name: 'first_byte', at: 105 }])
  })

  it('finds a first-byte limit that ends before the connect limit would have', () => {
    const { clock, deadlines, expired } = scene({ connectMs: 100, firstByteMs: 10 })
    deadlines.connected()
    clock.runTo(1000)
    expect(expired).toEqual([{ name: 'first_byte', at: 10 }])
  })

  it('starts the idle limit at the first byte when a first-byte limit stands before it', () => {
    const { clock, deadlines, expired } = scene({ firstByteMs: 120, idleMs: 90 })
    clock.runTo(10)
    deadlines.byte()
    clock.runTo(1000)
    expect(expired).toEqual([{ name: 'idle', at: 100 }])
  })

  it('does not count comments and pings as output', () => {
    const { clock, deadlines, expired } = scene({ firstOutputMs: 50, idleMs: 20 })
    for (let at = 10; at <= 40; at += 10) {
      clock.runTo(at)
      deadlines.byte()
    }
    clock.runTo(50)
    expect(expired).toEqual([{ name: 'first_output', at: 50 }])
  })

  it('leaves a call alone while the provider computes: idle runs only between its bytes (DLN-06)', () => {
    const { clock, deadlines, expired } = scene({ idleMs: 90, firstOutputMs: 30, totalMs: 1000 }, 'call')
    clock.runTo(500)
    expect(expired).toEqual([])
    deadlines.byte()
    clock.runTo(2000)
    expect(expired).toEqual([{ name: 'idle', at: 590 }])
  })

  it('names the earlier of two, and at one instant the earlier phase', () => {
    const { clock, expired } = scene({ firstOutputMs: 20, idleMs: 20, totalMs: 20 })
    clock.runTo(20)
    expect(expired).toEqual([{ name: 'first_output', at: 20 }])
  })
})

describe('C40 data exactly at the limit is in time', () => {
  it('lets the work of the same instant go first', () => {
    const { clock, deadlines, expired } = scene({ idleMs: 90 })
    clock.wakeAt(90, () => deadlines.byte())
    clock.runTo(179)
    expect(expired).toEqual([])
    clock.runTo(180)
    expect(expired).toEqual([{ name: 'idle', at: 180 }])
  })

  it('is too late one ms after it', () => {
    const { clock, deadlines, expired } = scene({ idleMs: 90 })
    clock.wakeAt(91, () => deadlines.byte())
    clock.runTo(200)
    expect(expired).toEqual([{ name: 'idle', at: 90 }])
  })

  it('counts from the last byte', () => {
    const { clock, deadlines, expired } = scene({ idleMs: 90 })
    clock.runTo(1000 - 950)
    deadlines.byte()
    clock.runTo(139)
    expect(expired).toEqual([])
    clock.runTo(500)
    expect(expired).toEqual([{ name: 'idle', at: 140 }])
  })
})

describe('the cost of a byte', () => {
  it('arms no timer for each byte', () => {
    const { clock, deadlines } = scene({ idleMs: 90 })
    deadlines.byte()
    const before = clock.armed
    for (let n = 0; n < 1000; n += 1) deadlines.byte()
    expect(clock.armed).toBe(before)
  })
})

describe('a slow reader', () => {
  it('stops the idle limit and starts it anew, and leaves the whole call limited', () => {
    const { clock, deadlines, expired } = scene({ idleMs: 20, totalMs: 200 })
    deadlines.byte()
    clock.runTo(10)
    deadlines.hold()
    clock.runTo(100)
    expect(expired).toEqual([])
    deadlines.release()
    clock.runTo(119)
    expect(expired).toEqual([])
    clock.runTo(120)
    expect(expired).toEqual([{ name: 'idle', at: 120 }])
  })

  it('still ends at the limit of the whole call', () => {
    const { clock, deadlines, expired } = scene({ idleMs: 20, totalMs: 200 })
    deadlines.byte()
    deadlines.hold()
    clock.runTo(1000)
    expect(expired).toEqual([{ name: 'total', at: 200 }])
  })
})

describe('the end', () => {
  it('leaves no alarm behind and fires nothing after stop', () => {
    const { clock, deadlines, expired } = scene({ connectMs: 5, idleMs: 5, totalMs: 5 })
    deadlines.stop()
    expect(clock.pending).toBe(0)
    deadlines.byte()
    deadlines.release()
    clock.runTo(100)
    expect(expired).toEqual([])
    expect(clock.pending).toBe(0)
  })
})
