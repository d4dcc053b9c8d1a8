// What a host can ask a kernel: the plan, the holds, the ledger; and new settings while it runs.
// The engine is scripted and the clock is virtual: no network, and a wait of half a minute takes no time.
import { ConfigError, createKernel, type KernelConfig } from 'relevo'
import { scriptedEngine, virtualClock } from 'relevo/testing'

const settings: KernelConfig = {
  primary: 'openai.main',
  profiles: {
    'openai.main': { model: 'gpt-a', apiKey: 'any', fallback: ['ollama.home'], price: { 'gpt-a': { input: 1, output: 4 } } },
    'ollama.home': { model: 'small' },
  },
  modelRoutes: [{ hint: 'home', modelProvider: 'ollama.home', model: 'small' }],
}
const engine = scriptedEngine({
  'openai.main/gpt-a': {
    call: [
      { http: 429, headers: { 'retry-after': '30' } },
      { ok: 'Back again.', usage: { input: 100, output: 10 } },
    ],
  },
  'ollama.home/small': { call: [{ ok: 'From home.' }, { http: 429, headers: { 'retry-after': '60' } }] },
})
const clock = virtualClock(Date.UTC(2030, 0, 1))
const kernel = createKernel(settings, { engines: () => engine, clock })

const planned = (model?: string): string =>
  kernel
    .plan({ model })
    .entries.map(({ profile, skip }) => `${profile} ${skip ?? 'free'}`)
    .join(', ')
console.log(planned())
//> openai.main free, ollama.home free
console.log(planned('hint:home'))
//> ollama.home free

console.log(await kernel.turn({ prompt: 'Hello?' }).text)
//> From home.
console.log(planned())
//> openai.main held, ollama.home free
for (const { key, untilAt, reason } of kernel.holds()) console.log(key, reason, (untilAt - clock.now()) / 1_000)
//> openai.main cooldown 30

// Then both are held, and the turn waits for the first one to come back. Reading events would make it stream, hence `stream: false`.
const turn = kernel.turn({ prompt: 'Anybody?', stream: false })
const waiting = new Promise<void>((resolve) => {
  turn.events$.subscribe((event) => event.type === 'wait.started' && resolve())
})
await waiting
clock.moveTo(clock.now() + 30_000)
console.log(await turn.text)
//> Back again.

for (const { profile, outcome, accepted, cost } of kernel.ledger.rows()) console.log(profile, outcome, accepted, cost)
//> openai.main rate_limited false null
//> ollama.home ok true null
//> ollama.home rate_limited false null
//> openai.main ok true 0.00014

// New settings from the next turn on; wrong ones change nothing. Holds stay.
try {
  kernel.reload({ ...settings, primary: 'openai.mian' })
} catch (error) {
  if (error instanceof ConfigError) for (const { code, path, remedy } of error.problems) console.log(`${path}: ${code}. ${remedy}`)
}
//> primary: unknown_primary. Set `primary` to a configured profile (openai.main, ollama.home).
kernel.reload({ ...settings, primary: 'ollama.home' })
console.log(planned())
//> ollama.home held

await kernel.stop()
