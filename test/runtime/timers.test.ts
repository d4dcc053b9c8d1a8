import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Host, LONGEST_LEG_MS, systemClock } from '../../src/runtime/system-clock.ts'
import { TimerQueue } from '../../src/runtime/timer-queue.ts'
import { virtualClock } from '../../src/simulate/virtual-clock.ts'

describe('the timer queue', () => {
  type Command =
    | { readonly do: 'add'; readonly at: number; readonly background: boolean }
    | { readonly do: 'remove'; readonly index: number }
    | { readonly do: 'pop'; readonly now: number }
  const command: fc.Arbitrary<Command> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('add' as const), at: fc.nat(20), background: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), index: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('pop' as const), now: fc.nat(20) }) },
  )

  test('behaves like a sorted list, whatever is added, removed and popped', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const queue = new TimerQueue()
        const made: ReturnType<TimerQueue['add']>[] = []
        let list: ReturnType<TimerQueue['add']>[] = []
        const due = (now: number) =>
          [...list].sort((left, right) => left.at - right.at || left.order - right.order).find((wake) => wake.at <= now) ?? null
        for (const each of commands) {
          if (each.do === 'add') {
            const wake = queue.add(each.at, () => {}, each.background)
            made.push(wake)
            list.push(wake)
          } else if (each.do === 'remove') {
            const wake = made[each.index]
            if (wake !== undefined) queue.remove(wake)
            list = list.filter((other) => other !== wake)
          } else {
            const expected = due(each.now)
            expect(queue.popDue(each.now)).toBe(expected)
            list = list.filter((other) => other !== expected)
          }
          expect(queue.size).toBe(list.length)
          expect(queue.foreground).toBe(list.filter((wake) => !wake.background).length)
          expect(queue.nextAt).toBe(due(Number.POSITIVE_INFINITY)?.at ?? null)
        }
      }),
      { numRuns: 500 },
    )
  })
})

/** A machine whose wall clock and timers are moved by hand; timers know durations only, as `setTimeout` does. */
class Machine implements Host {
  wall = 1_000_000
  readonly timers: { leftMs: number; readonly fire: () => void; keep: boolean }[] = []
  readonly legs: number[] = []

  now(): number {
    return this.wall
  }

  setTimer(ms: number, fire: () => void) {
    const timer = { leftMs: ms, fire, keep: true }
    this.legs.push(ms)
    this.timers.push(timer)
    return {
      clear: () => this.#drop(timer),
      keepAlive: (keep: boolean) => {
        timer.keep = keep
      },
    }
  }

  /** Time passes: timers and wall clock together. */
  pass(ms: number): void {
    let left = ms
    for (;;) {
      const next = this.timers.toSorted((a, b) => a.leftMs - b.leftMs)[0]
      const step = Math.min(left, next?.leftMs ?? left)
      for (const timer of this.timers) timer.leftMs -= step
      this.wall += step
      left -= step
      if (next === undefined || next.leftMs > 0) return
      this.#drop(next)
      next.fire()
    }
  }

  #drop(timer: (typeof this.timers)[number]): void {
    const at = this.timers.indexOf(timer)
    if (at !== -1) this.timers.splice(at, 1)
  }
}

describe('the system clock', () => {
  test('no leg is longer than 60 s, however long the wait', () => {
    const machine = new Machine()
    const clock = systemClock(machine)
    let firedAt = 0
    clock.wakeAt(machine.wall + 7 * 86_400_000, () => {
      firedAt = machine.wall
    })
    machine.pass(7 * 86_400_000)
    expect(firedAt).toBe(1_000_000 + 7 * 86_400_000)
    expect(Math.max(...machine.legs)).toBe(LONGEST_LEG_MS)
    expect(machine.timers).toEqual([])
  })

  test('a wait beyond what a timer can hold is waited', () => {
    const machine = new Machine()
    let fired = 0
    systemClock(machine).wakeAt(machine.wall + 2 ** 40, () => fired++)
    machine.pass(LONGEST_LEG_MS * 3)
    expect(fired).toBe(0)
    expect(machine.timers).toHaveLength(1)
  })

  test('after a suspend it wakes by the wall clock, at most one leg late', () => {
    const machine = new Machine()
    let fired = false
    systemClock(machine).wakeAt(machine.wall + 3_600_000, () => {
      fired = true
    })
    machine.pass(30_000)
    machine.wall += 10 * 3_600_000
    machine.pass(LONGEST_LEG_MS - 30_000)
    expect(fired).toBe(true)
  })

  test('a clock that is set back makes the wait longer, never shorter', () => {
    const machine = new Machine()
    const start = machine.wall
    let firedAt = 0
    systemClock(machine).wakeAt(start + 120_000, () => {
      firedAt = machine.wall
    })
    machine.pass(90_000)
    machine.wall -= 3_600_000
    machine.pass(3_600_000)
    expect(firedAt).toBe(0)
    machine.pass(30_000)
    expect(firedAt).toBe(start + 120_000)
  })

  test('wakes of one instant fire in the order in which they were asked for, also those of the past', () => {
    const machine = new Machine()
    const clock = systemClock(machine)
    const order: string[] = []
    clock.wakeAt(machine.wall + 10, () => order.push('b'))
    clock.wakeAt(machine.wall - 10, () => order.push('past'))
    clock.wakeAt(machine.wall + 10, () => order.push('c'))
    clock.wakeAt(machine.wall + 5, () => order.push('a'))
    machine.pass(10)
    expect(order).toEqual(['past', 'a', 'b', 'c'])
  })

  test('never fires in the call that asks', () => {
    const machine = new Machine()
    let fired = false
    systemClock(machine).wakeAt(machine.wall - 1, () => {
      fired = true
    })
    expect(fired).toBe(false)
    machine.pass(0)
    expect(fired).toBe(true)
  })

  test('a cancelled wake does not fire, and leaves no timer behind', () => {
    const machine = new Machine()
    const clock = systemClock(machine)
    let fired = 0
    const cancel = clock.wakeAt(machine.wall + 10, () => fired++)
    const other = clock.wakeAt(machine.wall + 20, () => fired++)
    cancel()
    cancel()
    machine.pass(15)
    expect(fired).toBe(0)
    other()
    expect(machine.timers).toEqual([])
  })

  test('one timer for all wakes', () => {
    const machine = new Machine()
    const clock = systemClock(machine)
    for (let wake = 0; wake < 1_000; wake++) clock.wakeAt(machine.wall + 1_000 - wake, () => {})
    expect(machine.timers).toHaveLength(1)
  })

  test('a wake may ask for another, and cancel one of the same instant', () => {
    const machine = new Machine()
    const clock = systemClock(machine)
    const order: string[] = []
    clock.wakeAt(machine.wall + 10, () => {
      order.push('first')
      cancel()
      clock.wakeAt(machine.wall + 5, () => order.push('asked for'))
    })
    const cancel = clock.wakeAt(machine.wall + 10, () => order.push('cancelled'))
    machine.pass(15)
    expect(order).toEqual(['first', 'asked for'])
  })

  test('wakes that ask for the present instant without end take turns with the rest of the process', () => {
    const machine = new Machine()
    const clock = systemClock(machine)
    let fired = 0
    const again = (): void => {
      fired++
      if (fired > 10) throw new Error('the process would never get to anything else')
      clock.wakeAt(machine.wall, again)
    }
    clock.wakeAt(machine.wall, again)
    machine.timers[0]?.fire()
    expect(fired).toBe(1)
    expect(machine.timers.at(-1)?.leftMs).toBe(0)
  })

  test('a wake that throws does not cost the others theirs', () => {
    const machine = new Machine()
    const clock = systemClock(machine)
    let fired = false
    clock.wakeAt(machine.wall + 10, () => {
      throw new Error('boom')
    })
    clock.wakeAt(machine.wall + 20, () => {
      fired = true
    })
    expect(() => machine.pass(10)).toThrow('boom')
    machine.pass(10)
    expect(fired).toBe(true)
  })

  test('only foreground wakes keep a process alive', () => {
    const machine = new Machine()
    const clock = systemClock(machine)
    clock.wakeAt(machine.wall + 100, () => {}, { background: true })
    expect(machine.timers.map((timer) => timer.keep)).toEqual([false])
    const cancel = clock.wakeAt(machine.wall + 200, () => {})
    expect(machine.timers.map((timer) => timer.keep)).toEqual([true])
    cancel()
    expect(machine.timers.map((timer) => timer.keep)).toEqual([false])
  })

  test('the clock of this machine moves and wakes', async () => {
    const clock = systemClock()
    const before = clock.now()
    await new Promise<void>((resolve) => clock.wakeAt(before + 5, resolve))
    expect(clock.now()).toBeGreaterThanOrEqual(before + 5)
  })
})

describe('the virtual clock', () => {
  test('visits due wakes in order, also those that a wake asks for on the way', () => {
    const clock = virtualClock(100)
    const seen: [string, number][] = []
    clock.wakeAt(110, () => {
      seen.push(['a', clock.now()])
      clock.wakeAt(115, () => seen.push(['chained', clock.now()]))
    })
    clock.wakeAt(120, () => seen.push(['b', clock.now()]))
    clock.moveTo(130)
    expect(seen).toEqual([
      ['a', 110],
      ['chained', 115],
      ['b', 120],
    ])
    expect([clock.now(), clock.pending, clock.nextAt()]).toEqual([130, 0, null])
  })

  test('is set without firing, steps one wake, and never goes back', () => {
    const clock = virtualClock()
    let fired = 0
    clock.wakeAt(10, () => fired++)
    clock.wakeAt(10, () => fired++)
    clock.setTo(10)
    expect(fired).toBe(0)
    expect(clock.step()).toBe(true)
    expect(fired).toBe(1)
    clock.setTo(5)
    expect(clock.now()).toBe(10)
    clock.wakeAt(3, () => fired++)
    clock.moveTo(3)
    expect(fired).toBe(1)
    clock.moveTo(10)
    expect(fired).toBe(3)
    expect(clock.step()).toBe(false)
  })
})
