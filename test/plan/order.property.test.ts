import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkConfig } from '../../src/config/check.ts'
import { type Entry, entryName } from '../../src/model/plan.ts'
import { planTurn } from '../../src/plan/plan.ts'
import { isBlank, oracle } from './oracle.ts'
import { config, IDS, settingsOf } from './written.ts'

/**
 * Plans against an oracle (oracle.ts) that knows nothing of the code: it writes out every path of the graph by plain recursion, then drops
 * what came before.
 */
const runs = { numRuns: 500 }

describe('R3 R4 order of a plan', () => {
  it('is that of a dumb depth-first walk', () => {
    fc.assert(
      fc.property(config, (written) => {
        const settings = settingsOf(written)
        const asks = [
          ['plain', written.primary] as const,
          ...written.modelRoutes.map((route) => [`hint:${route.hint}`, route.modelProvider] as const),
        ]
        for (const [asked, target] of asks) {
          const planned = planTurn(settings, { model: asked })
          if ('error' in planned) throw new Error(planned.error.code)
          expect(planned.plan.entries.map(entryName)).toEqual(oracle(written, target))
          expect(planned.plan.entries.map((entry) => entry.index)).toEqual(planned.plan.entries.map((_, index) => index))
          expect(planned.plan.target).toBe(target)
        }
      }),
      runs,
    )
  })

  it('R4 finds each fault of the graph once, at a path that exists', () => {
    fc.assert(
      fc.property(config, (written) => {
        const planned = planTurn(settingsOf(written), { model: 'plain' })
        if ('error' in planned) throw new Error(planned.error.code)
        const keys = planned.plan.warnings.map(({ code, path }) => `${code} ${path}`)
        expect(new Set(keys).size).toBe(keys.length)
        for (const { code, path } of planned.plan.warnings) {
          const [, id = '', list = '', index = '0'] = /^profiles\.(.+)\.(fallback|fallbackModels)\[(\d+)\]$/.exec(path) ?? []
          const item = (written.profiles[id] as unknown as Record<string, readonly string[]> | undefined)?.[list]?.[Number(index)]
          if (code === 'dangling_fallback_ref') expect(item === undefined || item in written.profiles).toBe(false)
          if (code === 'empty_fallback_model') expect(isBlank(item)).toBe(true)
          if (id !== '') expect(item).toBeDefined()
        }
      }),
      runs,
    )
  })
})

/** Every written credential begins with the id of its profile, and says whether it is its own, of its pool or of a route. */
function expectOwnSecret(entry: Entry, target: string): void {
  const secret = entry.secret?.reveal() ?? ''
  expect(secret.startsWith(`${entry.profile.id} `)).toBe(true)
  if (entry.profile.id !== target) expect(secret).not.toContain('route')
  const number = /#(\d+)$/.exec(entry.label)?.[1]
  if (number !== undefined) expect(secret).toBe(`${entry.profile.id} pool ${number}`)
}

describe('R1 isolation', () => {
  it('no entry of one profile carries the credential of another, and none an unnamed one', () => {
    fc.assert(
      fc.property(config, (written) => {
        const settings = settingsOf(written)
        for (const asked of ['plain', ...written.modelRoutes.map((route) => `hint:${route.hint}`)]) {
          const planned = planTurn(settings, { model: asked })
          if ('error' in planned) throw new Error(planned.error.code)
          for (const entry of planned.plan.entries) expectOwnSecret(entry, planned.plan.target)
        }
      }),
      runs,
    )
  })

  it('R39 a local decision reaches no cloud profile, whatever the graph', () => {
    fc.assert(
      fc.property(config, fc.constantFrom(...IDS), (written, target) => {
        const effortRouting = { localHint: 'loc', cloudHint: 'loc', escalation: 'auto' }
        const modelRoutes = [...written.modelRoutes, { hint: 'loc', modelProvider: target, model: 'm1' }]
        const { settings, errors } = checkConfig(
          { ...written, modelRoutes, effortRouting },
          { secrets: { env: () => undefined, file: () => undefined } },
        )
        const zoneOf = (id: string) => written.profiles[id]?.zone ?? 'cloud'
        const reachable = oracle(written, target).map((name) => name.split(/[#/]/)[0] ?? '')
        if (settings === null) {
          expect(errors.map((error) => error.code)).toEqual(['no_allowed_entry'])
          expect(reachable.some((id) => zoneOf(id) === 'local')).toBe(false)
          return
        }
        const planned = planTurn(settings, { prompt: 'hi' })
        if ('error' in planned) throw new Error(planned.error.code)
        expect(planned.plan.entries.map((entry) => entry.profile.id)).toEqual(
          planned.plan.entries.filter((entry) => zoneOf(entry.profile.id) === 'local').map((entry) => entry.profile.id),
        )
        expect([...new Set(planned.plan.entries.map((entry) => entry.profile.id))]).toEqual(planned.plan.allow)
        expect(new Set(planned.plan.allow)).toEqual(new Set(reachable.filter((id) => zoneOf(id) === 'local')))
      }),
      runs,
    )
  })
})
