import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTree } from '../architecture/source.ts'
import { PROGRAMS, promptIn, stage } from './cli-rig.ts'

const said = (content: string) => ({ messages: [{ role: 'user', content }] }) as const

/** What none of them can be asked: a blank text; a command of its own; as an argument, NUL. */
const isRefusable = (text: string): boolean => text.trim() === '' || text.startsWith('/') || text.includes('\0')

describe('CLI-01 no shell reads what a program is given', () => {
  test.each(PROGRAMS)('CLI-01 a prompt reaches %s byte for byte, whatever a shell would make of it', async (family) => {
    const { run, given, directory } = stage()
    const pwn = join(directory, 'pwn')
    const hostile = [
      `'; touch ${pwn} #`,
      `$(touch ${pwn})`,
      `\`touch ${pwn}\``,
      `" & touch ${pwn} & "`,
      `x | tee ${pwn}`,
      '%PATH%',
      '$HOME ~ * ?',
      '\\',
    ]
    for (const text of hostile) {
      expect((await run(family, said(text))).failure?.code).toBe('exit_7')
      expect(promptIn(family, given() ?? { args: [], stdin: '' })).toBe(text)
    }
    expect(existsSync(pwn)).toBe(false)
  })

  test.each(PROGRAMS)('CLI-01 any text reaches %s byte for byte, or nothing is started', async (family) => {
    const { run, given } = stage()
    const text = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
      fc.string({ unit: fc.constantFrom(...' \'"`$;&|<>\\\n\r\t-%!*/x') }),
    )
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        const { failure } = await run(family, said(content))
        const got = given()
        if (got === null) {
          expect(failure).toMatchObject({ kind: 'invalid_request', phase: 'connect' })
          expect(isRefusable(content), content).toBe(true)
        } else expect(promptIn(family, got)).toBe(content)
      }),
      { numRuns: 25 },
    )
  })

  test('CLI-01 processes are started by `spawn` alone, and nowhere through a shell', () => {
    const starters = [...readTree(['src'])].filter(([, text]) => text.includes("from 'node:child_process'"))
    expect(starters.map(([path]) => path)).toContain('src/engines/cli/process/process-table.ts')
    for (const [path, text] of starters) {
      const names = [...text.matchAll(/import (?:type )?\{([^}]*)\} from 'node:child_process'/g)].flatMap(([, list = '']) => list.split(','))
      for (const name of names) expect(['spawn', 'spawnSync', 'type ChildProcess', 'ChildProcess'], path).toContain(name.trim())
      expect(text, path).not.toMatch(/\bshell: (?!false\b)/)
    }
  })
})

describe('CLI-02 nothing that is asked can become an option', () => {
  const OPTIONS = ['--dangerously-skip-permissions', '-p', '--', '-', '-c sandbox_mode="danger-full-access"', '--model=x']

  test.each(PROGRAMS)('CLI-02 a prompt that looks like an option of %s is its prompt', async (family) => {
    const { run, given } = stage()
    await run(family, said('x'))
    const plain = given()?.args.length
    for (const text of OPTIONS) {
      await run(family, said(text))
      const got = given()
      expect(promptIn(family, got ?? { args: [], stdin: '' })).toBe(text)
      // By standard input, or as the value of `-p`, which takes whatever comes next: the arguments are as many as for any other prompt.
      expect(got?.args.length).toBe(plain)
    }
  })

  test.each(PROGRAMS)('CLI-02 a model that is no name of one is refused before %s starts', async (family) => {
    const { run, given } = stage()
    const refused = [
      ...OPTIONS,
      '-o/etc/x',
      '',
      ' opus',
      '_x',
      'a;b',
      'a\nb',
      'a\0b',
      'a\u009bb',
      'a\u202eb',
      'a"b',
      '$(id)',
      '`id`',
      'x'.repeat(129),
    ]
    for (const model of refused) {
      const { failure } = await run(family, { model })
      expect(failure, model).toMatchObject({ kind: 'invalid_request', phase: 'connect' })
      expect(failure?.message, model).toMatch(/^\w+ was not started: .* is no name of a model/)
      expect(failure?.message, model).not.toMatch(/\p{Cc}|\u202e/u)
    }
    expect(given()).toBe(null)
  })

  test.each(PROGRAMS)('CLI-02 every name that models have is told to %s as it is', async (family) => {
    const { run, given } = stage()
    const names = [
      'opus',
      'sonnet[1m]',
      'claude-sonnet-4@20250514',
      'us.anthropic.claude-v1:0',
      'arn:aws:bedrock:us-east-1:1:profile/x',
      'Gemini 3 Pro (High)',
      'x'.repeat(128),
    ]
    for (const model of names) {
      await run(family, { model })
      expect(given()?.args).toContain(model)
    }
  })
})
