import { describe, expect, test } from 'vitest'
import { conformanceCases } from '../../src/engines/conformance.ts'
import { notApplicable } from '../../src/engines/conformance/case.ts'
import type { ConformanceSubject } from '../../src/engines/conformance/subject.ts'
import { virtualSubject } from '../../src/engines/conformance/virtual-subject.ts'
import { scriptedEngine } from '../../src/engines/scripted.ts'
import { virtualClock } from '../../src/simulate/virtual-clock.ts'

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
    else test.skip(`${one.name} (not applicable: ${reason})`, () => {})
  }
})

test('every case has a name of its own', () => {
  const names = conformanceCases().map((one) => one.name)
  expect(new Set(names).size).toBe(names.length)
})
