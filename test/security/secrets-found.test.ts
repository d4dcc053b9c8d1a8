import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scrubOf } from '../../src/model/scrub.ts'
import { scrubThrown } from '../../src/model/scrub-thrown.ts'

/** A value that can stand in a header. */
const value = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), minLength: 12, maxLength: 40 })

const html = (text: string): string => text.replace(/[^\w.~-]/g, (character) => `&#${character.charCodeAt(0)};`)
const json = (text: string): string => JSON.stringify(text).slice(1, -1)
const unicode = (text: string): string => text.replace(/[^\w.~-]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** How a text may be written once more by who hands it on. */
const WRITINGS: readonly ((text: string) => string)[] = [
  (text) => text,
  json,
  (text) => json(json(text)),
  (text) => text.replaceAll('/', '\\/'),
  unicode,
  (text) => json(unicode(text)),
  encodeURIComponent,
  (text) => encodeURIComponent(encodeURIComponent(text)),
  encodeURI,
  (text) => new URLSearchParams({ '': text }).toString().slice(1),
  html,
  (text) => html(text).replaceAll('&', '&amp;'),
  (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
]
const CASES: readonly ((text: string) => string)[] = [(text) => text, (text) => text.toLowerCase(), (text) => text.toUpperCase()]

const writing = fc.tuple(fc.constantFrom(...WRITINGS), fc.constantFrom(...CASES)).map(
  ([write, change]) =>
    (text: string) =>
      change(write(text)),
)

const WORDS = 'The key is refused, ask again.'

describe('SEC-01 a value is found', () => {
  test('across the end of a line, wherever a long line was broken', () => {
    const key = 'sk-ant-api03-AbcdEfgh1234567890QRSTUVabcdEFGH0987654321'
    const scrub = scrubOf([key])
    for (let at = 4; at < key.length; at++) {
      for (const end of ['\n', '\r\n', '\n    ']) {
        const text = `The key is\n${key.slice(0, at)}${end}${key.slice(at)}\n  and refused`
        expect(scrub.text(text)).toBe('The key is\n[redacted]\n  and refused')
        expect(scrub.text(json(text))).toBe(json('The key is\n[redacted]\n  and refused'))
      }
    }
  })

  test('in every writing and case, and nothing beside it is taken', () => {
    fc.assert(
      fc.property(value, writing, (secret, write) => {
        expect(scrubOf([secret]).text(`(${write(secret)}) ${WORDS}`)).toBe(`([redacted]) ${WORDS}`)
      }),
      { seed: 20_260_301, numRuns: 500 },
    )
  })

  test('in base64 of a text around it', () => {
    fc.assert(
      fc.property(value, fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), fc.boolean(), (secret, before, behind, isUrl) => {
        const encoded = Buffer.from(before + secret + behind).toString(isUrl ? 'base64url' : 'base64')
        const clean = scrubOf([secret]).text(`${encoded} ${WORDS}`)
        const left = clean.replace(/\[redacted\]/g, ' ').split(' ')[1] ?? ''
        expect(clean).toContain('[redacted]')
        expect(left.length).toBeLessThan(12)
      }),
      { seed: 20_260_301 },
    )
  })

  test('whole, where another one begins alike', () => {
    fc.assert(
      fc.property(value, fc.uniqueArray(value, { minLength: 2, maxLength: 6 }), writing, (start, ends, write) => {
        const secrets = ends.map((end) => `sk-service-${start}${end}`)
        const clean = scrubOf(secrets).text(secrets.map(write).join(' '))
        expect(clean).toBe(secrets.map(() => '[redacted]').join(' '))
      }),
      { seed: 20_260_301 },
    )
  })

  test('by its beginning, where the text is cut and goes on', () => {
    fc.assert(
      fc.property(value, fc.nat(), writing, (secret, at, write) => {
        const part = secret.slice(0, 12 + (at % secret.length))
        expect(scrubOf([secret]).text(`${WORDS} ${write(part)} (cut)`)).toBe(`${WORDS} [redacted] (cut)`)
      }),
      { seed: 20_260_301 },
    )
  })

  test('at the end of a text that was cut, be it inside an escape', () => {
    fc.assert(
      fc.property(value, fc.nat(), writing, (secret, at, write) => {
        const whole = write(secret)
        const kept = whole.slice(0, at % whole.length)
        const clean = scrubOf([secret]).cut(`said: ${kept}`)
        const left = clean.slice('said: '.length)
        // Less than four characters of it, each of them escaped, say nothing.
        if (left !== '[redacted]') expect(write(secret.slice(0, 4)).startsWith(left) || left.length < 4).toBe(true)
      }),
      { seed: 20_260_301, numRuns: 500 },
    )
  })
})

describe('SEC-01 what is scrubbed', () => {
  test('of a short value is its own case only, a longer one is found in every', () => {
    expect(scrubOf(['EMPTY', 'sk-LONGER']).data({ kind: 'empty', said: 'EMPTY SK-longer' })).toEqual({ kind: 'empty', said: '[redacted] [redacted]' })
  })

  test('is left alone where it holds none of the values', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 })
    fc.assert(
      fc.property(value, text, (secret, other) => {
        fc.pre(!other.toLowerCase().includes(secret.slice(0, 4).toLowerCase()))
        const scrub = scrubOf([`CANARY-CANARY-${secret}`])
        expect([scrub.text(other), scrub.data({ other }), scrubThrown(other, scrub)]).toEqual([other, { other }, other])
      }),
      { seed: 20_260_301 },
    )
  })

  test.each([
    ['percent signs', '%25'],
    ['halves of escapes', '%'],
    ['backslashes', '\\'],
    ['escaped letters', '\\u0041'],
    ['entities', '&amp;'],
    ['the beginning of the value', 'AAAAAAAAAAA'],
    ['blanks', '+'],
  ])('is read in the steps of its length, however hostile: %s', (_, piece) => {
    // Of every character that is read in several ways, over and over.
    const scrub = scrubOf(['A'.repeat(64), '\\'.repeat(64), '+ + + + + + + + + + + + + + + +', '%&%&%&%&%&%&%&%&%&%&', '&amp;'.repeat(12)])
    const hostile = piece.repeat(Math.ceil(65_536 / piece.length))
    expect(scrub.cut(hostile).length).toBeLessThanOrEqual(hostile.length + '[redacted]'.length)
  })

  test('of an error is a copy of its class; the error itself is not changed, and one without a value is the same', () => {
    class Refused extends RangeError {
      readonly status = 401
    }
    const scrub = scrubOf(['sk-CANARY-1234'])
    const error = new Refused('wrong key sk-CANARY-1234', { cause: { key: 'sk-CANARY-1234', at: 7 } })
    const copy = scrubThrown(error, scrub) as Refused
    expect(copy).toBeInstanceOf(Refused)
    expect({ ...copy, message: copy.message, cause: copy.cause }).toEqual({
      status: 401,
      message: 'wrong key [redacted]',
      cause: { key: '[redacted]', at: 7 },
    })
    expect(copy.stack?.split('\n')[0]).toContain('wrong key [redacted]')
    expect(error.message).toContain('sk-CANARY-1234')
    const other = new Refused('no such model')
    expect(scrubThrown(other, scrub)).toBe(other)
  })

  test.each([
    [
      'a circle',
      () => {
        const error = Object.assign(new Error('sk-CANARY-1234'), { self: {} })
        error.self = error
        return error
      },
    ],
    ['a proxy that throws', () => new Proxy({}, { getPrototypeOf: () => Number.NaN as never })],
    [
      'a proxy that was revoked',
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {})
        revoke()
        return proxy
      },
    ],
    ['an accessor', () => Object.defineProperty(new Error('m'), 'key', { get: () => 'sk-CANARY-1234', enumerable: true })],
    ['nothing', () => undefined],
    ['a symbol', () => Symbol('sk-CANARY-1234')],
    ['a list with holes', () => Object.assign(new Array(4), { 1: 'sk-CANARY-1234' })],
    ['a depth without end', () => Array.from({ length: 5_000 }).reduce<unknown>((inner) => ({ inner }), 'sk-CANARY-1234')],
  ])('of what was thrown holds none and never throws: %s', (_, make) => {
    const clean = scrubThrown(make(), scrubOf(['sk-CANARY-1234']))
    const told = typeof clean === 'object' && clean !== null ? JSON.stringify({ ...clean, self: 0 }) : String(clean)
    expect(told).not.toContain('CANARY')
  })
})
