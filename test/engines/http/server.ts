import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net'
import type { Subscription } from 'rxjs'
import { onTestFinished } from 'vitest'
import type { AttemptRequest, Engine } from '../../../src/engines/contract.ts'
import { resolveHttpEngine } from '../../../src/engines/http/registry.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { profileOf, requestOf } from './request.ts'

/** Loopback servers for the tests of this folder, and one way to run an attempt against them. */
export interface Loopback {
  readonly endpoint: string
  readonly requests: { readonly method: string; readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }[]
  /** Connections ever accepted. */
  readonly connections: () => number
  close(): Promise<void>
}

type Handler = (response: ServerResponse, request: IncomingMessage) => void

export async function httpServer(handle: Handler): Promise<Loopback> {
  const requests: Loopback['requests'] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
      handle(response, request)
    })
    response.on('error', () => {})
  })
  return { ...(await listening(server)), requests }
}

/** A server that has the bare socket: for what is no HTTP. */
export async function socketServer(handle: (socket: Socket) => void): Promise<Loopback> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => {})
    handle(socket)
  })
  return { ...(await listening(server)), requests: [] }
}

/** The server, for as long as the test runs. */
export async function served(starting: Promise<Loopback>): Promise<Loopback> {
  const server = await starting
  onTestFinished(() => server.close())
  return server
}

async function listening(server: Server): Promise<Omit<Loopback, 'requests'>> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}/v1`,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

export const SSE = { 'content-type': 'text/event-stream' }

export interface Run {
  readonly events: ProviderEvent[]
  /** Resolves at the end; rejects if the stream errors, which it never may. */
  readonly done: Promise<void>
  readonly subscription: Subscription
}

export function run(engine: Engine, request: AttemptRequest, onEvent?: (event: ProviderEvent) => void): Run {
  const events: ProviderEvent[] = []
  const observable = engine.attempt(request)
  let settle: { resolve: () => void; reject: (error: unknown) => void }
  const done = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  const subscription = observable.subscribe({
    next: (event) => {
      events.push(event)
      onEvent?.(event)
    },
    complete: () => settle.resolve(),
    error: (error) => settle.reject(error),
  })
  return { events, done, subscription }
}

/** One attempt from its start to its last event. */
export async function attempt(server: Loopback, more: Partial<AttemptRequest> = {}, engine?: Engine): Promise<ProviderEvent[]> {
  const request = requestOf({ ...more, profile: { ...(more.profile ?? profileOf()), endpoint: server.endpoint } })
  const resolver = resolveHttpEngine()
  const used = engine ?? resolver(request.profile)
  if (used === undefined) throw new Error('no engine for the profile')
  try {
    const { events, done } = run(used, request)
    await done
    return events
  } finally {
    await resolver.close()
  }
}

export const failureOf = (events: readonly ProviderEvent[]) => events.flatMap((event) => (event.type === 'failed' ? [event.failure] : []))[0]

/** A promise and its settling, for what a server sees. */
export function deferred() {
  let resolve: (value: unknown) => void = () => {}
  const promise = new Promise((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
