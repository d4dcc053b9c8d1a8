import { describe, it } from 'vitest'
import { bodies, cutThroughSocket } from './cuts.ts'
import { seeded } from './kit.ts'

describe('R25 200 random cuts of every stream through a real socket', () => {
  it.each(bodies().map((body) => [body.name, body] as const))('%s', async (name, body) => {
    await cutThroughSocket(body, 200, seeded(name.length * 7919 + body.body.length))
  })
})
