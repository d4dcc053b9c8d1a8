import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerTo } from './answer.ts'
import { perform, type RequestEnd } from './perform.ts'
import { credentialOf, fieldOf, type LoopbackRequest, type MutableRequest, parsed, plainHeaders, readBody } from './recorded.ts'
import { type LoopbackScript, type ScriptedCallItem, type ScriptedStreamItem, scriptProblems } from './script.ts'
import { type Answer, type AnswerContext, CannotSay, type Route, type Voice } from './voice.ts'
import { LOOPBACK_PROTOCOLS, type LoopbackProtocol, routeOf, voiceOf } from './voices.ts'

/**
 * A provider on 127.0.0.1 that speaks the real protocols and does what a script says.
 *
 * 1. Nothing is answered beyond the script: an unscripted request gets status 500, and is recorded as such.
 * 2. Everything that was asked is recorded, in order of arrival.
 * 3. `close()` ends every connection and timer; no handle is left.
 */
export interface LoopbackOptions {
  readonly script: LoopbackScript
  /** Speak only this protocol and check at the start that it has words for the whole script; left out: every protocol, checked at each request. */
  readonly protocol?: LoopbackProtocol | undefined
  /** Every scripted wait is multiplied by it, down to 1 ms; 1 by default. */
  readonly timeScale?: number | undefined
  /** Credential → label of the entries that it serves (`{ k1: 'a.x#1' }`), for pools, which share an address. */
  readonly credentials?: Readonly<Record<string, string>> | undefined
}

export interface LoopbackProvider {
  /**
   * Base address of a profile or entry (`a.x`, `a.x#1`, `a.x/m1`), below which the protocols have their usual paths
   * (`/v1/chat/completions`, `/v1/messages`). Without a name: the root, whose script is keyed by the model alone.
   */
  url(profileOrEntry?: string): string
  /** The same with `/v1`, as the `endpoint` of a profile of any protocol. */
  endpoint(profileOrEntry?: string): string
  /** What was asked, in order of arrival. Grows while the server runs. */
  readonly requests: readonly LoopbackRequest[]
  /** Resolves with the n-th request (from 1) once it has arrived whole. */
  requested(n: number): Promise<LoopbackRequest>
  /** How many connections are open now, idle ones included. */
  connections(): Promise<number>
  /** Requests that the script did not provide for, or that could not be answered as scripted, a line each. */
  readonly problems: readonly string[]
  close(): Promise<void>
}

const KEEP_ALIVE_MS = 60_000

/** Starts the server on a free port. Rejects with every problem of the script, a line each. */
export async function startLoopbackProvider(options: LoopbackOptions): Promise<LoopbackProvider> {
  const problems = scriptProblems(options.script)
  if (problems.length === 0 && options.protocol !== undefined) problems.push(...unsayable(options.script, voiceOf(options.protocol)))
  if (problems.length > 0) throw new Error(`The loopback script cannot be performed:\n${problems.join('\n')}`)
  const host = new LoopbackHost(options)
  await host.listen()
  return host
}

function unsayable(script: LoopbackScript, voice: Voice): string[] {
  const problems: string[] = []
  const attempt = (item: ScriptedCallItem | ScriptedStreamItem, mode: 'call' | 'stream', path: string): void => {
    try {
      answerTo(item, { voice, mode, identity: { n: 0, model: 'm', created: 0 }, asked: { usage: true }, takesGzip: true })
    } catch (error) {
      problems.push(`${path}: ${(error as Error).message}`)
    }
  }
  for (const [entry, queues] of Object.entries(script)) {
    queues.call?.forEach((item, index) => void attempt(item, 'call', `${entry} call[${index}]`))
    queues.stream?.forEach((item, index) => void attempt(item, 'stream', `${entry} stream[${index}]`))
  }
  return problems
}

class LoopbackHost implements LoopbackProvider {
  readonly requests: MutableRequest[] = []
  readonly problems: string[] = []
  readonly #options: LoopbackOptions
  readonly #voices: readonly Voice[]
  readonly #server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 })
  readonly #closing = new AbortController()
  readonly #used = new Map<string, number>()
  readonly #waiting: { n: number; resolve: (request: LoopbackRequest) => void }[] = []
  #arrived = 0
  #port = 0

  constructor(options: LoopbackOptions) {
    this.#options = options
    // Each request that is under way listens; Node takes eleven for a leak and says so in the output of whoever tests.
    setMaxListeners(0, this.#closing.signal)
    this.#voices = (options.protocol === undefined ? LOOPBACK_PROTOCOLS : [options.protocol]).map(voiceOf)
    this.#server.on('request', (incoming, response) => void this.#serve(incoming, response))
    // A client that breaks off in mid-request is recorded by its request; there is nothing to answer.
    this.#server.on('clientError', (_error, socket) => socket.destroy())
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', resolve)
    })
    this.#port = (this.#server.address() as AddressInfo).port
  }

  url(profileOrEntry = ''): string {
    const profile = profileOrEntry.split(/[/#]/)[0] ?? ''
    return `http://127.0.0.1:${this.#port}${profile === '' ? '' : `/${encodeURIComponent(profile)}`}`
  }

  endpoint(profileOrEntry = ''): string {
    return `${this.url(profileOrEntry)}/v1`
  }

  requested(n: number): Promise<LoopbackRequest> {
    const there = this.requests[n - 1]
    if (there !== undefined) return Promise.resolve(there)
    return new Promise((resolve) => void this.#waiting.push({ n, resolve }))
  }

  connections(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
    })
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()))
    this.#closing.abort('server_closed')
    this.#server.closeAllConnections()
    await closed
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = Date.now()
    const gone = new AbortController()
    let breaking = false
    response.on('error', () => {})
    response.on('close', () => {
      if (!response.writableFinished && !breaking) gone.abort('client_gone')
    })
    const closing = (): void => gone.abort('server_closed')
    if (this.#closing.signal.aborted) closing()
    this.#closing.signal.addEventListener('abort', closing, { once: true })
    const text = await readBody(incoming)
    if (text === null) {
      response.destroy()
      this.#closing.signal.removeEventListener('abort', closing)
      return
    }
    const ended = settled<RequestEnd>()
    const quiet = settled<unknown>()
    const request = this.#record(incoming, text, startedAt, { ended: ended.promise, quiet: quiet.promise })
    const { answer, afterMs } = this.#answer(request)
    const end = await perform(answer, afterMs, response, {
      gone: gone.signal,
      timeScale: this.#options.timeScale ?? 1,
      sent: (bytes) => {
        request.bytesSent += bytes
      },
      quiet: () => quiet.resolve(undefined),
      breaking: () => {
        breaking = true
      },
    })
    this.#closing.signal.removeEventListener('abort', closing)
    request.end = end
    request.abortedByClient = end === 'client_gone'
    quiet.resolve(undefined)
    ended.resolve(end)
  }

  #record(incoming: IncomingMessage, text: string, startedAt: number, points: Pick<LoopbackRequest, 'ended' | 'quiet'>): MutableRequest {
    const body = parsed(text)
    const request: MutableRequest = {
      n: ++this.#arrived,
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      entry: null,
      mode: fieldOf(body, 'stream') === true ? 'stream' : 'call',
      headers: plainHeaders(incoming),
      body,
      startedAt,
      unscripted: false,
      bytesSent: 0,
      end: null,
      abortedByClient: false,
      ...points,
    }
    this.requests.push(request)
    for (const waiter of this.#waiting.filter((one) => one.n === request.n)) waiter.resolve(request)
    return request
  }

  #answer(request: MutableRequest): { answer: Answer; afterMs: number } {
    const pathname = new URL(request.path, 'http://loopback').pathname
    const route = request.method === 'POST' ? routeOf(this.#voices, pathname, request.body) : undefined
    if (route === undefined) return this.#unscripted(request, `no protocol is spoken at ${request.method} ${pathname}`)
    const { voice, model, mode } = route
    request.mode = mode
    const label = this.#options.credentials?.[credentialOf(request)] ?? decodeURIComponent(route.base).replace(/^\//, '')
    if (model === '') return this.#unscripted(request, 'the request names no model')
    const next = this.#next(label, model, mode)
    if (next === undefined) return this.#unscripted(request, `nothing is scripted for ${nameOf(label, model)} (${mode})`)
    request.entry = next.entry
    try {
      const afterMs = 'timeout' in next.item ? 0 : 'afterMs' in next.item ? (next.item.afterMs ?? 0) : 0
      return { answer: answerTo(next.item, contextOf(voice, request, route)), afterMs }
    } catch (error) {
      if (!(error instanceof CannotSay)) throw error
      return this.#unscripted(request, error.message)
    }
  }

  #next(label: string, model: string, mode: 'call' | 'stream'): { entry: string; item: ScriptedCallItem | ScriptedStreamItem } | undefined {
    const entry = [nameOf(label, model), nameOf(label, '*')].find((name) => Object.hasOwn(this.#options.script, name))
    if (entry === undefined) return undefined
    const queue = `${mode} ${entry}`
    const index = this.#used.get(queue) ?? 0
    const item = this.#options.script[entry]?.[mode]?.[index]
    if (item === undefined) return undefined
    this.#used.set(queue, index + 1)
    return { entry, item }
  }

  #unscripted(request: MutableRequest, why: string): { answer: Answer; afterMs: number } {
    request.unscripted = true
    const message = `unscripted request ${request.n}, ${request.method} ${request.path}: ${why}`
    this.problems.push(message)
    const bytes = JSON.stringify({ error: { message, type: 'unscripted', param: null, code: 'unscripted' } })
    const steps = [{ do: 'write', bytes }, { do: 'end' }] as const
    return { answer: { kind: 'response', status: 500, headers: { 'content-type': 'application/json' }, steps }, afterMs: 0 }
  }
}

/** A promise that is resolved from outside. */
function settled<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

function contextOf(voice: Voice, request: LoopbackRequest, { model, mode }: Route): AnswerContext {
  const usage = fieldOf(fieldOf(request.body, 'stream_options'), 'include_usage') === true
  const takesGzip = /\bgzip\b/i.test(request.headers['accept-encoding'] ?? '')
  return { voice, mode, identity: { n: request.n, model, created: Math.floor(request.startedAt / 1000) }, asked: { usage }, takesGzip }
}

function nameOf(label: string, model: string): string {
  return label === '' ? model : `${label}/${model}`
}
