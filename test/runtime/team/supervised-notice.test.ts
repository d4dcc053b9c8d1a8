import { describe, expect, test } from 'vitest'
import type { KernelConfig } from '../../../src/runtime/kernel-door.ts'
import { settle } from '../rig.ts'
import { ANA, PROFILES, supervised } from './supervised-rig.ts'

const SAME = {
  ...PROFILES,
  profiles: { 'a.x': { model: 'm1', apiKey: 'k-a' }, 'a.y': { model: 'm2', apiKey: 'k-b' } },
} satisfies KernelConfig

async function posted(
  config: KernelConfig,
  failover: string,
  beforeItIsPosted: (kernel: ReturnType<typeof supervised>['kernel']) => void = () => {},
) {
  const { current, answer, kernel, posts, attempts } = supervised({ config, team: { participants: [{ ...ANA, failover: [failover] }] } })
  ;(await current()).fail('rate_limited', { resetAt: 3_600_000 })
  await settle()
  beforeItIsPosted(kernel)
  await answer('Said.')
  await answer('And more.')
  return { post: posts[0], prompts: JSON.stringify(attempts.map(({ request }) => request.messages)) }
}

describe('R35 a notice in a thread', () => {
  test.each<[string, KernelConfig, string, string | undefined]>([
    ['off: nothing of a fallback inside a family', SAME, 'a.y', undefined],
    ['off: a change of family is told, and names nobody', PROFILES, 'b.y', 'Another model or provider answered.'],
    ['redacted: it is told, and names nobody', { ...SAME, modelFallbackNotice: 'redacted' }, 'a.y', 'Another model or provider answered.'],
    ['detailed: who was asked and who answered', { ...SAME, modelFallbackNotice: 'detailed' }, 'a.y', 'Requested a.x/m1; answered by a.y/m2.'],
  ])('%s', async (_, config, failover, expected) => {
    const { post, prompts } = await posted(config, failover)
    expect(post?.text).toBe('Said.')
    expect(post?.notice).toBe(expected)
    // What was said is in the next prompt, and what was told of it is not.
    expect(prompts).toContain('Said.')
    expect(prompts).not.toContain('nswered')
  })

  test('goes by the settings as they are when it is delivered', async () => {
    const { post } = await posted(SAME, 'a.y', (kernel) => kernel.reload({ ...SAME, modelFallbackNotice: 'detailed' }))
    expect(post?.notice).toBe('Requested a.x/m1; answered by a.y/m2.')
  })

  test('is nowhere when the first of the chain answers', async () => {
    const { answer, posts } = supervised({ config: { ...SAME, modelFallbackNotice: 'detailed' }, team: { participants: [ANA] } })
    await answer('Said.')
    expect(posts[0]).not.toHaveProperty('notice')
  })
})
