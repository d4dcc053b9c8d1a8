// Tools: relevo never runs one. It hands the calls over, and takes the results as messages of the next turn.
import { createKernel, type Message, type ToolDefinition } from 'relevo'
import { startLoopbackProvider } from 'relevo/testing'

const provider = await startLoopbackProvider({
  script: {
    'openai.main/gpt-a': {
      call: [{ ok: '', toolCalls: [{ id: 'call-1', name: 'weather', arguments: '{"city":"Lima"}' }] }, { ok: 'It drizzles in Lima.' }],
    },
  },
})
const kernel = createKernel({
  primary: 'openai.main',
  profiles: { 'openai.main': { model: 'gpt-a', apiKey: 'any', endpoint: provider.endpoint('openai.main') } },
})

const tools: ToolDefinition[] = [
  { name: 'weather', description: 'Weather of a city', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
]
const messages: Message[] = [{ role: 'user', content: 'What is the weather in Lima?' }]

for (;;) {
  const { message, toolCalls } = await kernel.turn({ messages, tools }).outcome
  if (message === null) break
  // The answer as history, with what its provider wants back unchanged, such as a signed thought; another provider is never sent that.
  messages.push(message)
  if (toolCalls.length === 0) break
  for (const call of toolCalls) {
    const { city } = JSON.parse(call.arguments)
    messages.push({ role: 'tool', toolCallId: call.id, content: `Drizzle in ${city}.` })
  }
}
for (const { role, content } of messages) console.log(`${role}: ${content}`)
//> user: What is the weather in Lima?
//> assistant:
//> tool: Drizzle in Lima.
//> assistant: It drizzles in Lima.

await kernel.stop()
await provider.close()
