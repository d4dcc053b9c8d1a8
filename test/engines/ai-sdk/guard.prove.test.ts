import { describe, expect, it } from 'vitest'
import { accepted, misjudged, NAMES } from './cuts.ts'

describe.each(NAMES)('R25: %s, cut at every byte', (name, api) => {
  it('is whole under fromAiSdk exactly where its bytes are', async () => {
    expect(await misjudged(name, api, 1)).toEqual([])
  })

  it('under guardedFetch no cut is an answer to the AI SDK; without it the share is as measured', async () => {
    const guarded = await accepted(name, api, 1, true)
    const bare = await accepted(name, api, 1, false)
    console.log(`${name}: of ${bare.cuts} cuts ${bare.silent} pass in silence without the guard, ${guarded.silent} with it`)
    expect(guarded.silent).toBe(0)
  })
})
