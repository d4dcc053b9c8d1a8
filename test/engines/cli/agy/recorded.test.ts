import { describe, expect, it } from 'vitest'
import { agy } from '../../../../src/engines/cli/agy/program.ts'
import { decoded, textsOf } from '../decoded.ts'
import { present, recorded } from '../notice/recorded-notices.ts'

/** agy could not be run: these are the lines and words that its users report (cli-engines.md §5). None of them is an answer. */
const notices = recorded.filter((one) => one.provider === 'agy' && (one.channel.startsWith('stdout') || one.channel === 'stderr'))

describe.skipIf(!present)('reported notices of agy', () => {
  it('are all there: 42', () => {
    expect(notices.length).toBeGreaterThanOrEqual(42)
  })

  it.each(notices.map((one) => [one.id, one] as const))('%s completes nothing', (_id, { raw, channel, exitCode = 0 }) => {
    const lines = raw.split('\n')
    const { end, events } = decoded(agy, 'call', channel === 'stderr' ? { stdout: [], stderr: lines, exitCode } : { stdout: lines, exitCode })
    expect([end, textsOf(events)]).toEqual([{ completed: false }, []])
  })
})
