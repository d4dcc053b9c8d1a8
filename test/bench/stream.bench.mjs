// S1: CPU of a whole streamed request against the floor: undici request + eventsource-parser + JSON.parse + a hand check.
import { createParser } from 'eventsource-parser'
import { Agent, request } from 'undici'
import { createKernel } from '../../dist/index.js'
import { compare, inParallel, print, startProvider } from './measure.mjs'

const PROMPT = [{ role: 'user', content: 'count' }]

async function floor(address, agent) {
  const { statusCode, body } = await request(`${address}/chat/completions`, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: 'Bearer k' },
    body: JSON.stringify({ model: 'bench', messages: PROMPT, stream: true, stream_options: { include_usage: true } }),
  })
  if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`)
  let text = ''
  let finished = false
  const decoder = new TextDecoder()
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') return
      const choice = JSON.parse(data).choices[0]
      if (typeof choice?.delta?.content === 'string') text += choice.delta.content
      if (choice?.finish_reason === 'stop') finished = true
    },
  })
  await new Promise((resolve, reject) => {
    body.on('data', (chunk) => parser.feed(decoder.decode(chunk, { stream: true })))
    body.on('end', resolve)
    body.on('error', reject)
  })
  if (!finished) throw new Error('the floor saw no finish')
  return text.length
}

function kernelFor(address) {
  return createKernel({ primary: 'openai.bench', profiles: { 'openai.bench': { model: 'bench', apiKey: 'k', endpoint: address } } })
}

async function throughSink(kernel) {
  let length = 0
  const turn = kernel.turn({
    messages: PROMPT,
    sinks: {
      event: (event) => {
        if (event.type === 'text') length += event.text.length
      },
    },
  })
  const outcome = await turn.outcome
  if (outcome.kind !== 'ok') throw new Error(`the turn ended ${outcome.kind}`)
  return length
}

async function throughSubscription(kernel) {
  let length = 0
  const turn = kernel.turn({ messages: PROMPT })
  turn.events$.subscribe((event) => {
    if (event.type === 'text') length += event.text.length
  })
  const outcome = await turn.outcome
  if (outcome.kind !== 'ok') throw new Error(`the turn ended ${outcome.kind}`)
  return length
}

async function throughLoop(kernel) {
  let length = 0
  const turn = kernel.turn({ messages: PROMPT })
  for await (const event of turn) if (event.type === 'text') length += event.text.length
  return length
}

const provider = await startProvider()
for (const [events, count, width] of [
  [20, 1024, 32],
  [500, 192, 32],
  [5000, 32, 32],
]) {
  const address = `${provider.address}/${events}`
  const agent = new Agent({ connections: 256 })
  const kernel = kernelFor(address)
  const round = (once) => async () => {
    await inParallel(once, count, width)
    return count
  }
  const rows = await compare([
    { name: 'floor', run: round(() => floor(address, agent)) },
    { name: 'turn, callback sink', run: round(() => throughSink(kernel)) },
    { name: 'turn, RxJS stream subscribed', run: round(() => throughSubscription(kernel)) },
    { name: 'turn, for await', run: round(() => throughLoop(kernel)) },
  ])
  const goals = events < 500 ? {} : { 'turn, callback sink': 1.25, 'turn, RxJS stream subscribed': 1.5 }
  print(`${events} events, ${width} at a time, warm (5 laps of ${count} each), µs CPU a request`, rows, goals)
  await kernel.stop()
  await agent.close()
}
provider.end()
