import { BehaviorSubject, filter, map, Observable, Subject } from 'rxjs'
import type { InspectionEvent } from 'xstate'
import type { CheckedTeam, PromptedParticipant } from '../../config/team/check-team.ts'
import type { Post } from '../../model/post.ts'
import type { Member, RunResult, RunState, TeamEnd, TeamFact, TeamRun } from '../../model/team.ts'
import type { TeamEvent, ThreadFact } from '../../model/team-event.ts'
import type { TeamStanding } from '../../model/team-standing.ts'
import { briefing } from '../../policy/team/briefing.ts'
import { mentioned } from '../../policy/team/mention.ts'
import { askedFirst, listedOrder } from '../../policy/team/order.ts'
import { endOfTurn } from '../../policy/team/plays.ts'
import { fruitless } from '../../policy/team/run-result.ts'
import { goesOn, standingOf } from '../../policy/team/standing.ts'
import { type RunningCall, type TeamStatus, teamStatus } from '../../policy/team/team-status.ts'
import { contextOf } from '../thread/context.ts'
import type { Thread } from '../thread/thread.ts'
import { ThreadError } from '../thread/thread-error.ts'
import { RunningTeam } from './running-team.ts'
import { type CallEnd, startCall, type TeamHost } from './team-call.ts'
import type { TeamClock } from './team-clock.ts'
import type { Team, TeamHandle, TeamLine, TeamResult } from './team-door.ts'
import type { TeamEngines } from './team-engines.ts'

/**
 * A team on a kernel: what it is told to say, asked to call and sees happen, around the run that decides (`RunningTeam`).
 *
 * 1. A post is in the thread before anybody hears that the turn came off; what the post says of what comes next is read from the post.
 * 2. A post that the thread does not take is kept, and goes in before its participant is called again: no answer is paid for twice.
 * 3. Where the run stands is true at every event, so that a host that writes it down at each can go on from any of them.
 */
export interface SupervisedParts {
  readonly host: TeamHost
  readonly engines: TeamEngines
  readonly members: readonly Member[]
  readonly checked: CheckedTeam
  readonly thread: Thread
  readonly clock: TeamClock
  readonly zone: string
  readonly id: string
  readonly inspect: ((event: InspectionEvent) => void) | undefined
}

export class SupervisedTeam implements TeamHandle {
  readonly thread: Thread
  readonly done: Promise<TeamResult>
  readonly events$: Observable<TeamEvent>
  readonly log$: Observable<TeamLine>
  readonly thread$: Observable<Post>
  readonly state$: Observable<TeamStatus>
  readonly #parts: SupervisedParts
  readonly #ids: readonly string[]
  readonly #participants: ReadonlyMap<string, PromptedParticipant>
  readonly #team: RunningTeam
  readonly #events = new Subject<TeamEvent>()
  readonly #posts = new Subject<Post>()
  readonly #status: BehaviorSubject<TeamStatus>
  readonly #gatePosts = new Map<string, number>()
  readonly #unposted = new Map<string, Unposted>()
  readonly #lost: TeamStanding['run']
  #state: RunState = 'paused'
  #since: number
  #running: RunningCall | null = null
  #lastPost = 0
  #runPost = 0
  /** Calls of the turn that was called last. */
  #called = { n: 0, calls: 0 }
  #end: TeamEnd | null = null
  #finish: (result: TeamResult) => void = () => {}

  constructor(parts: SupervisedParts, team: Team) {
    const { members, checked, thread, clock, zone, inspect } = parts
    this.#parts = parts
    this.thread = thread
    this.#ids = members.map(({ id }) => id)
    this.#participants = new Map(checked.participants.map((participant) => [participant.id, participant]))
    this.#since = clock.now()
    this.done = new Promise((resolve) => {
      this.#finish = resolve
    })
    const posts = thread.posts()
    this.#lastPost = posts.at(-1)?.id ?? 0
    this.#noteGates(posts)
    const { start, lost } = team.standing === undefined ? { start: undefined, lost: null } : goesOn(team.standing, posts, this.#ids)
    this.#lost = lost
    const { order } = checked.settings
    this.#team = new RunningTeam(
      {
        members,
        settings: checked.settings,
        zone,
        choice: team.choice ?? askedFirst(listedOrder(typeof order === 'string' ? null : order)),
        until: team.until,
        start,
      },
      { clock, run: (run) => this.#run(run), onFact: (fact) => this.#take(fact), onHeartbeat: team.onHeartbeat, inspect },
    )
    this.#status = new BehaviorSubject(this.#statusNow())
    this.events$ = this.#events.asObservable()
    this.log$ = this.#events.pipe(
      filter((event) => event.type === 'line.written'),
      map(({ at, line }) => ({ at, line })),
    )
    this.thread$ = this.#posts.asObservable()
    this.state$ = this.#status.asObservable()
  }

  begin(): void {
    if (this.#end !== null) return
    if (this.#lost !== null) this.#tell({ type: 'run.lost', run: this.#lost })
    this.#team.start()
  }

  get status(): TeamStatus {
    return this.#statusNow()
  }

  get standing(): TeamStanding {
    const { clock } = this.#parts
    const isRunning = this.#running !== null
    return standingOf(this.#team.memory, { state: this.#state, isRunning, elapsedMs: clock.elapsedMs(), lastPost: this.#runPost })
  }

  say(text: string): Post {
    const post = this.#append(null, null, text)
    this.#team.messagePosted(mentioned(text, null, this.#ids))
    this.#changed()
    return post
  }

  pause(): void {
    this.#team.pause()
    this.#changed()
  }

  resume(): void {
    this.#team.resume()
    this.#changed()
  }

  approve(participant: string): boolean {
    if (!this.#team.memory.gates.has(participant)) return false
    this.#team.approve(participant)
    this.#tell({ type: 'gate.approved', participant })
    return true
  }

  stop(options: { readonly immediate?: boolean } = {}): Promise<TeamResult> {
    this.#team.stop(options)
    this.#changed()
    return this.done
  }

  #run(run: TeamRun): Observable<RunResult> {
    return new Observable((subscriber) => {
      const end = (result: RunResult): void => {
        subscriber.next(result)
        subscriber.complete()
      }
      const unposted = this.#unposted.get(run.participant)
      if (unposted !== undefined) return end(this.#post(run.participant, unposted))
      const call = this.#parts.engines.callOf(run.entry)
      if (!('plan' in call)) return end({ kind: 'failed', fault: { kind: 'failed', failure: call[0]?.code ?? 'config_error' } })
      const running = startCall(this.#parts.host, call, { turn: this.#nameOf(run.n), participant: run.participant, messages: this.#messagesFor(run) })
      let left = false
      void running.ended.then((ended) => {
        if (!left) end(this.#resultOf(run, ended, call.isProgram))
      })
      return () => {
        left = true
        running.cancel()
      }
    })
  }

  /** Of the second call of a turn and those behind it, the number stands behind that of the turn. */
  #nameOf(n: number): string {
    const calls = this.#called.n === n ? this.#called.calls + 1 : 1
    this.#called = { n, calls }
    return `${this.#parts.id}-${n}${calls === 1 ? '' : `.${calls}`}`
  }

  #messagesFor({ participant, startedBy }: TeamRun): ReturnType<typeof briefing> {
    const characters = this.#parts.checked.settings.contextCharacters
    const { text } = contextOf(this.thread.posts(), { characters, count: this.thread.count })
    const prompt = this.#participants.get(participant)?.prompt ?? ''
    const gate = this.#team.memory.gates.has(participant)
    return briefing({ id: participant, prompt, ids: this.#ids, thread: text, startedBy, gate })
  }

  #resultOf(run: TeamRun, { outcome, last }: CallEnd, isProgram: boolean): RunResult {
    const isAnswer = outcome.kind === 'ok' || outcome.kind === 'incomplete'
    const { post, play } = isAnswer ? endOfTurn(outcome.text) : { post: null, play: null }
    if (post === null && play?.kind === 'wait') return { kind: 'waiting', minutes: play.minutes }
    if (post === null) return fruitless(outcome, { isProgram, last })
    return this.#post(run.participant, { text: post, engine: run.entry.engine, isWhole: outcome.kind === 'ok' })
  }

  /** Puts a post into the thread, then does what its last line says. */
  #post(participant: string, unposted: Unposted): RunResult {
    const { text, engine, isWhole } = unposted
    let post: Post
    try {
      post = this.#append(participant, engine, text)
    } catch (error) {
      if (!ThreadError.isInstance(error)) throw error
      this.#unposted.set(participant, unposted)
      this.#tell({ type: 'post.refused', participant, code: error.code, message: error.message })
      return { kind: 'failed', fault: { kind: 'failed', failure: error.code } }
    }
    this.#unposted.delete(participant)
    // Of a post that was cut at its length the last line is not the last.
    const { play, unread } = isWhole ? endOfTurn(text) : { play: null, unread: null }
    if (unread !== null) this.#tell({ type: 'play.unread', participant, post: post.id })
    if (play?.kind === 'gate') this.#openGate(participant, post.id)
    return { kind: 'posted', limit: null, asked: mentioned(text, participant, this.#ids), done: play?.kind === 'done' }
  }

  #openGate(participant: string, post: number): void {
    this.#gatePosts.set(participant, post)
    this.#team.openGate(participant)
    this.#tell({ type: 'gate.opened', participant, post })
  }

  #append(participant: string | null, engine: string | null, text: string): Post {
    const post = this.thread.append({ at: this.#parts.clock.now(), participant, engine, text })
    this.#lastPost = post.id
    this.#tell({ type: 'post.appended', post: post.id, participant, engine })
    this.#posts.next(post)
    return post
  }

  /** Which post of each participant asked the person last. */
  #noteGates(posts: readonly Post[]): void {
    for (const { id, participant, text } of posts) {
      if (participant !== null && endOfTurn(text).play?.kind === 'gate') this.#gatePosts.set(participant, id)
    }
  }

  #take(fact: TeamFact): void {
    if (fact.type === 'state.entered') {
      this.#state = fact.state
      this.#since = fact.at
    } else if (fact.type === 'run.started') {
      const { n, participant, entry, startedBy } = fact.run
      this.#running = { n, participant, engine: entry.engine, startedBy, since: fact.at }
      this.#runPost = this.#lastPost
    } else if (fact.type === 'run.ended') this.#running = null
    if (fact.type === 'team.ended') this.#end = fact.reason
    this.#emit(fact)
    if (fact.type === 'team.ended') this.#over({ reason: fact.reason })
    if (fact.type === 'team.failed') this.#over({ reason: 'defect', error: fact.error })
  }

  #over(result: Omit<TeamResult, 'status'>): void {
    this.#running = null
    this.#finish({ ...result, status: this.#statusNow() })
    this.#events.complete()
    this.#posts.complete()
    this.#status.complete()
  }

  #tell(fact: ThreadFact): void {
    this.#emit({ ...fact, at: this.#parts.clock.now() })
  }

  #emit(event: TeamEvent): void {
    this.#events.next(event)
    this.#changed()
  }

  #changed(): void {
    this.#status.next(this.#statusNow())
  }

  #statusNow(): TeamStatus {
    const { members, clock } = this.#parts
    return teamStatus({
      members,
      memory: this.#team.memory,
      state: this.#state,
      since: this.#since,
      running: this.#running,
      gatePosts: this.#gatePosts,
      lastPost: this.#lastPost,
      end: this.#end,
      now: clock.now(),
      elapsedMs: clock.elapsedMs(),
    })
  }
}

/** An answer that is not in the thread yet. */
interface Unposted {
  readonly text: string
  readonly engine: string
  /** False for an answer that was cut at its length limit. */
  readonly isWhole: boolean
}
