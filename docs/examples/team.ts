// Two participants on one thread: a limit and a handoff, a question to the person, a sleep until the reset, and everybody done.
// The engine is scripted and the clock is virtual: no network, and the hour until the reset takes no time.
import { createKernel } from 'relevo'
import { scriptedEngine, virtualClock } from 'relevo/testing'
import { filter, firstValueFrom } from 'rxjs'

const engine = scriptedEngine({
  'openai.main/gpt-a': {
    call: [{ ok: 'A draft. @critic what is wrong with it?' }, { ok: 'Mended.\nplay: gate Shall I publish it?' }, { ok: 'Published.\nplay: done' }],
  },
  'ollama.home/small': { call: [{ http: 429, headers: { 'retry-after': '3600' } }, { ok: 'Nothing to add.\nplay: done' }] },
})
const clock = virtualClock(Date.UTC(2030, 0, 1, 22))
const kernel = createKernel(
  {
    primary: null,
    team: { maxIterations: 50 },
    profiles: { 'openai.main': { model: 'gpt-a', apiKey: 'any' }, 'ollama.home': { model: 'small' } },
  },
  { engines: () => engine, clock },
)

const team = kernel.supervise({
  participants: [
    { id: 'writer', provider: 'openai.main', prompt: 'You write the changelog.' },
    { id: 'critic', provider: 'ollama.home', prompt: 'You say what is wrong with it.' },
  ],
  zone: 'UTC',
})
team.log$.subscribe(({ line }) => console.log('*', line))
team.thread$.subscribe(({ participant, text }) => console.log(`${participant ?? 'person'}:`, text.replaceAll('\n', ' | ')))
team.events$.subscribe((event) => event.type === 'gate.opened' && team.approve(event.participant))
const state = (name: string) => firstValueFrom(team.state$.pipe(filter((status) => status.state === name)))

team.say('Write down what is new.')
//> person: Write down what is new.
const { wake } = await state('waiting')
//> writer: A draft. @critic what is wrong with it?
//> * critic is rate limited — @writer takes the turn
//> writer: Mended. | play: gate Shall I publish it?
//> writer: Published. | play: done
//> * nobody can take the turn — waiting for ollama.home, next try at 23:00
clock.moveTo(wake?.at ?? 0)
console.log((await state('paused')).paused)
//> critic: Nothing to add. | play: done
//> * every participant is done; run paused — say something or resume to go on
//> done

// Another process goes on from here: `kernel.supervise({ …, thread, standing })`, with the same thread and this, as JSON.
console.log(team.standing.paused, team.standing.done.join(' and '))
//> done writer and critic
console.log((await team.stop()).reason)
//> stop
await kernel.stop()
