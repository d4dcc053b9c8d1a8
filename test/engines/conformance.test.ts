import { describe, expect, test } from 'vitest'
import { notApplicable } from '../../src/engines/conformance/case.ts'
import type { ConformanceSubject } from '../../src/engines/conformance/subject.ts'
import { virtualSubject } from '../../src/engines/conformance/virtual-subject.ts'
import { conformanceCases } from '../../src/engines/conformance.ts'
import { scriptedEngine } from '../../src/engines/scripted.ts'
import { virtualClock } from '../../src/simulate/virtual-clock.ts'
import { PLANTED } from './planted-engines.ts'

const scripted = virtualSubject({
  name: 'the scripted engine',
  engine: (script) => scriptedEngine(script),
  clock: () => virtualClock(Date.UTC(2026, 2, 1)),
  lacks: { credentials: 'it signs nothing' },
})

const subjects: readonly ConformanceSubject[] = [scripted]

describe.each(subjects.map((subject) => [subject.name, subject] as const))('%s conforms', (_name, subject) => {
  for (const one of conformanceCases()) {
    const reason = notApplicable(one, subject)
    if (reason === null) test(one.name, () => one.run(subject))
    else test(one.name, ({ skip }) => skip(`not applicable to ${subject.name}: ${reason}`))
  }
})

test('every case has a name of its own', () => {
  const names = conformanceCases().map((one) => one.name)
  expect(new Set(names).size).toBe(names.length)
})

describe('the kit catches an engine that', () => {
  test.each(PLANTED.map((one) => [one.name, one] as const))('%s', async (_name, planted) => {
    const subject = virtualSubject({
      name: planted.name,
      engine: (script) => planted.plant(scriptedEngine(script), script),
      clock: () => virtualClock(),
      lacks: { credentials: 'it signs nothing' },
    })
    const complaints = await complaintsAbout(subject)
    for (const part of planted.caughtBy) {
      const caught = [...complaints].filter(([name]) => name.includes(part))
      expect(caught, `no case named "${part}" complained; those that did: ${[...complaints.keys()].join(' | ')}`).not.toEqual([])
    }
    for (const complaint of complaints.values()) expect(complaint).toMatch(/^[^\n]{5,400}$/)
  })
})

/** Case name → the one line with which it failed. */
async function complaintsAbout(subject: ConformanceSubject): Promise<Map<string, string>> {
  const complaints = new Map<string, string>()
  for (const one of conformanceCases()) {
    if (notApplicable(one, subject) !== null) continue
    await one.run(subject).catch((error: Error) => complaints.set(one.name, error.message))
  }
  return complaints
}
