import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PROGRAMS, programIn, promptIn, stage } from './cli-rig.ts'

const said = (content: string) => ({ messages: [{ role: 'user', content }] }) as const
const BY_INPUT = PROGRAMS.filter(([family]) => family !== 'agy')

describe('CLI-09 a program that never reads its prompt', () => {
  test.each(BY_INPUT)('CLI-09 %s fails with its exit code, and the closed pipe of 2 MB is no fault of this process', async (family) => {
    const { run, directory } = stage()
    const path = programIn(directory, 'deaf', '#!/bin/sh\nexec 0<&-\necho boom >&2\nexit 3\n')
    const { failure } = await run(family, said('é'.repeat(1_000_000)), { path })
    expect(failure).toMatchObject({ kind: 'unknown', code: 'exit_3' })
  })
})

describe('CLI-10 what no argument can hold', () => {
  test.each(PROGRAMS)('CLI-10 a prompt of 140,000 bytes comes to %s by standard input, or is refused', async (family) => {
    const { run, given } = stage()
    const text = `${'é'.repeat(70_000)}.`
    const { failure } = await run(family, said(text))
    if (family === 'agy') {
      expect(failure).toMatchObject({ kind: 'invalid_request', message: expect.stringMatching(/an argument, which holds \d+ bytes/) })
      expect(given()).toBe(null)
      return
    }
    const got = given()
    expect(got?.stdin === text).toBe(true)
    for (const argument of got?.args ?? []) expect(argument.length).toBeLessThan(200)
  })

  test.each(PROGRAMS)('CLI-10 a system text that is as long stands in no argument of %s either', async (family) => {
    const { run, given } = stage()
    const messages = [{ role: 'system', content: 's'.repeat(100_001) } as const, { role: 'user', content: 'hi' } as const]
    await run(family, { messages })
    const got = given()
    // agy has nowhere else to take it from, and its argument ends below what the system takes.
    if (family === 'agy') return expect(promptIn(family, got ?? { args: [], stdin: '' })).toHaveLength(100_005)
    expect(got?.stdin).toBe(`${'s'.repeat(100_001)}\n\nhi`)
    for (const argument of got?.args ?? []) expect(argument.length).toBeLessThan(200)
  })

  test.each(PROGRAMS)('CLI-10 NUL reaches %s by standard input, or is refused in words', async (family) => {
    const { run, given } = stage()
    const { failure } = await run(family, said('a\0b'))
    if (family !== 'agy') return expect(given()?.stdin).toBe('a\0b')
    expect(failure).toMatchObject({ kind: 'invalid_request', message: expect.stringContaining('NUL') })
    expect(given()).toBe(null)
  })

  test('CLI-10 arguments that are too long together (E2BIG, which is thrown) are a failure of the settings and not of this process', async () => {
    const { run, given } = stage()
    const { failure } = await run('claude', {}, { args: ['x'.repeat(140_000)] })
    expect(failure).toMatchObject({ kind: 'invalid_request', code: 'too_long' })
    expect(given()).toBe(null)
  })
})

test('CLI-11 a missing folder is told as one, and not as a missing program', async () => {
  const { run, directory } = stage()
  const { failure } = await run('claude', {}, { directory: join(directory, 'nowhere') })
  expect(failure).toMatchObject({ kind: 'invalid_request', code: 'no_directory', message: expect.stringContaining('nowhere does not exist') })
})

test('LIMIT-06 a program that says nothing is a failed call once its silence is as long as is allowed', async () => {
  const { run, directory } = stage()
  const path = programIn(directory, 'silent', '#!/bin/sh\nexec sleep 1000\n')
  for (const [family] of PROGRAMS) {
    const { failure, events } = await run(family, {}, { path, stallMs: 20 })
    expect(failure).toMatchObject({ kind: 'timeout', code: 'idle' })
    expect(events).toHaveLength(1)
  }
})
