import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findProgram } from '../../../src/engines/cli/find-program.ts'

function directory(...programs: readonly string[]): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'relevo-find-')))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  for (const name of programs) {
    writeFileSync(join(made, name), '')
    chmodSync(join(made, name), 0o755)
  }
  return made
}

describe('T10: whether this machine has a program', () => {
  test('the first directory of PATH that has it wins', () => {
    const [empty, first, second] = [directory(), directory('claude'), directory('claude', 'codex')]
    const path = [empty, first, second].join(delimiter)
    expect(findProgram('claude', path)).toBe(join(first, 'claude'))
    expect(findProgram('codex', path)).toBe(join(second, 'codex'))
    expect(findProgram('agy', path)).toBe(null)
  })

  test('a directory and a file that may not be executed are no programs, and hide none behind them', () => {
    const [wrong, right] = [directory(), directory('claude', 'codex')]
    mkdirSync(join(wrong, 'claude'))
    writeFileSync(join(wrong, 'codex'), '', { mode: 0o644 })
    const path = [wrong, right].join(delimiter)
    expect(findProgram('claude', path)).toBe(join(right, 'claude'))
    expect(findProgram('codex', path)).toBe(join(right, 'codex'))
  })

  test('links are followed to see what they are, and kept as they are called; one that leads nowhere is none', () => {
    const [real, links] = [directory('claude-2.1'), directory()]
    symlinkSync(join(real, 'claude-2.1'), join(links, 'claude'))
    symlinkSync(join(real, 'gone'), join(links, 'codex'))
    symlinkSync(real, join(links, 'agy'))
    expect(findProgram('claude', links)).toBe(join(links, 'claude'))
    expect(findProgram('codex', links)).toBe(null)
    expect(findProgram('agy', links)).toBe(null)
  })

  test('CLI-04 entries of PATH that are not absolute are skipped, the empty one too', () => {
    const made = directory('claude')
    const here = relative(process.cwd(), made)
    for (const path of [here, '', '.', `${delimiter}${delimiter}`]) expect(findProgram('claude', path)).toBe(null)
    expect(findProgram('package.json', '')).toBe(null)
    expect(findProgram('claude', [here, made].join(delimiter))).toBe(join(made, 'claude'))
  })

  test('a path is taken as it is, without PATH; a relative one from the present directory', () => {
    const made = directory('claude')
    const other = directory('claude')
    expect(findProgram(join(made, 'claude'), other)).toBe(join(made, 'claude'))
    expect(findProgram(`./${relative(process.cwd(), join(made, 'claude'))}`, undefined)).toBe(join(made, 'claude'))
    expect(findProgram(join(made, 'codex'), other)).toBe(null)
    expect(findProgram(made, other)).toBe(null)
  })

  test.each(['', '.', '..', '/', 'a\0b', './', '\n', 'x'.repeat(10_000)])('%j names no program', (name) => {
    expect(findProgram(name, directory('claude'))).toBe(null)
  })

  test('without PATH nothing is found by name', () => {
    expect(findProgram('claude', undefined)).toBe(null)
  })
})
