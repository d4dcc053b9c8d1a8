import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type InspectorServer, startInspectorServer } from '../../../src/faces/inspector/inspector-server.ts'
import { MAX_WAITING_BYTES } from '../../../src/faces/inspector/socket-viewer.ts'
import { installedWs, type WsPackage } from '../../../src/faces/inspector/ws-package.ts'
import { type InspectionRelay, inspectionRelay } from '../../../src/host.ts'
import { LONE, type Rig, rig, settle } from '../../runtime/rig.ts'
import { isServed, receiver } from './real-server.ts'

interface Stage extends Rig {
  readonly relay: InspectionRelay
  readonly server: InspectorServer
  readonly port: number
  readonly told: string[]
  serve(id: string): Promise<void>
}

async function stage(): Promise<Stage> {
  const relay = inspectionRelay()
  const told: string[] = []
  const server = await startInspectorServer({ relay, port: 0, ws: installedWs() as WsPackage, tell: (line) => told.push(line) })
  onTestFinished(() => server.close())
  const base = rig({ config: LONE, ports: { inspect: relay.inspect } })
  onTestFinished(() => base.kernel.stop())
  return {
    ...base,
    relay,
    server,
    port: Number(new URL(server.url).port),
    told,
    async serve(id) {
      const turn = base.kernel.turn({ id, prompt: 'hi', sinks: ['event'] })
      await settle()
      base.last().text('hello').final()
      expect((await turn.outcome).kind).toBe('ok')
      await settle()
    },
  }
}

/** Asks as a client that writes its own headers, and answers the status line of what comes back. */
async function statusOf(port: number, headers: readonly string[], version = '1.1'): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write([`GET / HTTP/${version}`, ...headers, '', ''].join('\r\n'))
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return String(first).split('\r\n')[0] ?? ''
}

const UPGRADE = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']

/** A viewer that has shaken hands, and of which a test holds the bare socket. */
async function bareViewer(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  socket.write([`GET / HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...UPGRADE, '', ''].join('\r\n'))
  await once(socket, 'data')
  return socket
}

/** The sizes of what the next viewers of a relay take. */
function takenBy(relay: InspectionRelay): number[] {
  const sizes: number[] = []
  const { attach } = relay
  const counted: InspectionRelay['attach'] = (viewer, options) =>
    attach({ ...viewer, take: (message) => sizes.push(JSON.stringify(message).length) > 0 && viewer.take(message) }, options)
  Object.assign(relay, { attach: counted })
  return sizes
}

describe('WEB-01 WEB-06 the server for inspectors', () => {
  const foreign: [string, (port: number) => string[], string?][] = [
    ['another name', () => ['Host: evil.example']],
    ['a name that begins like its own', (port) => [`Host: localhost.evil.example:${port}`]],
    ['another port', (port) => [`Host: 127.0.0.1:${port + 1}`]],
    ['no name', () => [], '1.0'],
    ['an empty name', () => ['Host:']],
    ['its own name from a page of another site', (port) => [`Host: 127.0.0.1:${port}`, 'Origin: https://evil.example']],
    ['its own name from the page of Stately', (port) => [`Host: localhost:${port}`, 'Origin: https://stately.ai']],
    ['its own name from a page without an origin', (port) => [`Host: 127.0.0.1:${port}`, 'Origin: null']],
    ['its own name from a page on another port', (port) => [`Host: 127.0.0.1:${port}`, `Origin: http://127.0.0.1:${port + 1}`]],
  ]

  test.each(foreign)('answers 403 to a request for %s, with and without an upgrade', async (_, headersFor, version) => {
    const { port, relay } = await stage()
    const before = relay.messages().length
    const headers = headersFor(port)
    expect(await statusOf(port, [...headers, 'Connection: close'], version)).toBe('HTTP/1.1 403 Forbidden')
    expect(await statusOf(port, [...headers, ...UPGRADE], '1.1')).toBe('HTTP/1.1 403 Forbidden')
    expect(relay.messages()).toHaveLength(before)
  })

  test.each([
    ['an address', (port: number) => [`Host: 127.0.0.1:${port}`]],
    ['a name', (port: number) => [`Host: LOCALHOST:${port}`]],
    ['a name, from its own page', (port: number) => [`Host: localhost:${port}`, `Origin: http://localhost:${port}`]],
  ])('lets a viewer in that asks for %s', async (_, headersFor) => {
    const { port } = await stage()
    expect(await statusOf(port, [...headersFor(port), ...UPGRADE])).toBe('HTTP/1.1 101 Switching Protocols')
  })
})

describe('WEB-02 WEB-06 the server for inspectors', () => {
  test('listens on 127.0.0.1 and nowhere else', async () => {
    const { server, port } = await stage()
    expect(server.url).toBe(`ws://127.0.0.1:${port}`)
    const others = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).filter(({ internal }) => !internal))
    for (const host of ['::1', '127.0.0.2', ...others.map(({ address, scopeid }) => (scopeid ? `${address}%${scopeid}` : address))]) {
      const socket = connect(port, host)
      const answer = await Promise.race([once(socket, 'connect').then(() => 'connected'), once(socket, 'error').then(() => 'refused')]).catch(
        () => 'refused',
      )
      socket.destroy()
      expect([host, answer]).toEqual([host, 'refused'])
    }
  })
})

describe('WEB-06 the page of the server for inspectors', () => {
  test('is a line of text: no frame, no script, nothing posted to a window, nothing of another site', async () => {
    const { port } = await stage()
    const response = await fetch(`http://127.0.0.1:${port}/`)
    const text = await response.text()
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(text).toContain(`ws://127.0.0.1:${port}`)
    expect(text).not.toMatch(/<|iframe|script|postMessage|https?:|stately/i)
  })

  test('changes nothing, whoever asks how', async () => {
    const { port } = await stage()
    const sent = request({ port, host: '127.0.0.1', method: 'POST' }).end('stop')
    const [response] = await once(sent, 'response')
    expect(response.statusCode).toBe(405)
    response.resume()
  })
})

describe('WEB-06 a viewer of the server for inspectors', () => {
  test('that comes late knows every live actor and its last state', async () => {
    const { server, serve, kernel, relay } = await stage()
    for (let n = 0; n < 40; n++) await serve(`turn-${n}`)
    kernel.turn({ id: 'open', prompt: 'hi', sinks: ['event'] })
    await settle()
    // The one of the package, by its own function.
    const viewer = receiver(server.url)
    await viewer.until((message) => message.type === '@xstate.actor' && message.name === 'turn open')
    const names = viewer.seen.flatMap((message) => (message.type === '@xstate.actor' ? [message.name] : []))
    expect(names).toEqual(expect.arrayContaining(['supervisor', 'engine-a.x', 'turn open', 'turn turn-39']))
    const served = viewer.until(isServed(viewer.seen, 'turn after'))
    await serve('after')
    await served
    const actors = relay.messages().filter(({ type }) => type === '@xstate.actor')
    expect(new Set(viewer.seen.map(({ sessionId }) => sessionId))).toEqual(new Set(actors.map(({ sessionId }) => sessionId)))
  })

  test('that goes and comes back is given everything again', async () => {
    const { server, serve } = await stage()
    await serve('one')
    const first = receiver(server.url)
    await first.until(isServed(first.seen, 'turn one'))
    const socket = await bareViewer(Number(new URL(server.url).port))
    socket.resetAndDestroy()
    await serve('two')
    const second = receiver(server.url)
    await second.until(isServed(second.seen, 'turn two'))
    expect(isServed(second.seen, 'turn one')).toBeTypeOf('function')
    expect(second.seen.filter(isServed(second.seen, 'turn one'))).not.toHaveLength(0)
  })

  test.each<[string, (socket: Socket) => void]>([
    ['bytes that are no frame', (socket) => void socket.write(Buffer.alloc(4096, 0xff))],
    ['a frame without a mask', (socket) => void socket.write(Buffer.from([0x81, 2, 104, 105]))],
    ['a message beyond what is read', (socket) => void socket.write(Buffer.from([0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4]))],
    ['text that is no UTF-8', (socket) => void socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]))],
    ['a reset', (socket) => void socket.resetAndDestroy()],
  ])('that sends %s is let go of, and the run goes on', async (_, send) => {
    const { port, serve, server } = await stage()
    const socket = await bareViewer(port)
    socket.resume()
    const gone = once(socket, 'close')
    send(socket)
    await gone
    await serve('one')
    const viewer = receiver(server.url)
    await viewer.until(isServed(viewer.seen, 'turn one'))
  })

  test('that talks is not heard, and still told', async () => {
    const { server, serve } = await stage()
    const socket = new (installedWs() as WsPackage).WebSocket(server.url, {}) as unknown as WebSocket & NodeJS.EventEmitter
    onTestFinished(() => socket.close())
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: '@xstate.event', event: { type: 'supervisor.stop' } }))
    const viewer = receiver(server.url)
    const served = viewer.until(isServed(viewer.seen, 'turn one'))
    await serve('one')
    await served
    expect(viewer.seen.some((message) => 'event' in message && message.event.type === 'supervisor.stop')).toBe(false)
  })

  test('that reads nothing costs bounded memory, is told of once, and has every actor when it reads again', async () => {
    const { port, serve, relay, told } = await stage()
    const taken = takenBy(relay)
    const socket = await bareViewer(port)
    socket.pause()
    const actorRef = { sessionId: 'flood', id: 'flood', logic: {} } as never
    relay.inspect({ type: '@xstate.actor', rootId: 'flood', actorRef })
    const flood = { type: '@xstate.event', rootId: 'flood', actorRef, sourceRef: undefined, event: { type: 'e'.repeat(16_000) } } as const
    for (let n = 0; n < 2_000; n++) relay.inspect(flood)
    const waiting = taken.reduce((sum, size) => sum + size, 0)
    // Beyond ours is what the system itself keeps for a socket.
    expect(waiting).toBeGreaterThan(MAX_WAITING_BYTES)
    expect(waiting).toBeLessThan(MAX_WAITING_BYTES + 12 * 1024 * 1024)
    const stopped = taken.length
    await serve('unseen')
    expect(taken).toHaveLength(stopped)
    let tail = ''
    const caught = new Promise<void>((resolve) =>
      socket.on('data', (bytes) => {
        tail = `${tail.slice(-20)}${bytes.toString('latin1')}`
        if (tail.includes('turn unseen')) resolve()
      }),
    )
    socket.resume()
    await caught
    expect(told).toEqual([expect.stringMatching(/^inspector: a viewer is slow; \d+ messages were left out, and it was given every actor afresh$/)])
  })

  test('is one of sixteen at the most', async () => {
    const { port } = await stage()
    for (let n = 0; n < 16; n++) await bareViewer(port)
    expect(await statusOf(port, [`Host: 127.0.0.1:${port}`, ...UPGRADE])).toBe('HTTP/1.1 503 Service Unavailable')
  })

  test('has all that was told when the process ends', async () => {
    const { server, serve } = await stage()
    const viewer = receiver(server.url)
    await viewer.until(() => true)
    await serve('one')
    await server.close()
    expect(viewer.seen.some(isServed(viewer.seen, 'turn one'))).toBe(true)
  })
})
