import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { resolveCliEngine } from '../../src/engines/cli/cli-engines.ts'
import type { CliSettings } from '../../src/model/cli.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { Stage } from '../cli/stage.ts'
import { profileOf } from '../engines/http/request.ts'
import { folder, PROGRAMS, programIn } from './cli-rig.ts'

const SCRIPT = '#!/bin/sh\nexit 0\n'

/** A work folder with a program of this name in it, and one beside it, where an installation would be. */
function planted(name: string) {
  const top = realpathSync(folder())
  const [work, bin, installed] = [join(top, 'work'), join(top, 'work', 'node_modules', '.bin'), join(top, 'usr')]
  for (const path of [bin, installed]) mkdirSync(path, { recursive: true })
  for (const path of [work, bin, installed]) programIn(path, name, SCRIPT)
  return { top, work, bin, installed }
}

function located(family: string, cli: Partial<CliSettings>, environment: Readonly<Record<string, string>>) {
  const engines = resolveCliEngine({ clock: systemClock(), environment, runs: null })
  onTestFinished(() => engines.close())
  const settings = { command: null, args: [], directory: null, env: {}, stallMs: null, path: null, absent: false, ...cli }
  return engines.locate(profileOf({ id: `${family}.x`, family, api: null, endpoint: null, cli: settings }))
}

describe('CLI-04 what stands in the folder that an agent works in is not run', () => {
  test.each(PROGRAMS)('CLI-04 %s is found outside of it, at an absolute path, whatever comes first in PATH', (family, name) => {
    const { work, bin, installed, top } = planted(name)
    symlinkSync(work, join(top, 'link'))
    const path = ['.', '', './', 'node_modules/.bin', work, bin, join(top, 'link'), installed].join(delimiter)
    expect(located(family, { directory: work }, { PATH: path, HOME: '/home/a' })).toMatchObject({ path: join(installed, name) })
    const missing = located(family, { directory: work }, { PATH: [work, bin].join(delimiter), HOME: '/home/a' })
    expect(missing).not.toHaveProperty('path')
    expect(missing).toMatchObject({ install: expect.stringContaining(`(${join(work, name)} is passed over: it lies in ${work},`) })
  })

  test('CLI-04 a folder so wide that the home of the user lies in it passes none over', () => {
    const { top, work, bin } = planted('claude')
    expect(located('claude', { directory: top }, { PATH: bin, HOME: work })).toMatchObject({ path: join(bin, 'claude') })
    expect(located('claude', { directory: top }, { PATH: bin, HOME: '/home/a' })).not.toHaveProperty('path')
  })

  test('CLI-04 a path that the operator wrote is taken as it is', () => {
    const { work } = planted('claude')
    expect(located('claude', { directory: work, command: join(work, 'claude') }, { PATH: '/bin' })).toMatchObject({ path: join(work, 'claude') })
  })

  test('CLI-04 a program that vanished after the start costs its entry, and the turn is served by the next', async () => {
    const stage = await Stage.of({ claude: [{ text: 'never' }], codex: [{ text: 'served' }] }, ['claude', 'codex'])
    const kernel = stage.kernel({ primary: 'claude.a', profiles: { 'claude.a': { fallback: ['codex.b'] }, 'codex.b': {} } })
    rmSync(join(stage.clis.path, 'claude'))
    const outcome = await kernel.turn({ prompt: 'x' }).outcome
    expect(outcome).toMatchObject({ kind: 'ok', text: 'served' })
    expect(outcome.attempts.map(({ entry, accepted }) => [entry.split('/')[0], accepted])).toEqual([
      ['claude.a', false],
      ['codex.b', true],
    ])
  })
})
