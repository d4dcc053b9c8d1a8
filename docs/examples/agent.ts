// An agent's loop as one turn of several calls: one decision about who may be called, one name in the ledger, one budget.
// And whose choice of a model counts: an operator's for a session, `auto`, or the effort of the prompt. The engine is scripted: no network.
import { ConfigError, createKernel, type Message } from 'relevo'
import { scriptedEngine } from 'relevo/testing'

const engine = scriptedEngine({
  'anthropic.prod/large': {
    call: [
      { ok: '', toolCalls: [{ id: 'call-1', name: 'read', arguments: '{"path":"a.txt"}' }], usage: { input: 1_000, output: 200 } },
      { ok: 'Both files say the same.', usage: { input: 2_000, output: 100 } },
    ],
  },
  'anthropic.prod/small': {
    call: [{ ok: '', toolCalls: [{ id: 'call-2', name: 'read', arguments: '{"path":"b.txt"}' }], usage: { input: 1_500, output: 50 } }],
  },
  'ollama.home/tiny': { call: [{ ok: 'Read on at home.' }, { ok: 'Hi!' }] },
})
const kernel = createKernel(
  {
    primary: 'anthropic.prod',
    profiles: {
      'anthropic.prod': {
        model: 'large',
        apiKey: 'any',
        price: { large: { input: 3, output: 15 }, small: { input: 1, output: 5 } },
      },
      // Its fallback is for whoever asks for this route; a prompt that was decided to stay here never takes it.
      'ollama.home': { model: 'tiny', fallback: ['anthropic.prod'] },
    },
    modelRoutes: [
      { hint: 'home', modelProvider: 'ollama.home', model: 'tiny' },
      { hint: 'cloud', modelProvider: 'anthropic.prod', model: 'large' },
    ],
    effortRouting: { localHint: 'home', cloudHint: 'cloud', escalation: 'auto' },
    budgets: { perTurn: 0.015 },
  },
  { engines: () => engine },
)

// What would be asked, by whose choice: the nearest scope first; `auto` hands it back to the effort of the prompt.
const planned = (prompt: string, scope: string[] = []): string =>
  kernel
    .plan({ prompt, scope })
    .entries.map(({ profile }) => profile)
    .join(', ')
console.log(planned('Hello.'))
//> ollama.home
console.log(planned('Compare a.txt with b.txt and explain.'))
//> anthropic.prod
kernel.chooseModel('channel:dev', 'hint:cloud')
console.log(planned('Hello.', ['session:7', 'channel:dev']))
//> anthropic.prod
kernel.chooseModel('session:7', 'auto')
console.log(planned('Hello.', ['session:7', 'channel:dev']))
//> ollama.home
// A route that is asked for is a choice and no boundary: its fallbacks may be called.
console.log(kernel.plan({ model: 'hint:home' }).entries.length)
//> 2

// The prompt decides once, when the turn is opened; the calls bring no model of their own.
const prompt = 'Compare a.txt with b.txt and explain.'
const turn = kernel.openTurn({ prompt, scope: ['session:7', 'channel:dev'] })
const messages: Message[] = [{ role: 'user', content: prompt }]
for (;;) {
  const { message, toolCalls } = await turn.call({ messages }).outcome
  console.log(turn.served?.model, turn.cost)
  if (message === null) break
  messages.push(message)
  if (toolCalls.length === 0) break
  for (const { id } of toolCalls) messages.push({ role: 'tool', toolCallId: id, content: 'Lorem ipsum.' })
  // From the next call on: a cheaper model to read on, and the large one for the answer.
  turn.switchModel('anthropic.prod', turn.served?.model === 'large' ? 'small' : 'large')
}
//> large 0.006
//> small 0.00775
//> large 0.01525
console.log(messages.at(-1)?.content)
//> Both files say the same.

// The turn has spent what it may: what is paid by the call is not asked again, what runs at home is.
const { kind, attempts } = await turn.call({ messages }).outcome
console.log(kind, attempts.length)
//> budget 0
turn.switchModel('ollama.home', 'tiny')
await turn.call({ messages }).outcome
console.log(turn.served?.profile, turn.attempts.length, turn.cost)
//> ollama.home 4 0.01525
turn.close()

// A prompt that was decided to stay local stays so, whatever the turn is switched to.
const local = kernel.openTurn({ prompt: 'Hello.' })
try {
  local.switchModel('anthropic.prod', 'large')
} catch (error) {
  if (error instanceof ConfigError) for (const { code, remedy } of error.problems) console.log(`${code}. ${remedy}`)
}
//> not_allowed. Switch to one that is (ollama.home), or ask for a model when the turn is opened.
console.log(await local.call({ prompt: 'Hello.' }).text)
//> Hi!
local.close()

await kernel.stop()
