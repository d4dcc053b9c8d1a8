import { hasSubscribers } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { withBarePage } from '../../../src/faces/cli/page-option.ts'
import { DIAGNOSTICS_CHANNELS } from '../../../src/host.ts'
import { Console, folderOf } from '../console.ts'

describe('--page', () => {
  it('takes nothing from the word behind it, and nothing behind -- is it', () => {
    expect(withBarePage(['run', '--page', 'team', '--', '--page'])).toEqual(['run', '--page=', 'team', '--', '--page'])
    expect(withBarePage(['run', '--page=0'])).toEqual(['run', '--page=0'])
  })

  it.each(['x', '-1', '65536', '1e3', '80.5'])('takes no port that is none: %s', async (port) => {
    const console = new Console()
    expect([await console.run('demo', `--page=${port}`), console.out]).toEqual([2, ''])
    expect(console.err).toContain('Give a port from 0 to 65535.')
  })

  it('on a port that is taken begins nothing, and says what to do', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const console = new Console({ cwd: folderOf({}) })
    expect([await console.run('demo', `--page=${port}`), console.out]).toEqual([2, ''])
    expect(console.err).toBe(
      `error: --page: port ${port} of 127.0.0.1 is taken. Give another one: --page=<port>, or --page=0 for any that is free.\n`,
    )
  })

  it('is what --show-text is for', async () => {
    const console = new Console()
    expect([await console.run('demo', '--show-text'), console.err]).toEqual([2, 'error: --show-text is for the page. Give --page, too.\n'])
  })
})

describe('--record', () => {
  it.each(['demo', 'simulate'])('%s: where the file cannot be written nobody listens afterwards', async (command) => {
    const scenario = new URL('../../../docs/examples/limited-until-six.json', import.meta.url)
    const console = new Console({ cwd: folderOf({ 'one.json': readFileSync(scenario, 'utf8') }) })
    const named = command === 'simulate' ? ['one.json'] : []
    expect(await console.run(command, ...named, '--record', 'not/there.jsonl')).toBe(2)
    expect(console.err).toContain('the recording cannot be written (ENOENT)')
    expect(Object.values(DIAGNOSTICS_CHANNELS).filter((channel) => hasSubscribers(channel))).toEqual([])
  })
})
