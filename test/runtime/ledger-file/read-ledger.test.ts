import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ledgerLine } from '../../../src/runtime/ledger-line.ts'
import { openLedger } from '../../../src/runtime/read-ledger.ts'
import { close, folder, linesOf, row } from './rig.ts'

const START = ledgerLine('attempt.started', 'p-1', row())
const END = ledgerLine('attempt.ended', 'p-1', row(close))
const ENDED = JSON.parse(END.toString())

const kinds = (text: string | Buffer) => linesOf(Buffer.from(text)).map(({ kind }) => kind)

describe('R34 reading a ledger', () => {
  it('a last line without its end is an attempt when it reads as one, else torn, at whatever byte it was cut', () => {
    for (let cut = 1; cut <= END.length; cut++) {
      const found = kinds(Buffer.concat([START, END.subarray(0, cut)]))
      expect(found).toEqual(['attempt', cut >= END.length - 1 ? 'attempt' : 'torn'])
    }
  })

  it.each([
    ['no JSON', '{"v":1,', 'it is no object'],
    ['half of a JSON text', '{"v":1,}', 'it is no JSON'],
    ['a list', '[1]', 'it is no object'],
    ['a later version', JSON.stringify({ ...ENDED, v: 2 }), 'its version `v` is not 1'],
    ['no version', JSON.stringify({ ...ENDED, v: undefined }), 'its version `v` is not 1'],
    ['another event', JSON.stringify({ ...ENDED, event: 'turn.ended' }), 'it has no `event` that can be read'],
    ['tokens that are none', JSON.stringify({ ...ENDED, usage: { input: -1 } }), 'it has no `usage.input` that can be read'],
    ['a cost that is no whole number', JSON.stringify({ ...ENDED, costPicoUsd: 0.5 }), 'it has no `costPicoUsd` that can be read'],
    ['an instant that is none', JSON.stringify({ ...ENDED, endedAt: 'today' }), 'it has no `endedAt` that can be read'],
    ['a nest', `{"v":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'it nests too deep'],
    ['a line without bound', `{"v":"${'x'.repeat(2 ** 20)}"}`, 'it has more than 1048576 bytes'],
    ['bytes that are no text', Buffer.concat([Buffer.from('{"v":"'), Buffer.from([0xff]), Buffer.from('"}')]), 'it is no JSON'],
  ])('%s is told, and the lines around it are read', (_, line, problem) => {
    const found = linesOf(Buffer.concat([START, Buffer.from(line), Buffer.from('\n'), END]))
    expect(found.map(({ kind }) => kind)).toEqual(['attempt', 'broken', 'attempt'])
    expect(found[1]).toMatchObject({ line: 2, problem })
  })

  it('fields, outcomes and line ends of others are passed over', () => {
    const later = JSON.stringify({ ...ENDED, later: [{}], outcome: 'later_kind', participant: undefined, usage: { input: 1, audio: 2 } })
    const found = linesOf(Buffer.from(`\ufeff${START.toString().replace('\n', '\r\n')}\n \n${later}\n`))
    expect(found).toMatchObject([
      { kind: 'attempt', line: 1 },
      { kind: 'attempt', line: 4, row: { outcome: 'later_kind', usage: { input: 1 } } },
    ])
  })

  it('a line of the first form has a price where it has a cost; a word of a later version is kept', () => {
    const { iteration: _, costBasis: __, price: ___, reportedPicoUsd: ____, ...first } = ENDED
    const lines = [
      first,
      { ...first, costPicoUsd: null },
      { ...ENDED, costBasis: 'prepaid' },
      { ...JSON.parse(START.toString()), costBasis: 'prepaid' },
    ]
    const found = linesOf(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
    const nothing = { iteration: null, price: null, reportedPicoUsd: null }
    expect(found).toMatchObject([
      { costPicoUsd: 12_500_000n, row: { ...nothing, costBasis: 'metered', costPicoUsd: 12_500_000, cost: 0.000_012_5 } },
      { costPicoUsd: null, row: { ...nothing, costBasis: 'unknown', costPicoUsd: null, cost: null } },
      { row: { costBasis: 'prepaid', price: close.price } },
      { event: 'attempt.started', row: { costBasis: 'prepaid', endedAt: null } },
    ])
  })

  it('whatever stands between attempts, each of them is read, and nothing is thrown', () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.json().map((text) => Buffer.from(text)),
      fc.constantFrom(START.subarray(0, 40), END.subarray(3)),
    )
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 12 }), (parts) => {
        const without = parts.map((part) => Buffer.concat([Buffer.from(part), Buffer.from('\n')]))
        const found = linesOf(Buffer.concat(without.flatMap((part) => [part, END])))
        expect(found.filter(({ kind }) => kind === 'attempt')).toHaveLength(parts.length)
        expect(found.filter(({ kind }) => kind === 'torn')).toEqual([])
      }),
    )
  })

  it('a cut of a whole file anywhere costs its last line only', () => {
    const file = Buffer.concat(Array.from({ length: 20 }, (_, n) => ledgerLine('attempt.ended', `p-${n}`, row(close))))
    fc.assert(
      fc.property(fc.nat({ max: file.length }), (cut) => {
        const part = file.subarray(0, cut)
        const whole = part.toString().split('\n').length - 1
        const found = linesOf(part)
        expect(found.slice(0, whole).every(({ kind }) => kind === 'attempt')).toBe(true)
        expect(found.length - whole).toBe(part.length === 0 || part.at(-1) === 0x0a ? 0 : 1)
      }),
    )
  })

  it.each([
    ['ledger_no_file', (path: string) => join(path, 'gone.jsonl')],
    ['ledger_not_a_file', (path: string) => path],
    ['ledger_not_a_file', () => '/dev/null'],
  ])('%s', (code, make) => {
    const place = folder()
    mkdirSync(join(place, 'inner'))
    expect(() => openLedger(make(place))).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(/^\/.*: the ledger .*\. [A-Z].*\.$/) }),
    )
  })
})
