import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { inspectTarget, startInspection, withBareInspect } from '../../../src/faces/cli/inspect-option.ts'
import { installedWs } from '../../../src/faces/inspector/ws-package.ts'
import { type LoopbackScript, startLoopbackProvider } from '../../../src/testing.ts'
import { Stage } from '../../cli/stage.ts'
import { Console, folderOf } from '../console.ts'
import { isServed, realServer, receiver } from './real-server.ts'

const CANARY = 'cnry'

async function shellWith(script: LoopbackScript = {}): Promise<Console> {
  const provider = await startLoopbackProvider({ script })
  onTestFinished(() => provider.close())
  const cwd = folderOf({
    'relevo.yaml': `primary: a.x
profiles:
  a.x: { model: m1, apiKey: "env:KEY", api: openai-chat, endpoint: "${provider.endpoint('a.x')}" }`,
  })
  return new Console({ env: { KEY: `${CANARY}-key` }, cwd })
}

const SERVED: LoopbackScript = { 'a.x/m1': { stream: [{ events: [{ text: `${CANARY}-answer` }, { final: 'stop' }] }] } }

describe('WEB-06 relevo --inspect', () => {
  test.each([
    ['', { port: 8080 }],
    ['0', { port: 0 }],
    ['9000', { port: 9000 }],
    ['ws://127.0.0.1:8080', { url: 'ws://127.0.0.1:8080/' }],
    ['ws://127.9.9.9:8080/a', { url: 'ws://127.9.9.9:8080/a' }],
    ['ws://[::1]:8080', { url: 'ws://[::1]:8080/' }],
    ['ws://localhost:8080', { url: 'ws://127.0.0.1:8080/' }],
    // Another way to write an address of this machine.
    ['ws://2130706433:1', { url: 'ws://127.0.0.1:1/' }],
  ])('takes %j', (text, target) => {
    expect(inspectTarget(text)).toEqual(target)
  })

  test.each([
    ['ws://example.com:8080', 'on this machine only'],
    ['ws://0.0.0.0:8080', 'on this machine only'],
    ['ws://192.168.0.7:8080', 'on this machine only'],
    ['ws://localhost.evil.example:8080', 'on this machine only'],
    ['ws://127.0.0.1.evil.example', 'on this machine only'],
    ['ws://[::ffff:192.168.0.7]:1', 'on this machine only'],
    ['ws://127.0.0.1@evil.example:1', 'on this machine only'],
    [`ws://${CANARY}:x@127.0.0.1:1`, 'user and the password'],
    ['wss://stately.ai/inspect', 'the address of a server'],
    ['https://stately.ai/inspect', 'the address of a server'],
    ['127.0.0.1:8080', 'the address of a server'],
    ['65536', 'at most 65535'],
    ['-1', 'the address of a server'],
    ['yes', 'the address of a server'],
  ])('refuses %j with what to do, before anything is started', async (text, words) => {
    const shell = await shellWith()
    expect(await shell.run('turn', 'hi', `--inspect=${text}`)).toBe(2)
    expect(shell.errLines).toHaveLength(1)
    expect(shell.err).toContain(words)
    expect(shell.out).toBe('')
  })

  test('takes no word behind it, which is a prompt or a folder', () => {
    expect(withBareInspect(['turn', '--inspect', 'hi'])).toEqual(['turn', '--inspect=', 'hi'])
    expect(withBareInspect(['turn', '--inspect=9000', '--', '--inspect'])).toEqual(['turn', '--inspect=9000', '--', '--inspect'])
  })

  test('is off by default: nothing is told of it', async () => {
    const shell = await shellWith(SERVED)
    expect(await shell.run('turn', 'hi')).toBe(0)
    expect(shell.err).not.toContain('inspector')
  })

  test('of a turn serves inspectors on a port, and says where', async () => {
    const shell = await shellWith(SERVED)
    expect(await shell.run('turn', 'hi', '--inspect=0')).toBe(0)
    expect(shell.err).toMatch(/^inspector: ws:\/\/127\.0\.0\.1:\d+$/m)
    expect(shell.out).toBe(`${CANARY}-answer\n`)
  })

  test('of a turn tells a server that runs already, without a word of the turn', async () => {
    const server = await realServer()
    const viewer = receiver(server.url)
    const shell = await shellWith(SERVED)
    expect(await shell.run('turn', `${CANARY}-prompt`, `--inspect=${server.url}`)).toBe(0)
    await viewer.until(({ type, sessionId }) => type === '@xstate.snapshot' && isDone(viewer.seen, sessionId))
    expect(JSON.stringify(viewer.seen)).not.toContain(CANARY)
  })

  test('goes on where no server is, and says so', async () => {
    const shell = await shellWith(SERVED)
    const taken = await freePort()
    expect(await shell.run('turn', 'hi', `--inspect=ws://127.0.0.1:${taken}`)).toBe(0)
    expect(shell.out).toBe(`${CANARY}-answer\n`)
    expect(shell.err).toContain('does not answer as an inspector server (ECONNREFUSED); it is tried again while the run goes on')
  })

  test('says what to do where the port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const shell = await shellWith(SERVED)
    expect(await shell.run('turn', 'hi', `--inspect=${port}`)).toBe(2)
    expect(shell.errLines).toEqual([
      `error: --inspect: port ${port} of 127.0.0.1 is taken. Give another one: --inspect=<port>; or, where an inspector server has it: --inspect=ws://127.0.0.1:${port}`,
    ])
  })

  test('says what to install where there is no package of sockets', async () => {
    expect(installedWs('file:///nowhere/')).toBeNull()
    await expect(startInspection({ port: 0 }, { tell: () => {}, ws: null })).rejects.toThrow('npm install ws')
    expect(await startInspection(undefined, { tell: () => {}, ws: null })).toBeUndefined()
  })

  test('of a run tells what its team does', async () => {
    const server = await realServer()
    const viewer = receiver(server.url)
    const stage = await Stage.of({ claude: [{ text: `${CANARY}-answer` }] }, ['claude'])
    const cwd = folderOf({ 'relevo.yaml': 'team: {}\n', 'participants/ana.md': `---\nprovider: claude\n---\n${CANARY}-role\n` })
    const shell = new Console({ env: stage.processes.environment, cwd })
    expect(await shell.run('run', '--once', `--inspect=${server.url}`)).toBe(0)
    await viewer.until((message) => message.type === '@xstate.snapshot' && (message.snapshot as { value?: unknown }).value === 'stopped')
    const names = viewer.seen.flatMap((message) => (message.type === '@xstate.actor' ? [message.name] : []))
    expect(names).toEqual(expect.arrayContaining(['supervisor', 'team', 'engine-claude.main']))
    expect(JSON.stringify(viewer.seen)).not.toContain(CANARY)
  })
})

function isDone(seen: ReturnType<typeof receiver>['seen'], sessionId: string): boolean {
  const actor = seen.find((message) => message.type === '@xstate.actor' && message.sessionId === sessionId && message.name.startsWith('turn '))
  return actor?.type === '@xstate.actor' && seen.some(isServed(seen, actor.name))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
