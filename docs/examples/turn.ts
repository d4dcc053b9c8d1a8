// One turn, streamed: what is shown, how it ended, and whose answer it was.
// The provider is one on this machine; with a real one, leave `endpoint` out and name a key.
import { createKernel, StreamInterruptedAfterOutput, TurnCancelledError, TurnError } from 'relevo'
import { startLoopbackProvider } from 'relevo/testing'

const provider = await startLoopbackProvider({
  script: {
    'openai.main/gpt-a': {
      stream: [
        { events: [{ text: 'Hello ' }, { text: 'there.' }, { final: 'stop' }] },
        { http: 429, headers: { 'retry-after': '30' } },
        { events: [{ text: 'Half of ' }, { eof: true }] },
      ],
    },
    'anthropic.spare/claude-b': { call: [{ ok: 'The spare one answers.' }] },
  },
})

const kernel = createKernel({
  primary: 'openai.main',
  profiles: {
    'openai.main': { model: 'gpt-a', apiKey: 'any', endpoint: provider.endpoint('openai.main'), fallback: ['anthropic.spare'] },
    'anthropic.spare': { model: 'claude-b', apiKey: 'any', endpoint: provider.endpoint('anthropic.spare') },
  },
})

async function ask(prompt: string, signal?: AbortSignal): Promise<void> {
  const turn = kernel.turn({ prompt, signal })
  let shown = ''
  for await (const event of turn) {
    // Pieces of a stream, or a whole answer where a fallback had to answer: one of the two, never both.
    if (event.type === 'text' || event.type === 'answer') shown += event.text
    if (event.type === 'notice') console.log(`(${event.text})`)
  }
  console.log(shown)
  const { kind, served, attempts } = await turn.outcome
  console.log(`${kind}, ${served?.profile ?? 'nobody'}, ${attempts.length}`)
}

await ask('Say hello.')
//> Hello there.
//> ok, openai.main, 1

await ask('Who are you?')
//> (Another model or provider answered.)
//> The spare one answers.
//> ok, anthropic.spare, 2

// `text` is for whoever wants the answer or an error. Here the stream breaks off after a reader has seen some of it.
kernel.clearHold('openai.main')
const turn = kernel.turn({ prompt: 'And now?', sinks: ['event'] })
try {
  console.log(await turn.text)
} catch (error) {
  if (error instanceof StreamInterruptedAfterOutput) console.log(`kept: ${error.outcome.partialText}`)
  else if (error instanceof TurnCancelledError) console.log('cancelled')
  else if (error instanceof TurnError) console.log(`no answer: ${error.code}`)
  else throw error
}
//> kept: Half of

await ask('Too late?', AbortSignal.abort())
//>
//> cancelled, nobody, 0

await kernel.stop()
await provider.close()
