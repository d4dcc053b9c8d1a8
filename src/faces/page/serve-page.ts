import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from './page-server.ts'

/** A page that stands alone. */
export interface ServedPage {
  /** What to open, with the token: `http://127.0.0.1:4141/#token=…`. For the person alone, and for no log. */
  readonly address: string
  close(): Promise<void>
}

export interface ServeOptions {
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
}

const HEAD_MS = 10_000
const BODY_MS = 30_000
/** What a page reads at its end it reads at once. */
const GRACE_MS = 500

/** Listens. Rejects with what the system says of the port. */
export async function servePage(page: Page, { host, port }: ServeOptions): Promise<ServedPage> {
  const server = createServer({ headersTimeout: HEAD_MS, requestTimeout: BODY_MS }, (request, response) => {
    if (page.handle(request, response)) return
    const body = 'There is nothing here.'
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', 'content-length': body.length })
    response.end(body)
  })
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')
    else socket.destroy()
  })
  await listening(server, host, port)
  const bound = server.address() as AddressInfo
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return {
    address: `http://${name}:${bound.port}/${page.fragment}`,
    close: () => closed(page, server),
  }
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host.replace(/^\[|\]$/g, ''), () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function closed(page: Page, server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    page.close()
    server.closeIdleConnections()
  })
}
