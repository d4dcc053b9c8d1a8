import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Stage } from './stage.ts'

it('R11 T1 a program is run with one key of its pool after the other, each with its own hold', async () => {
  const stage = await Stage.of({ claude: [{ limit: {} }, { text: 'one' }, { text: 'two' }] }, ['claude'])
  const folder = mkdtempSync(join(tmpdir(), 'relevo-pools-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // The fake says what names its environment has; what its key is, only a program in front of it sees.
  const command = join(folder, 'claude')
  writeFileSync(command, `#!/bin/sh\necho "$ANTHROPIC_API_KEY" >> '${folder}/keys'\nexec '${stage.clis.path}/claude' "$@"\n`)
  chmodSync(command, 0o755)
  const kernel = stage.kernel({ primary: 'claude.main', profiles: { 'claude.main': { model: 'sonnet', apiKeys: ['k1', 'k2'], cli: { command } } } })
  const served = [await kernel.turn({ prompt: 'hello' }).outcome, await kernel.turn({ prompt: 'hello' }).outcome].map(({ kind, text, served }) => [
    kind,
    text,
    served?.profile,
  ])
  expect(served).toEqual([
    ['ok', 'one', 'claude.main#2'],
    ['ok', 'two', 'claude.main#2'],
  ])
  expect(readFileSync(join(folder, 'keys'), 'utf8')).toBe('k1\nk2\nk2\n')
  expect(kernel.holds().map(({ key }) => key)).toEqual(['claude.main#1'])
})
