import { describe, expect, it } from 'vitest'
import { brief, check, sound, withProfiles } from './support.ts'

const errorsOf = (body: unknown): string[] => brief(check(withProfiles({ 'b.y': { body } })).errors)

function nested(depth: number): unknown {
  let value: unknown = 'end'
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? { in: value } : [value]
  return value
}

describe('R1 the fields of a body are sent as they were written', () => {
  it.each([8, 30, 60])('%i levels deep', (depth) => {
    const body = { format: { schema: nested(depth) } }
    expect(sound(withProfiles({ 'b.y': { body } })).profiles.get('b.y')?.body).toEqual(body)
  })

  it('a copy, which the host does not change afterwards', () => {
    const body = { a: { b: [1] } }
    const kept = sound(withProfiles({ 'b.y': { body } })).profiles.get('b.y')?.body
    body.a.b.push(2)
    expect(kept).toEqual({ a: { b: [1] } })
  })

  it('the same object in two places', () => {
    const shared = { type: 'string' }
    const body = { a: shared, b: [shared, shared] }
    expect(sound(withProfiles({ 'b.y': { body } })).profiles.get('b.y')?.body).toEqual(body)
  })
})

describe('R5 what JSON cannot say is an error that names its place', () => {
  const circle: { in?: unknown } = {}
  circle.in = { again: circle }
  let doubled: unknown = 'end'
  for (let level = 0; level < 60; level += 1) doubled = [doubled, doubled]

  it.each([
    ['a big integer', { a: { n: 1n } }, 'a.n'],
    ['a number that is none', { a: [0, Number.NaN] }, 'a[1]'],
    ['an endless number', { a: Number.POSITIVE_INFINITY }, 'a'],
    ['a function', { a: { toJSON: () => 'other' } }, 'a.toJSON'],
    ['a symbol', { a: Symbol('s') }, 'a'],
    ['a gap in a list', { a: [undefined] }, 'a[0]'],
    ['a date', { a: new Date(0) }, 'a'],
    ['a map', { a: new Map([['b', 1]]) }, 'a'],
    ['a circle', { a: circle }, 'a.in.again'],
    ['a nest without end', { a: nested(5001) }, `a${'.in[0]'.repeat(32)}`],
    ['a prototype', { a: JSON.parse('{"__proto__":{"b":1}}') }, 'a.__proto__'],
  ])('%s', (_, body, path) => {
    const errors = errorsOf(body)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(/^(?:invalid|unknown)_setting /)
    expect(errors[0]?.split(' ')[1]).toBe(`profiles.b.y.body.${path}`)
  })

  it('aliases that unfold to more than a request may hold, told once', () => {
    const { errors } = check(withProfiles({ 'b.y': { body: { a: doubled } } }))
    expect(errors.map(({ code }) => code)).toEqual(['invalid_setting'])
    expect(errors[0]?.message).toContain('holds more than a request may')
  })

  it('never with the value itself', () => {
    const { errors } = check(withProfiles({ 'b.y': { body: { key: new String('sk-secret-value') } } }))
    expect(JSON.stringify(errors)).not.toContain('sk-secret-value')
    expect(errors).toHaveLength(1)
  })
})
