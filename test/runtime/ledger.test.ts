import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TurnEvent } from '../../src/model/turn-event.ts'
import { type LedgerRow, UNKNOWN_BILL } from '../../src/model/usage.ts'
import { EventQueue } from '../../src/runtime/event-queue.ts'
import { memoryLedger, type RowClose } from '../../src/runtime/ledger.ts'
import { billOf } from '../tools/bills.ts'

const row = (turn: string, n: number): LedgerRow => ({
  turn,
  n,
  iteration: null,
  requested: { profile: 'a.x', model: 'm1' },
  profile: 'a.x',
  model: 'm1',
  mode: 'call',
  startedAt: n,
  endedAt: null,
  outcome: null,
  accepted: false,
  ...UNKNOWN_BILL,
})
const close: RowClose = { endedAt: 9, outcome: 'ok', accepted: true, iteration: null, ...billOf({ input: 1 }, 2) }

describe('R34 the ledger in memory', () => {
  test('a row is appended at its start and closed once', () => {
    const ledger = memoryLedger()
    ledger.append(row('t', 1))
    expect(ledger.rows()).toEqual([row('t', 1)])
    ledger.close('t', 1, close)
    ledger.close('t', 1, { ...close, outcome: 'empty' })
    expect(ledger.rows()).toEqual([{ ...row('t', 1), ...close }])
  })

  test('a row that is not there is not closed', () => {
    const ledger = memoryLedger()
    ledger.close('t', 1, close)
    expect(ledger.rows()).toEqual([])
  })

  test('names and numbers do not run into each other', () => {
    const ledger = memoryLedger()
    ledger.append(row('1 t', 1))
    ledger.append(row('t', 1))
    ledger.close('t', 1, close)
    expect(ledger.rows().map((each) => each.outcome)).toEqual([null, 'ok'])
  })

  test('keeps the latest rows up to its limit, in order of start, whatever is closed when', () => {
    const command = fc.oneof(
      fc.record({ do: fc.constant('append' as const), turn: fc.constantFrom('t', 'u'), n: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ do: fc.constant('close' as const), turn: fc.constantFrom('t', 'u'), n: fc.integer({ min: 1, max: 3 }) }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(command, { maxLength: 30 }), (limit, commands) => {
        const ledger = memoryLedger(limit)
        const list: LedgerRow[] = []
        for (const each of commands) {
          if (each.do === 'append') {
            ledger.append(row(each.turn, each.n))
            list.push(row(each.turn, each.n))
          } else {
            ledger.close(each.turn, each.n, close)
            // A name that is used again is that of its latest row.
            const at = list.findLastIndex((other) => other.turn === each.turn && other.n === each.n)
            const present = list[at]
            if (present !== undefined && present.outcome === null) list[at] = { ...present, ...close }
          }
          expect(ledger.rows()).toEqual(list.slice(-limit))
        }
      }),
      { numRuns: 500 },
    )
  })

  test('by default the latest 1 000', () => {
    const ledger = memoryLedger()
    for (let n = 1; n <= 1_500; n++) ledger.append(row('t', n))
    expect(ledger.rows()).toHaveLength(1_000)
    expect(ledger.rows()[0]?.n).toBe(501)
  })
})

const event = (text: string): TurnEvent => ({ type: 'text', text })

describe('the queue of one loop', () => {
  test('yields what was pushed, in order, however reads and pushes are mixed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 60 }), async (pushes) => {
        const queue = new EventQueue()
        const reads: Promise<IteratorResult<TurnEvent>>[] = []
        let pushed = 0
        for (const push of pushes) {
          if (push) queue.push(event(`${pushed++}`))
          else reads.push(queue.next())
        }
        queue.end()
        while (reads.length < pushed + 1) reads.push(queue.next())
        const results = await Promise.all(reads)
        const texts = results.flatMap((result) => (result.done === true ? [] : [result.value]))
        expect(texts).toEqual(Array.from({ length: pushed }, (_, index) => event(`${index}`)))
        expect(results.slice(pushed).every((result) => result.done === true)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  test('is full at its high-water mark and drained at its low one', async () => {
    const queue = new EventQueue()
    for (let pushed = 0; pushed < 255; pushed++) queue.push(event('x'))
    expect(queue.full).toBe(false)
    queue.push(event('x'))
    expect(queue.full).toBe(true)
    let drained = 0
    queue.onDrain(() => drained++)
    for (let read = 0; read < 191; read++) await queue.next()
    expect(drained).toBe(0)
    await queue.next()
    expect(drained).toBe(1)
  })

  test('keeps nothing once its reader has left', async () => {
    const queue = new EventQueue()
    for (let pushed = 0; pushed < 300; pushed++) queue.push(event('x'))
    let drained = 0
    queue.onDrain(() => drained++)
    queue.abandon()
    expect([queue.full, drained]).toEqual([false, 1])
    queue.push(event('late'))
    expect((await queue.next()).done).toBe(true)
  })
})
