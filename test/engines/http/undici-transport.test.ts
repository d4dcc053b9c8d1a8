import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { WireCall } from '../../../src/engines/http/transport.ts'
import { undiciTransport } from '../../../src/engines/http/undici-transport.ts'
import { deferred } from './server.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** One exchange: what the listener is told in order, the answer to write it with, and a promise for each telling. */
async function exchange() {
  const responses: ServerResponse[] = []
  const server = createServer((request, response) => {
    request.resume()
    responses.push(response)
    server.emit('answering')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  ends.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const transport = undiciTransport()
  ends.push(() => transport.close())
  const told: string[] = []
  let waiting: { readonly what: string; readonly here: () => void } | null = null
  const tell = (what: string): void => {
    told.push(what)
    if (waiting?.what === what) waiting.here()
  }
  const open = async (begun: (call: WireCall) => void = () => {}): Promise<{ call: WireCall; response: ServerResponse }> => {
    const answering = once(server, 'answering')
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const call = transport.open(
      { url, policy: 'local-allowed', headers: {}, body: '{}' },
      {
        onConnected: () => tell('connected'),
        onHead: ({ status }) => tell(`head ${status}`),
        onData: (chunk) => tell(Buffer.from(chunk).toString()),
        onEnd: () => tell('end'),
        onError: (code) => tell(`error ${code}`),
      },
    )
    begun(call)
    await answering
    const response = responses.at(-1)
    if (response === undefined) throw new Error('nobody asked')
    return { call, response }
  }
  const until = (what: string): Promise<unknown> => {
    const here = deferred()
    if (told.includes(what)) here.resolve(undefined)
    else waiting = { what, here: () => here.resolve(undefined) }
    return here.promise
  }
  return { told, open, until, server }
}

/** An exchange that was paused behind the first piece of its answer. */
async function pausedBehind(piece: string) {
  const rig = await exchange()
  const { call, response } = await rig.open()
  response.write(piece)
  await rig.until(piece)
  call.pause()
  return { ...rig, call, response }
}

/** What is on the way between two sockets of this machine arrives within a few turns of the event loop. */
async function rounds(): Promise<void> {
  for (let round = 0; round < 60; round++) await new Promise((resolve) => void setImmediate(resolve))
}

describe('one exchange over undici', () => {
  it('pushes what comes, and its end', async () => {
    const { told, open, until } = await exchange()
    const { response } = await open()
    response.write('a')
    await until('a')
    response.end('b')
    await until('end')
    expect(told).toEqual(['connected', 'head 200', 'a', 'b', 'end'])
  })

  it('pushes nothing between pause and resume, and then in order', async () => {
    const { told, until, call, response } = await pausedBehind('a')
    response.write('b')
    await rounds()
    response.end('c')
    await rounds()
    expect(told).toEqual(['connected', 'head 200', 'a'])
    call.resume()
    await until('end')
    expect(told.join('')).toBe('connectedhead 200abcend')
  })

  it('leaves what comes to the sockets where it was paused before its answer', async () => {
    const { told, open, until } = await exchange()
    const { call, response } = await open((opened) => opened.pause())
    const piece = Buffer.alloc(64 * 1024, 'x')
    let pieces = 0
    // What sockets of this machine hold is far less than the 64 MiB that a reader would take which keeps all.
    while (response.writableLength < 2 ** 20 && pieces++ < 1_024) {
      response.write(piece)
      await rounds()
    }
    expect(pieces).toBeLessThan(1_024)
    expect(told).toEqual(['connected', 'head 200'])
    response.end()
    call.resume()
    await until('end')
  })

  it('tells no end while it is paused', async () => {
    const { told, until, call, response } = await pausedBehind('a')
    response.end()
    await rounds()
    expect(told.at(-1)).toBe('a')
    call.resume()
    await until('end')
  })

  it('stays paused where what was kept brings the next pause', async () => {
    const { told, until, call, response } = await pausedBehind('a')
    response.write('b')
    await rounds()
    call.resume()
    call.pause()
    response.end('c')
    await rounds()
    expect(told).toEqual(['connected', 'head 200', 'a', 'b'])
    call.resume()
    await until('end')
    expect(told).toEqual(['connected', 'head 200', 'a', 'b', 'c', 'end'])
  })

  it('tells nothing after destroy, paused or not, and the connection is gone', async () => {
    const { told, call, response, server } = await pausedBehind('a')
    const gone = once(response, 'close')
    response.write('b')
    await rounds()
    call.destroy()
    call.resume()
    await gone
    await rounds()
    expect(told).toEqual(['connected', 'head 200', 'a'])
    expect(await connectionsOf(server)).toBe(0)
  })

  it('tells of a connection that breaks, also while it is paused', async () => {
    const { told, until, call, response } = await pausedBehind('a')
    response.socket?.resetAndDestroy()
    // What is not read cannot tell that it broke.
    await rounds()
    call.resume()
    await until('error ECONNRESET')
    expect(told.filter((each) => each.startsWith('error') || each === 'end')).toEqual(['error ECONNRESET'])
  })

  it('asks for the next over the same connection', async () => {
    const { open, until, server } = await exchange()
    const { response } = await open()
    response.end('a')
    await until('end')
    await rounds()
    const { response: next } = await open()
    expect(next.socket?.remotePort).toBe(response.req.socket.remotePort)
    next.end()
    expect(await connectionsOf(server)).toBe(1)
  })

  it('leaves what is no answer yet untold', async () => {
    const { told, open, until } = await exchange()
    const { response } = await open()
    response.writeEarlyHints({ link: '</a.css>; rel=preload' })
    await rounds()
    response.end('a')
    await until('end')
    expect(told).toEqual(['connected', 'head 200', 'a', 'end'])
  })
})

function connectionsOf(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve, reject) => server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))))
}
