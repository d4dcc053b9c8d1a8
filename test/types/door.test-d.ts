import type { Observable } from 'rxjs'
import { expectTypeOf } from 'vitest'
import type { ActorRefFrom } from 'xstate'
import type { turnMachine } from '../../machines/index.ts'
import type {
  AttemptRequest,
  ChoiceRule,
  Failure,
  FailureKind,
  Identity,
  MessageInput,
  Outcome,
  OutcomeKind,
  Post,
  TeamEnd,
  TeamHandle,
  TeamStanding,
  TeamStatus,
  Thread,
  ToolDefinition,
  ToolDefinitionInput,
  Turn,
  TurnEvent,
} from '../../src/index.ts'
import { askedFirst, createKernel, HTTP_APIS, TurnExhaustedError } from '../../src/index.ts'

// What a TypeScript user of the doors relies on. Checked by tsc (npm run check), never run.

const kernel = createKernel({
  primary: 'anthropic.prod',
  profiles: { 'anthropic.prod': { model: 'claude-sonnet-4-5', apiKey: { env: 'ANTHROPIC_API_KEY' }, fallback: [] } },
  modelRoutes: [{ hint: 'fast', modelProvider: 'anthropic.prod', model: 'claude-haiku-4-5' }],
})

// Settings are typed as they are written: nothing but the primary and its profiles is asked for, and a wrong kind of value is an error here.
// @ts-expect-error `primary` is missing
createKernel({ profiles: {} })
// @ts-expect-error a primary is one profile id
createKernel({ primary: 7, profiles: {} })
// @ts-expect-error `fallback` is a list
createKernel({ primary: 'a.x', profiles: { 'a.x': { fallback: 'b.y' } } })

const turn = kernel.turn({ messages: [{ role: 'user', content: 'hello' }], model: 'hint:fast' })
expectTypeOf(turn).toEqualTypeOf<Turn>()
expectTypeOf(turn.events$).toEqualTypeOf<Observable<TurnEvent>>()
expectTypeOf(turn.outcome).resolves.toEqualTypeOf<Outcome>()
expectTypeOf(turn.text).resolves.toEqualTypeOf<string>()
expectTypeOf(turn).toExtend<AsyncIterable<TurnEvent>>()

// @ts-expect-error a tool result needs its role's own fields, not another role
kernel.turn({ messages: [{ role: 'robot', content: 'hello' }] })

// What has a default can be left out, and what an outcome tells goes into the next request as it is.
kernel.turn({ prompt: 'hello', tools: [{ name: 'weather' }, { name: 'time', description: 'What time it is' }] })
const tools: ToolDefinitionInput[] = [{ name: 'weather', parameters: { type: 'object' } }]
const history: MessageInput[] = [{ role: 'user', content: [{ type: 'image', data: 'iVBORw0KGgo=' }] }]
const { message, text, toolCalls } = await kernel.turn({ messages: history, tools }).outcome
if (message !== null) history.push(message)
history.push({ role: 'assistant', content: text, toolCalls }, { role: 'tool', content: 'drizzle' })
// @ts-expect-error a tool has a name
kernel.turn({ prompt: 'hello', tools: [{ description: 'What time it is' }] })
// @ts-expect-error and no field of another library
kernel.turn({ prompt: 'hello', tools: [{ name: 'weather', inputSchema: {} }] })
// An engine is handed all of it.
declare const asked: AttemptRequest
expectTypeOf(asked.tools).toEqualTypeOf<readonly ToolDefinition[]>()

// Events are told apart by `type` alone.
declare const event: TurnEvent
if (event.type === 'text') expectTypeOf(event).toEqualTypeOf<{ readonly type: 'text'; readonly text: string }>()
if (event.type === 'attempt.failed') expectTypeOf(event.kind).toEqualTypeOf<FailureKind>()
if (event.type === 'turn.ended') expectTypeOf(event.outcome).toEqualTypeOf<Outcome>()
// @ts-expect-error there is no such event
if (event.type === 'attempt.begun') throw new Error('unreachable')

// Requested and served are two identities, and nobody may have served.
declare const outcome: Outcome
expectTypeOf(outcome.kind).toEqualTypeOf<OutcomeKind>()
expectTypeOf(outcome.served).toEqualTypeOf<Identity | null>()
// @ts-expect-error an outcome is read, not written
outcome.text = ''

// Unknown is null, never absent and never 0.
declare const failed: Failure
expectTypeOf(failed.retryAfterMs).toEqualTypeOf<number | null>()
expectTypeOf(outcome.cost).toEqualTypeOf<number | null>()

expectTypeOf(HTTP_APIS).toExtend<readonly string[]>()
expectTypeOf(new Error() as TurnExhaustedError).toExtend<Error>()
expectTypeOf(TurnExhaustedError.isInstance).toBeFunction()

// A chart keeps its states through the door.
declare const actor: ActorRefFrom<typeof turnMachine>
expectTypeOf(actor.getSnapshot().matches('selecting')).toEqualTypeOf<boolean>()
// @ts-expect-error there is no such state
actor.getSnapshot().matches('sleeping')

// A team needs participants and nothing else, and its events are told apart by `type` alone.
const team = kernel.supervise({ participants: [{ id: 'ana', provider: 'anthropic.prod', prompt: 'You review.' }], settings: { maxIterations: 50 } })
expectTypeOf(team).toEqualTypeOf<TeamHandle>()
expectTypeOf(team.state$).toEqualTypeOf<Observable<TeamStatus>>()
expectTypeOf(team.done).resolves.toHaveProperty('reason').toEqualTypeOf<TeamEnd | 'defect'>()
team.events$.subscribe((told) => {
  if (told.type === 'post.lost') expectTypeOf(told.participant).toEqualTypeOf<string>()
  // @ts-expect-error no text of a post is in an event
  if (told.type === 'post.appended') return told.text
})
// @ts-expect-error a participant says who it is
kernel.supervise({ participants: [{ id: 'ana', provider: 'anthropic.prod' }] })
// @ts-expect-error there is no such setting
kernel.supervise({ participants: [], settings: { maxTurns: 7 } })

// A host brings its own thread and rule; what a run leaves is what the next one takes.
const posts: Post[] = []
const thread: Thread = {
  append(post) {
    const whole = { ...post, id: posts.length + 1 }
    posts.push(whole)
    return whole
  },
  posts: () => posts,
  count: 0,
  close() {},
}
const choice: ChoiceRule = ({ ids, position, can }) => ids.filter(can).map((id) => ({ id, position }))[0] ?? null
kernel.supervise({ participants: [], thread, choice: askedFirst(choice), standing: team.standing, until: (turns, now) => turns > 7 || now > 8 })
expectTypeOf(team.standing).toEqualTypeOf<TeamStanding>()
