// A provider in a process of its own, so that its work is not counted: `POST /<n>/chat/completions` streams n text events and the
// terminator, from bytes made once; `POST /json/chat/completions` gives a whole answer. Prints its port.
import { createServer } from 'node:http'

const bodies = new Map()

function bodyOf(count) {
  const made = bodies.get(count)
  if (made !== undefined) return made
  const head = '{"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench","choices":[{"index":0,"delta":'
  let text = ''
  for (let at = 0; at < count; at += 1) text += `data: ${head}{"content":"token ${at} "},"finish_reason":null}]}\n\n`
  text += `data: ${head}{},"finish_reason":"stop"}]}\n\n`
  text += 'data: {"id":"chatcmpl-bench","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":12,"total_tokens":21}}\n\n'
  text += 'data: [DONE]\n\n'
  const bytes = Buffer.from(text)
  // As a provider writes it: a few events a packet, never the whole answer at once.
  const pieces = []
  const size = Math.ceil(bytes.length / Math.max(1, Math.ceil(count / 8)))
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  bodies.set(count, pieces)
  return pieces
}

const whole = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'bench',
    choices: [{ index: 0, message: { role: 'assistant', content: 'A short answer in one piece.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
  }),
)

const server = createServer((request, response) => {
  if (request.url.startsWith('/json/')) {
    request.resume()
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length })
      response.end(whole)
    })
    return
  }
  const count = Number(request.url.split('/')[1])
  request.resume()
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const pieces = bodyOf(count)
    let at = 0
    const write = () => {
      while (at < pieces.length) if (!response.write(pieces[at++])) return response.once('drain', write)
      response.end()
    }
    write()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
