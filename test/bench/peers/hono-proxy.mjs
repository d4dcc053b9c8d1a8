// What pipe-proxy.mjs does, on Hono with its server for Node: the same call by `node:http`, answered in a web stream. Takes the base address to
// call; prints its port.
import { Agent, request as call } from 'node:http'
import { Readable } from 'node:stream'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const base = new URL(process.argv[2])
const agent = new Agent({ keepAlive: true })

function called({ method, url, headers, body }) {
  return new Promise((resolve, reject) => {
    const path = base.pathname + new URL(url).pathname.replace(/^\/v1/, '')
    const { host, connection, ...own } = Object.fromEntries(headers)
    const upstream = call({ agent, host: base.hostname, port: base.port, method, path, headers: own }, resolve)
    upstream.on('error', reject)
    Readable.fromWeb(body).pipe(upstream)
  })
}

const app = new Hono()
app.post('*', async ({ req }) => {
  const answer = await called(req.raw)
  return new Response(Readable.toWeb(answer), { status: answer.statusCode, headers: { 'content-type': answer.headers['content-type'] } })
})
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(port))
