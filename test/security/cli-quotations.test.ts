import { describe, expect, test } from 'vitest'
import type { FakeCliScript } from '../../src/testing.ts'
import { PROGRAMS, Stage } from '../cli/stage.ts'

const NOTICE = "You've hit your limit · resets 2:30pm"
const ANSWERS = [
  ['a short answer that is a notice', NOTICE],
  ['a long one that quotes it on a line of its own', `It printed this:\n\n${NOTICE}\n\n${'and so on '.repeat(40)}`],
] as const

describe.each(PROGRAMS)('RE-03 what the model of $family says is no notice', ({ family, name }) => {
  test.each(ANSWERS)('RE-03 %s is an answer, and holds nobody', async (_what, text) => {
    const { outcome, holds } = await served({ text })
    expect(outcome).toMatchObject({ kind: 'ok', text })
    expect(holds).toEqual([])
  })

  test('RE-03 a notice as its last words before it breaks off or fails is a failed call and no limit', async () => {
    const text = NOTICE
    for (const run of [
      { text, cut: true },
      { text, exit: 3 },
      { text: 'x', tools: [{ name: 'shell', output: text }], cut: true },
    ]) {
      const { outcome, holds } = await served(run)
      expect(outcome.kind).not.toBe('ok')
      expect(outcome.attempts.map(({ result }) => result)).not.toContain('rate_limited')
      expect(holds).toEqual([])
    }
  })

  async function served(run: NonNullable<FakeCliScript[typeof name]>[number]) {
    const stage = await Stage.of({ [name]: [run] }, [name])
    const kernel = stage.kernel({ primary: `${family}.x`, profiles: { [`${family}.x`]: {} } })
    const outcome = await kernel.turn({ prompt: 'x', stream: true }).outcome
    return { outcome, holds: kernel.holds() }
  }
})
