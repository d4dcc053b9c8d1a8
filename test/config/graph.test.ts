import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { walkDomain } from '../../src/config/graph.ts'

interface Node {
  readonly model: string | null
  readonly fallbackModels: readonly string[]
  readonly fallback: readonly string[]
}

const graphOf = (profiles: Readonly<Record<string, Node>>) => ({ primary: 'p.0', model: null, profiles: new Map(Object.entries(profiles)) })

/** Every path of at most three hops, without a thought of time: code and path of each fault at the place where it is first met (R4, C20). */
function allPaths(profiles: Readonly<Record<string, Node>>, root: string): string[] {
  const found = new Set<string>()
  const seen = new Set<string>()
  const enter = (id: string, path: readonly string[], edge: string | null): void => {
    const node = profiles[id]
    if (node === undefined) return
    if (seen.has(id)) found.add(`duplicate_entry ${edge}`)
    seen.add(id)
    for (const [index, next] of node.fallback.entries()) {
      const at = `profiles.${id}.fallback[${index}]`
      if (!(next in profiles)) found.add(`dangling_fallback_ref ${at}`)
      else if ([...path, id].includes(next)) found.add(`fallback_cycle ${at}`)
      else if (path.length === 3) found.add(`max_fallback_depth_exceeded ${at}`)
      else enter(next, [...path, id], at)
    }
  }
  enter(root, [], null)
  return [...found]
}

describe('R3 R4 the graph of fallbacks', () => {
  it('tells what a walk of every path tells, in the same order', () => {
    const name = fc.constantFrom('p.0', 'p.1', 'p.2', 'p.3', 'p.4', 'p.5', 'gone.x')
    const node = fc.record({ model: fc.constant('m'), fallbackModels: fc.constant([]), fallback: fc.array(name, { maxLength: 8 }) })
    const profiles = fc.record({ 'p.0': node, 'p.1': node, 'p.2': node, 'p.3': node, 'p.4': node, 'p.5': node })
    fc.assert(
      fc.property(profiles, (written) => {
        const told = walkDomain(graphOf(written), 'p.0').findings.map(({ code, path }) => `${code} ${path}`)
        expect(told).toEqual(allPaths(written, 'p.0'))
      }),
      { numRuns: 300 },
    )
  })

  it('of 120 profiles that all lead to each other is walked all the same', () => {
    const names = Array.from({ length: 120 }, (_, number) => `p.${number}`)
    const profiles = Object.fromEntries(names.map((id) => [id, { model: 'm', fallbackModels: [], fallback: names.filter((other) => other !== id) }]))
    const { visits, findings } = walkDomain(graphOf(profiles), 'p.0')
    expect(visits.map(({ profile }) => profile)).toHaveLength(120)
    expect(new Set(findings.map(({ code }) => code))).toEqual(new Set(['fallback_cycle', 'max_fallback_depth_exceeded', 'duplicate_entry']))
  })
})
