import { randomBytes } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Kernel, TeamHandle } from '../../index.ts'
import { PageDoor } from './page-door.ts'
import type { PageAnswer, PageParticipant } from './page-event.ts'
import { type PageFile, pageFiles } from './page-files.ts'
import { MOST_ORDER_BYTES, type Ordered, obey } from './page-orders.ts'
import type { PageSources } from './page-sources.ts'
import { PageViewers } from './page-viewers.ts'

/**
 * The page on HTTP: its files, the stream of events, and the orders.
 *
 * 1. A GET changes nothing. What changes something is a POST of JSON with the token of this start, which no form and no page of another site
 *    can send.
 * 2. Nothing of another site is loaded, framed or sent to: each answer says so, also those that refuse.
 * 3. Whatever is sent, it is answered in bounded memory, and the next one is.
 */
export interface PageOptions {
  readonly sources: PageSources
  /** What is looked at. */
  readonly title: string
  /** Where it listens. Beyond this machine nothing is told without the token. */
  readonly host: string
  /** Whether posts are shown with their texts (R36). */
  readonly showsText: boolean
  /** The team that it is about from the beginning. */
  readonly team?: { readonly name: string; readonly participants: readonly PageParticipant[] } | undefined
  /** Where the files of the page are, instead of where the build puts them. */
  readonly folder?: string | undefined
}

export interface Page {
  /** To be put behind the address: `#token=…`. It stands nowhere else. */
  readonly fragment: string
  /** Answers a request for the page; false where the path is none of its. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Orders about holds go to this kernel. */
  orderKernel(name: string, kernel: Pick<Kernel, 'clearHold'>): void
  /** Orders about the team go to this one. */
  orderTeam(team: TeamHandle): void
  /** Ends every stream, and says to the pages that it is over. */
  close(): void
}

export function createPage(options: PageOptions): Page {
  return new PageServer(options)
}

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const HEADERS: OutgoingHttpHeaders = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Beyond it nobody waits for the end of a body that is too long. */
const MOST_DROPPED_BYTES = 8 * MOST_ORDER_BYTES

const EVENTS = '/api/events'
const ORDERS = '/api/orders'

class PageServer implements Page {
  readonly fragment: string
  readonly #door: PageDoor
  readonly #viewers: PageViewers
  readonly #files: ReadonlyMap<string, PageFile> | null
  readonly #kernels = new Map<string, Pick<Kernel, 'clearHold'>>()
  #team: TeamHandle | null = null

  constructor({ sources, title, host, showsText, team = undefined, folder }: PageOptions) {
    const token = randomBytes(32).toString('hex')
    this.fragment = `#token=${token}`
    this.#door = new PageDoor({ host, token })
    this.#files = pageFiles(folder === undefined ? undefined : [folder])
    this.#viewers = new PageViewers(sources, { title, team: team ?? null, takesOrders: true }, showsText)
  }

  readonly handle = (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    const isOfFiles = path === '/' || path === '/page.js' || path === '/page.css' || path === '/favicon.ico'
    if (!isOfFiles && !path.startsWith('/api/')) return false
    const fault = this.#door.misdirected(request)
    if (fault !== null) refuse(response, 403, fault)
    else if (isOfFiles) this.#file(path, request, response)
    else this.#api(path, request, response)
    return true
  }

  orderKernel(name: string, kernel: Pick<Kernel, 'clearHold'>): void {
    this.#kernels.set(name, kernel)
  }

  orderTeam(team: TeamHandle): void {
    this.#team = team
  }

  close(): void {
    this.#viewers.close()
  }

  /** The files hold nothing of what is looked at, and a fragment is sent to nobody: they are there for whoever may come. */
  #file(path: string, { method, headers }: IncomingMessage, response: ServerResponse): void {
    if (method !== 'GET' && method !== 'HEAD') return notAllowed(response, 'GET, HEAD')
    if (path === '/favicon.ico') return void response.writeHead(204, { ...HEADERS, 'cache-control': 'max-age=86400' }).end()
    const file = this.#files?.get(path)
    if (file === undefined) return refuse(response, 503, 'The page was not built. Run npm run build, then start again.')
    const caching = { etag: file.tag, 'cache-control': 'no-cache' }
    if (headers['if-none-match'] === file.tag) return void response.writeHead(304, { ...HEADERS, ...caching }).end()
    response.writeHead(200, { ...HEADERS, ...caching, 'content-type': file.type, 'content-length': file.body.length })
    response.end(method === 'HEAD' ? undefined : file.body)
  }

  #api(path: string, request: IncomingMessage, response: ServerResponse): void {
    if (path !== EVENTS && path !== ORDERS) return refuse(response, 404, 'There is nothing here.')
    const method = path === EVENTS ? 'GET' : 'POST'
    if (request.method !== method) return notAllowed(response, method)
    if ((path === ORDERS || this.#door.isGuarded) && !this.#door.hasToken(request))
      return refuse(response, 403, 'The token of this start is missing or another one: open the page by the address that was printed.')
    if (path === EVENTS) this.#events(response)
    else this.#order(request, response)
  }

  #events(response: ServerResponse): void {
    if (this.#viewers.isFull) return refuse(response, 503, 'As many pages look on as may. Close one of them.')
    response.socket?.setNoDelay(true)
    response.socket?.setTimeout(0)
    response.writeHead(200, {
      ...HEADERS,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // A proxy would keep events back to send many at once.
      'x-accel-buffering': 'no',
    })
    response.on('error', () => response.destroy())
    this.#viewers.add(response)
  }

  #order(request: IncomingMessage, response: ServerResponse): void {
    if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
      return refuse(response, 415, 'An order is JSON: content-type application/json.')
    const parts: Buffer[] = []
    let bytes = 0
    request.on('error', () => response.destroy())
    request.on('data', (part: Buffer) => {
      bytes += part.length
      // What is too much is read and dropped: whoever still writes could not read the answer otherwise.
      if (bytes <= MOST_ORDER_BYTES) parts.push(part)
      else parts.length = 0
      if (bytes > MOST_DROPPED_BYTES) request.destroy()
    })
    request.on('end', () => {
      if (bytes > MOST_ORDER_BYTES) return refuse(response, 413, `An order has at most ${MOST_ORDER_BYTES} bytes.`)
      const ordered: Ordered = { team: this.#team, kernels: this.#kernels }
      const { status, answer } = obey(Buffer.concat(parts), ordered)
      reply(response, status, answer)
    })
  }
}

function notAllowed(response: ServerResponse, allow: string): void {
  response.setHeader('allow', allow)
  refuse(response, 405, `Here is only ${allow}.`)
}

function refuse(response: ServerResponse, status: number, message: string): void {
  reply(response, status, { ok: false, message })
}

function reply(response: ServerResponse, status: number, answer: PageAnswer): void {
  const body = JSON.stringify(answer)
  response.writeHead(status, {
    ...HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  })
  response.end(body)
}
