import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startLoopbackProvider } from '../../src/testing.ts'
import { Console, folderOf } from './console.ts'

const PROVIDER = {
  'openai.a/m1': { call: [{ ok: 'Hello', usage: { input: 3, output: 2 } }], stream: [{ events: [{ text: 'Half' }, { stall: true as const }] }] },
}

interface Served {
  readonly console: Console
  readonly folder: string
  readonly address: string
  readonly ended: Promise<number>
  readonly provider: Awaited<ReturnType<typeof startLoopbackProvider>>
  written(gateway: object): string
}

async function served(gateway: object = {}, ...options: string[]): Promise<Served> {
  const provider = await startLoopbackProvider({ script: PROVIDER })
  onTestFinished(() => provider.close())
  const profile = { api: 'openai-chat', model: 'm1', apiKey: 'k', endpoint: provider.endpoint('openai.a') }
  const written = (own: object): string =>
    JSON.stringify({ primary: 'openai.a', profiles: { 'openai.a': profile }, ledger: { jsonl: 'ledger.jsonl' }, gateway: { port: 0, ...own } })
  const folder = folderOf({ 'relevo.json': written(gateway) })
  const console = new Console({ cwd: folder })
  const ended = console.run('serve', ...options)
  await console.shown('page: ')
  const address = /relevo gateway on (\S+)/.exec(console.out)?.[1] ?? ''
  return { console, folder, address, ended, provider, written }
}

const ask = ({ address }: Served, body: object = {}, key = ''): Promise<Response> =>
  fetch(`${address}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === '' ? {} : { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'hi' }], ...body }),
  })

function end({ console, ended }: Served, signal: string): Promise<number> {
  console.interrupt.abort(signal)
  return ended
}

describe('relevo serve', () => {
  it('answers, shows its page, keeps its ledger by key, and ends with 0 on SIGTERM', async () => {
    const run = await served({ keys: [{ id: 'build', key: 'sk-build-0123456789' }] })
    expect((await ask(run)).status).toBe(401)
    const answer = await ask(run, {}, 'sk-build-0123456789')
    expect([answer.status, answer.headers.get('x-relevo-served')]).toEqual([200, 'openai.a/m1'])
    const events = await fetch(`${run.address}/api/events`)
    expect([events.status, events.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/event-stream')])
    expect(await end(run, 'SIGTERM')).toBe(0)
    const ledger = new Console({ cwd: run.folder })
    expect(await ledger.run('ledger', '--by', 'caller')).toBe(0)
    expect(ledger.out).toMatch(/^build +1 +1 /m)
  })

  it('WEB-05 prints the token of the page once, beside the results', async () => {
    const run = await served()
    const token = /#token=([0-9a-f]{64})/.exec(run.console.err)?.[1] ?? ''
    expect(token).not.toBe('')
    await ask(run)
    expect(await end(run, 'SIGTERM')).toBe(0)
    expect([run.console.both.split(token).length - 1, run.console.out.includes(token)]).toEqual([1, false])
  })

  it('a stream that is under way is let end; Ctrl-C is told by the exit code', async () => {
    const run = await served()
    const aborter = new AbortController()
    const response = await fetch(`${run.address}/v1/chat/completions`, {
      method: 'POST',
      signal: aborter.signal,
      body: JSON.stringify({ messages: [{ role: 'user', content: 'hi' }], stream: true }),
    })
    expect(response.status).toBe(200)
    const ended = end(run, 'SIGINT')
    await run.console.shown('ending: requests in flight are let end')
    // Nothing but its client ends it here: the provider says no more.
    aborter.abort()
    expect(await ended).toBe(130)
  })

  it('GW-02 does not listen beyond this machine without keys', async () => {
    const console = new Console({
      cwd: folderOf({ 'relevo.json': JSON.stringify({ primary: 'ollama.a', profiles: { 'ollama.a': { model: 'm' } } }) }),
    })
    expect(await console.run('serve', '--host', '0.0.0.0', '--port', '0')).toBe(2)
    expect(console.errLines.filter((line) => line.startsWith('error: '))).toEqual([expect.stringContaining('gateway.keys')])
    expect(console.out).toBe('')
  })

  it('on a port that is taken begins nothing, and says what to do', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const console = new Console({
      cwd: folderOf({ 'relevo.json': JSON.stringify({ primary: 'ollama.a', profiles: { 'ollama.a': { model: 'm' } } }) }),
    })
    expect(await console.run('serve', '--port', String(port))).toBe(2)
    expect(console.err).toContain(String(port))
    expect(console.out).toBe('')
  })

  it('R12 takes new settings, refuses wrong ones whole, and says what counts from the next start: a key that was exchanged, too', async () => {
    const run = await served({ keys: ['sk-first-0123456789'] })
    const file = join(run.folder, 'relevo.json')
    writeFileSync(file, run.written({ keys: ['sk-second-0123456789'] }))
    await run.console.shown('settings reloaded; what differs in `gateway` counts from the next start')
    expect([(await ask(run, {}, 'sk-second-0123456789')).status, (await ask(run, {}, 'sk-first-0123456789')).status]).toEqual([401, 200])
    writeFileSync(file, '{"primary": 7}')
    await run.console.shown('settings refused: invalid_setting primary: ')
    writeFileSync(file, run.written({ keys: ['sk-first-0123456789'] }))
    await run.console.shown('settings reloaded\n')
    const settings = JSON.parse(run.written({ keys: ['sk-first-0123456789'] }))
    settings.profiles['openai.a'].fallback = ['openai.gone']
    writeFileSync(file, JSON.stringify({ ...settings, ledger: { jsonl: 'another.jsonl' } }))
    await run.console.shown('settings reloaded; what differs in `ledger` counts from the next start')
    await run.console.shown('relevo.json: profiles.openai.a.fallback[0]: ')
    expect(await end(run, 'SIGTERM')).toBe(0)
  })
  it('R36 a secret that came with new settings is in no line of the log, as those of the first ones', async () => {
    const run = await served({}, '--log-level', 'debug')
    writeFileSync(join(run.folder, 'relevo.json'), run.written({ keys: ['sk-later-0123456789'] }))
    await run.console.shown('settings reloaded')
    // A client may write what it likes where a model belongs.
    await (await ask(run, { model: 'openai.a/sk-later-0123456789' })).text()
    await run.console.shown('"gateway.answered"')
    expect(run.console.err).toContain('"model":"[redacted]"')
    expect(run.console.err).not.toContain('sk-later-0123456789')
    expect(await end(run, 'SIGTERM')).toBe(0)
  })
})
