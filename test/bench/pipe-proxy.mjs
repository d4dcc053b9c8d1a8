// The least a proxy can be: node:http in, node:http out, `pipe` both ways, and the connection of a client that leaves cut. It knows nothing of
// what it carries. Takes the base address to call; prints its port.
import { Agent, request as call, createServer } from 'node:http'

const base = new URL(process.argv[2])
const agent = new Agent({ keepAlive: true })

const server = createServer((incoming, outgoing) => {
  const { host, connection, ...headers } = incoming.headers
  const upstream = call({
    agent,
    host: base.hostname,
    port: base.port,
    method: incoming.method,
    path: base.pathname + incoming.url.replace(/^\/v1/, ''),
    headers,
  })
  upstream.on('response', (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers)
    answer.on('error', () => outgoing.destroy())
    answer.pipe(outgoing)
  })
  upstream.on('error', () => outgoing.destroy())
  outgoing.on('close', () => upstream.destroy())
  incoming.pipe(upstream)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
