import { describe, it } from 'vitest'
import { bodies, cutThroughSocket } from './cuts.ts'
import { seeded } from './kit.ts'

describe('R25 a few cuts of every stream through a real socket (200 each in `npm run prove`)', () => {
  it.each(bodies().map((body) => [body.name, body] as const))('%s', async (name, body) => {
    await cutThroughSocket(body, 6, seeded(name.length + body.body.length))
  })
})
