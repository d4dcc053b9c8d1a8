import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runsDirectory } from '../../../src/engines/cli/runs-directory.ts'

const AT_HOME = join(homedir(), '.local', 'state', 'relevo', 'runs')

it.each<[string, Record<string, string | undefined>, string]>([
  ['the state directory', { XDG_STATE_HOME: '/state', HOME: '/home/a' }, '/state/relevo/runs'],
  ['that of the home directory', { HOME: '/home/a' }, '/home/a/.local/state/relevo/runs'],
  ['an empty state directory is none', { XDG_STATE_HOME: '', HOME: '/home/a' }, '/home/a/.local/state/relevo/runs'],
  ['a relative state directory is none', { XDG_STATE_HOME: 'state', HOME: '/home/a' }, '/home/a/.local/state/relevo/runs'],
  ['an empty home directory is none', { HOME: '' }, AT_HOME],
  ['a relative home directory is none', { HOME: '.' }, AT_HOME],
  ['nothing is said', {}, AT_HOME],
])('platform.md §5: runs are written down in an absolute place: %s', (_, environment, path) => {
  expect(runsDirectory(environment)).toBe(path)
})
