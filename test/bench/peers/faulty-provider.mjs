// A chat-completions provider in a process of its own. What it does stands first in the path:
//   whole          the answer, streamed or not
//   cut-<byte>     a stream that ends cleanly at that byte
//   reset-<byte>   a stream that is reset there
//   error-<event>  a stream whose next event after that many is an error
//   limited        429, always
// A call that does not stream gets the whole answer, except from `limited`. `GET /facts` tells where the events of the stream are.
import { createServer } from 'node:http'

const EVENTS = 500
const HEAD = '{"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench","choices":[{"index":0,"delta":'
const words = Array.from({ length: EVENTS }, (_, at) => `token ${at} `)
const frames = [
  `data: ${HEAD}{"role":"assistant","content":""},"finish_reason":null}]}\n\n`,
  ...words.map((word) => `data: ${HEAD}${JSON.stringify({ content: word })},"finish_reason":null}]}\n\n`),
]
const ending = [
  `data: ${HEAD}{},"finish_reason":"stop"}]}\n\n`,
  'data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":500,"total_tokens":509}}\n\n',
  'data: [DONE]\n\n',
]
const stream = Buffer.from([...frames, ...ending].join(''))
const starts = [0]
for (const frame of frames) starts.push(starts.at(-1) + frame.length)
const text = words.join('')
const ERROR = 'data: {"error":{"message":"The engine is overloaded","type":"server_error","param":null,"code":"engine_overloaded"}}\n\n'
const WHOLE = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1700000000,
  model: 'bench',
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 500, total_tokens: 509 },
})
/** A reset may overtake the bytes before it; the failure is to come after them. */
const BEFORE_RESET_MS = 20

function answer(what, at, isStream, response) {
  if (what === 'limited') {
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '30' })
    return response.end('{"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}}')
  }
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
  if (!isStream) return response.end(WHOLE)
  if (what === 'cut') return response.end(stream.subarray(0, at))
  if (what === 'error') return response.end(Buffer.concat([stream.subarray(0, starts[at]), Buffer.from(ERROR)]))
  if (what !== 'reset') return response.end(stream)
  response.write(stream.subarray(0, at), () => setTimeout(() => response.socket?.resetAndDestroy(), BEFORE_RESET_MS))
}

const server = createServer((request, response) => {
  if (request.url === '/facts') return response.end(JSON.stringify({ text, starts }))
  const [what, at] = request.url.split('/')[1].split('-')
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => answer(what, Number(at), JSON.parse(Buffer.concat(chunks).toString()).stream === true, response))
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
