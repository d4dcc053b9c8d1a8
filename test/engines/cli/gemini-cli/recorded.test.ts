import { describe, expect, it } from 'vitest'
import { geminiCli } from '../../../../src/engines/cli/gemini-cli/program.ts'
import { decoded, textsOf } from '../decoded.ts'
import { present, recorded } from '../notice/recorded-notices.ts'

const runs = recorded.filter((one) => one.provider === 'gemini' && one.channel === 'stdout-ndjson')

/** The text of a recorded run, read apart from the decoder: it has no tools. */
function textIn(raw: string): string {
  const lines = raw.split('\n').filter((line) => line !== '')
  const events = lines.map((line) => JSON.parse(line) as { role?: string; content?: string })
  return events.flatMap(({ role, content }) => (role === 'assistant' ? [content] : [])).join('')
}

describe.skipIf(!present)('recorded runs of the Gemini CLI', () => {
  it('are all there: 15, five of them answers', () => {
    expect([runs.length, runs.filter(({ expect: { kind } }) => kind === 'none').length]).toEqual([15, 5])
  })

  it.each(runs.map((one) => [one.id, one] as const))('%s', (_id, { raw, exitCode = null, expect: expected }) => {
    for (const mode of ['stream', 'call'] as const) {
      const { end, events, over } = decoded(geminiCli, mode, { stdout: raw.split('\n'), exitCode })
      expect(over).toBe(true)
      if (expected.kind === 'none') {
        expect([end, textsOf(events)]).toEqual([{ completed: true, finish: 'stop' }, [textIn(raw)]])
        expect(events.at(-1)).toEqual({ type: 'usage', input: 12, output: 6, cachedInput: 0 })
      } else expect([end, events]).toEqual([{ completed: false }, []])
    }
  })
})
