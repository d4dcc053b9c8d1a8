import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/model/plan.ts'
import type { Settings } from '../../src/model/settings.ts'
import { type Planned, planTurn } from '../../src/plan/plan.ts'
import { isBlank } from './oracle.ts'
import { type Config, config, IDS, model, settingsOf } from './written.ts'

const runs = { numRuns: 500 }
const asked = fc.record({ profile: fc.constantFrom(...IDS), model: fc.option(fc.oneof(model, fc.constant('typed')), { nil: null }) })

/** Each entry by who is called, with which key and which model. */
const entriesOf = ({ entries }: Plan): string[] =>
  entries.map(({ index, label, secret, pin, model }) => `${index} ${label} ${secret?.reveal()} ${pin} ${model}`)

function brief(planned: Planned): unknown {
  return 'error' in planned
    ? planned.error.code
    : { entries: entriesOf(planned.plan), target: planned.plan.target, requested: planned.plan.requested }
}

/** What each target comes to by itself: its keys, all with one model. */
function aloneOf(written: Config, settings: Settings, { profile: id, model: own }: { profile: string; model: string | null }): string[] | null {
  const pins = [own, id === written.primary ? written.model : null, written.profiles[id]?.model]
  const pin = pins.find((each) => !isBlank(each))
  if (pin === undefined) return null
  const routed = written.modelRoutes.find((route) => route.modelProvider === id && route.apiKey !== undefined)?.apiKey
  const keys = settings.profiles.get(id)?.credentials ?? []
  const signed =
    routed === undefined ? keys.map(({ number, secret }) => [number === null ? id : `${id}#${number}`, secret?.reveal()]) : [[id, routed]]
  return signed.map(([label, key]) => `${label} ${key} ${pin} ${pin}`)
}

describe('R2 R3 R7 targets, over any settings', () => {
  it('one is planned as the default domain of the same settings with that profile as the primary', () => {
    fc.assert(
      fc.property(config, asked, (written, { profile, model: own }) => {
        const override = isBlank(own) ? (profile === written.primary ? written.model : null) : own
        const same = settingsOf({ ...written, primary: profile, model: override })
        expect(brief(planTurn(settingsOf(written), { targets: [{ profile, model: own }] }))).toEqual(brief(planTurn(same)))
      }),
      runs,
    )
  })

  it('several are planned one after the other, each alone', () => {
    fc.assert(
      fc.property(config, fc.array(asked, { minLength: 2, maxLength: 5 }), (written, targets) => {
        const settings = settingsOf(written)
        const planned = planTurn(settings, { targets })
        const alone = targets.map((target) => aloneOf(written, settings, target))
        if (alone.includes(null)) {
          expect('error' in planned && `${planned.error.code} ${planned.error.path}`).toBe(`nothing_to_send targets[${alone.indexOf(null)}].model`)
          return
        }
        if ('error' in planned) throw new Error(planned.error.code)
        const entries = [...new Set(alone.flatMap((each) => each ?? []))]
        expect(entriesOf(planned.plan)).toEqual(entries.map((entry, index) => `${index} ${entry}`))
        expect(planned.plan.requested).toEqual({ profile: targets[0]?.profile, model: planned.plan.entries[0]?.model })
      }),
      runs,
    )
  })

  it('a plan of targets is made anew from what is kept, and changes none of it', () => {
    fc.assert(
      fc.property(config, fc.array(asked, { minLength: 1, maxLength: 2 }), fc.array(asked, { minLength: 1, maxLength: 2 }), (written, one, other) => {
        const settings = settingsOf(written)
        const before = brief(planTurn(settings, { targets: one }))
        planTurn(settings, { targets: other })
        expect(brief(planTurn(settings, { targets: one }))).toEqual(before)
        expect(brief(planTurn(settings))).toEqual(brief(planTurn(settingsOf(written))))
      }),
      runs,
    )
  })
})
