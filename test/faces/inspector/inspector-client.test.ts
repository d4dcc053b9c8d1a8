import { createServer, type Server, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectInspector, type InspectorClient } from '../../../src/faces/inspector/inspector-client.ts'
import { installedWs, type WsPackage } from '../../../src/faces/inspector/ws-package.ts'
import { inspectionRelay } from '../../../src/host.ts'
import { LONE, rig, settle } from '../../runtime/rig.ts'
import { isServed, realServer, receiver } from './real-server.ts'

interface Stage {
  readonly client: InspectorClient
  /** Lines for the person, each as it is told. */
  readonly told: string[]
  until(text: string): Promise<void>
  serve(id: string): Promise<void>
}

function stage(url: string): Stage {
  const relay = inspectionRelay()
  const told: string[] = []
  const lookers = new Set<() => void>()
  const tell = (line: string): void => {
    told.push(line)
    for (const look of lookers) look()
  }
  const client = connectInspector({ relay, url, ws: installedWs() as WsPackage, tell })
  onTestFinished(() => client.close())
  const { kernel, last } = rig({ config: LONE, ports: { inspect: relay.inspect } })
  onTestFinished(() => kernel.stop())
  return {
    client,
    told,
    until: (text) =>
      new Promise((resolve) => {
        const look = (): void => void (told.some((line) => line.includes(text)) && resolve())
        lookers.add(look)
        look()
      }),
    async serve(id) {
      const turn = kernel.turn({ id, prompt: 'hi', sinks: ['event'] })
      await settle()
      last().text('hello').final()
      expect((await turn.outcome).kind).toBe('ok')
      await settle()
    },
  }
}

/** A server on this machine that does this with whoever comes. */
async function listener(onSocket: (socket: Socket) => void): Promise<{ url: string; server: Server }> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    onSocket(socket)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `ws://127.0.0.1:${(server.address() as { port: number }).port}`, server }
}

describe('WEB-06 the server of @statelyai/inspect', () => {
  test('is told every actor and its steps, and tells its viewers', async () => {
    const server = await realServer()
    const viewer = receiver(server.url)
    const { serve, told, until } = stage(server.url)
    await until('connected')
    await serve('one')
    await viewer.until(isServed(viewer.seen, 'turn one'))
    expect(told).toEqual([`inspector: connected to ${server.url}`])
    const late = receiver(server.url)
    await late.until(isServed(late.seen, 'turn one'))
    expect(late.seen.flatMap((message) => (message.type === '@xstate.actor' ? [message.name] : []))).toEqual([
      'supervisor',
      'engine-a.x',
      'turn one',
      'stream',
    ])
  })

  test('has everything that was told when a short run is over', async () => {
    const server = await realServer()
    const viewer = receiver(server.url)
    const { serve, client } = stage(server.url)
    // Over before the connection is there.
    await serve('one')
    await client.close()
    await viewer.until(isServed(viewer.seen, 'turn one'))
  })

  test('that goes and comes back is told every actor again', async () => {
    const server = await realServer()
    const { serve, until, told } = stage(server.url)
    await until('connected')
    await serve('one')
    for (const socket of server.sockets()) socket.destroy()
    await until('is gone')
    await serve('two')
    const viewer = receiver(server.url)
    await viewer.until(isServed(viewer.seen, 'turn two'))
    expect(told).toEqual([
      `inspector: connected to ${server.url}`,
      `inspector: ${server.url} is gone; it is tried again while the run goes on`,
      `inspector: connected to ${server.url}`,
    ])
  })
})

describe('WEB-06 a run whose inspector', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['answers garbage', (socket) => void socket.end(Buffer.alloc(1000, 0xff))],
    ['answers as another server', (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')],
    ['leads elsewhere', (socket) => void socket.end('HTTP/1.1 302 Found\r\nlocation: ws://evil.example/\r\ncontent-length: 0\r\n\r\n')],
    ['hangs up', (socket) => void socket.destroy()],
  ])('%s goes on, and it is said once', async (_, onSocket) => {
    let tries = 0
    let tellAgain = (): void => {}
    const again = new Promise<void>((resolve) => {
      tellAgain = resolve
    })
    const { url } = await listener((socket) => {
      if (++tries === 2) tellAgain()
      onSocket(socket)
    })
    const { serve, told, client } = stage(url)
    await serve('one')
    await again
    await client.close()
    expect(told).toEqual([expect.stringContaining(`inspector: ${url} `)])
    expect(told[0]).toContain('tried again')
  })

  test('says nothing does not keep the process at its end', async () => {
    const { url } = await listener(() => {})
    const { serve, client, told } = stage(url)
    await serve('one')
    const at = performance.now()
    await client.close()
    expect(performance.now() - at).toBeLessThan(2_500)
    expect(told).toEqual([])
  })
})
