import { request as httpRequest, type IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'
import type { PageEvent } from '../../../src/faces/page/page-event.ts'
import { createPage, type Page, type PageOptions } from '../../../src/faces/page/page-server.ts'
import { PageSources } from '../../../src/faces/page/page-sources.ts'
import { servePage } from '../../../src/faces/page/serve-page.ts'
import { type Rig, rig, TWO } from '../../runtime/rig.ts'
import { folderOf } from '../console.ts'

/** A page on a port of this machine, over a kernel whose attempts are played by hand. */
export interface PageRig extends Rig {
  readonly sources: PageSources
  readonly page: Page
  readonly port: number
  readonly token: string
  ask(path: string, options?: AskOptions): Promise<Answered>
  order(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answered>
  look(headers?: Readonly<Record<string, string>>): Promise<Looker>
  close(): Promise<void>
}

export interface AskOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Uint8Array
  /** Without the one that a client sends by itself. */
  readonly noHost?: boolean
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** The files of a page, as small as they can be. */
export const FILES = { 'index.html': '<!doctype html><title>page</title>', 'page.js': 'export {}', 'page.css': 'body {}' }

export async function pageRig(options: Partial<PageOptions> = {}): Promise<PageRig> {
  const clock: { now(): number } = { now: () => 0 }
  const sources = new PageSources(() => clock.now())
  const kernel = rig({ config: TWO, ports: sources.ports('main', { clock }) })
  clock.now = () => kernel.clock.now()
  const page = createPage({ sources, title: 'a test', host: '127.0.0.1', showsText: false, folder: folderOf(FILES), ...options })
  sources.follow('main', kernel.kernel, kernel.clock)
  page.orderKernel('main', kernel.kernel)
  const served = await servePage(page, { host: '127.0.0.1', port: 0 })
  const url = new URL(served.address)
  const port = Number(url.port)
  const token = url.hash.replace('#token=', '')
  onTestFinished(async () => {
    await served.close()
    sources.close()
    await kernel.kernel.stop()
  })
  return {
    ...kernel,
    sources,
    page,
    port,
    token,
    ask: (path, asked) => ask(port, path, asked),
    order: (body, headers = { 'x-relevo-token': token }) =>
      ask(port, '/api/orders', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }),
    look: (headers = {}) => Looker.at(port, headers),
    close: () => served.close(),
  }
}

function ask(port: number, path: string, { method = 'GET', headers = {}, body, noHost = false }: AskOptions = {}): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false, setHost: !noHost }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(parts).toString() }))
      response.on('error', reject)
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

/** One who looks on: everything that it was told. */
export class Looker {
  readonly events: PageEvent[] = []
  readonly response: IncomingMessage
  raw = ''
  #rest = ''
  #waiting: { readonly until: (event: PageEvent) => boolean; readonly found: () => void }[] = []

  private constructor(response: IncomingMessage) {
    this.response = response
    response.setEncoding('utf8')
    response.on('data', (text: string) => this.#take(text))
    response.on('error', () => {})
  }

  static at(port: number, headers: Readonly<Record<string, string>>): Promise<Looker> {
    return new Promise((resolve, reject) => {
      const asked = httpRequest({ host: '127.0.0.1', port, path: '/api/events', headers, agent: false }, (response) => {
        onTestFinished(() => void response.destroy())
        resolve(new Looker(response))
      })
      asked.on('error', reject)
      asked.end()
    })
  }

  /** Resolves once an event is told, or was, of which this holds. */
  told(until: (event: PageEvent) => boolean): Promise<void> {
    if (this.events.some(until)) return Promise.resolve()
    return new Promise((found) => void this.#waiting.push({ until, found }))
  }

  ended(): Promise<void> {
    return new Promise((resolve) => void this.response.on('close', () => resolve()))
  }

  #take(text: string): void {
    this.raw += text
    const messages = (this.#rest + text).split('\n\n')
    this.#rest = messages.pop() ?? ''
    for (const message of messages) {
      const [, data] = /^data: (.*)$/m.exec(message) ?? []
      if (data === undefined) continue
      const event = JSON.parse(data) as PageEvent
      this.events.push(event)
      for (const { until, found } of this.#waiting) if (until(event)) found()
    }
  }
}

/** A fact of a turn of that type. */
export function fact(type: string): (event: PageEvent) => boolean {
  return (event) => event.type === 'turn.told' && event.fact.type === type
}
