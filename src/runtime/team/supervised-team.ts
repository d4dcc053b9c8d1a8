import { filter, map, Observable, ReplaySubject, Subject } from 'rxjs'
import type { InspectionEvent } from 'xstate'
import type { CheckedTeam, PromptedParticipant } from '../../config/team/check-team.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Post } from '../../model/post.ts'
import type { Member, RunResult, RunState, TeamEnd, TeamFact, TeamRun } from '../../model/team.ts'
import type { TeamEvent, ThreadFact } from '../../model/team-event.ts'
import type { TeamStanding } from '../../model/team-standing.ts'
import { notice } from '../../policy/notice.ts'
import { briefing } from '../../policy/team/briefing.ts'
import { askedFirst, listedOrder } from '../../policy/team/order.ts'
import { endOfTurn } from '../../policy/team/plays.ts'
import { postSays } from '../../policy/team/post-says.ts'
import { fruitless } from '../../policy/team/run-result.ts'
import { goesOn, standingOf } from '../../policy/team/standing.ts'
import { type RunningCall, type TeamStatus, teamStatus } from '../../policy/team/team-status.ts'
import { TeamSpending } from '../spending.ts'
import { contextOf } from '../thread/context.ts'
import type { Thread } from '../thread/thread.ts'
import { InTurn } from './in-turn.ts'
import { type Answer, Posting } from './posting.ts'
import { RunningTeam } from './running-team.ts'
import { type CallEnd, startCall, type TeamHost } from './team-call.ts'
import type { TeamClock } from './team-clock.ts'
import type { Team, TeamHandle, TeamLine, TeamResult } from './team-door.ts'
import type { EntryCall, TeamEngines } from './team-engines.ts'

/**
 * A team on a kernel: what it is told to say, asked to call and sees happen, around the run that decides (`RunningTeam`).
 *
 * 1. A post is in the thread before anybody hears that the turn came off; what the post says of what comes next is read from the post.
 * 2. A post that the thread does not take goes in before its participant is called again.
 * 3. Where the run stands is true at every event and at every state, so that a host that writes it down can go on from any of them.
 * 4. Every listener hears the same in the same order, whatever another one does meanwhile.
 * 5. Nothing that a host hands in ends the run but its choice rule: what else of it throws is a failed call.
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
  readonly id: string
  readonly thread: Thread
  readonly done: Promise<TeamResult>
  readonly events$: Observable<TeamEvent>
  readonly log$: Observable<TeamLine>
  readonly thread$: Observable<Post>
  readonly state$: Observable<TeamStatus>
  readonly #parts: SupervisedParts
  readonly #ids: readonly string[]
  readonly #spending: TeamSpending
  readonly #participants: ReadonlyMap<string, PromptedParticipant>
  readonly #team: RunningTeam
  readonly #posting: Posting
  readonly #inTurn = new InTurn()
  readonly #events = new Subject<TeamEvent>()
  readonly #posts = new Subject<Post>()
  readonly #states = new ReplaySubject<TeamStatus>(1)
  readonly #lost: TeamStanding['run']
  #state: RunState
  #since: number
  #running: RunningCall | null = null
  /** The call that was begun last, as the next process would need to know it. */
  #called = { run: 0, n: 0, calls: 0, lastPost: 0, isCut: false }
  #heard: number
  #end: TeamEnd | null = null
  #finish: (result: TeamResult) => void = () => {}

  constructor(parts: SupervisedParts, team: Team) {
    const { members, checked, thread, clock, zone, inspect, id } = parts
    this.#parts = parts
    this.#spending = new TeamSpending(parts.host.core.spending)
    this.id = id
    this.thread = thread
    this.#ids = members.map((member) => member.id)
    this.#participants = new Map(checked.participants.map((participant) => [participant.id, participant]))
    this.#since = clock.now()
    this.done = new Promise((resolve) => {
      this.#finish = resolve
    })
    this.#posting = new Posting({
      thread,
      now: () => clock.now(),
      noticeOf: (attribution) => notice(attribution, parts.host.core.settings.modelFallbackNotice),
      tell: (fact) => this.#tell(fact),
      onPost: (post) => this.#inTurn.tell(() => this.#posts.next(post)),
    })
    this.#heard = this.#posting.lastPost
    const { start, lost } = team.standing === undefined ? { start: undefined, lost: null } : goesOn(team.standing, thread.posts(), members)
    this.#lost = lost
    this.#called.n = start?.begun ?? 0
    this.#state = (start?.paused ?? null) === null ? 'running' : 'paused'
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
    this.#states.next(this.#statusNow())
    this.events$ = this.#events.asObservable()
    this.log$ = this.#events.pipe(
      filter((event) => event.type === 'line.written'),
      map(({ at, line }) => ({ at, line })),
    )
    this.thread$ = this.#posts.asObservable()
    this.state$ = this.#states.asObservable()
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
    const { memory, isPaused } = this.#team
    return standingOf(memory, { isPaused, elapsedMs: this.#parts.clock.elapsedMs(), called: this.#called, heard: this.#heard })
  }

  say(text: string): Post {
    const post = this.#posting.say(text)
    this.#team.messagePosted(postSays(text, null, this.#ids).asked)
    this.#heard = post.id
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
      const kept = this.#posting.keptOf(run.participant)
      if (kept !== undefined) return end(this.#post(run.participant, kept))
      const call = this.#parts.engines.callOf(run.entry)
      if (!('plan' in call)) return end({ kind: 'failed', fault: { kind: 'failed', failure: call[0]?.code ?? 'config_error' } })
      const running = startCall(this.#parts.host, call, {
        turn: this.#nameOf(run.n),
        participant: run.participant,
        messages: this.#messagesFor(run),
        spending: this.#spending,
      })
      let left = false
      running.ended
        .then((ended) => {
          if (!left) end(this.#resultOf(run, ended, call))
        })
        .catch((error: unknown) => subscriber.error(error))
      return () => {
        left = true
        running.cancel()
      }
    })
  }

  /** Of the second call of a turn and those behind it, the number stands behind that of the turn. */
  #nameOf(n: number): string {
    const { calls } = this.#called
    return `${this.#parts.id}-${n}${calls === 1 ? '' : `.${calls}`}`
  }

  #messagesFor({ participant, startedBy }: TeamRun): ReturnType<typeof briefing> {
    const characters = this.#parts.checked.settings.contextCharacters
    const { text } = contextOf(this.thread.posts(), { characters, count: this.thread.count })
    const prompt = this.#participants.get(participant)?.prompt ?? ''
    const gate = this.#team.memory.gates.has(participant)
    return briefing({ id: participant, prompt, ids: this.#ids, thread: text, startedBy, gate })
  }

  #resultOf(run: TeamRun, { outcome, last }: CallEnd, { isProgram, plan }: EntryCall): RunResult {
    const isWhole = outcome.kind === 'ok'
    if (isWhole || outcome.kind === 'incomplete') {
      const { text } = outcome
      const { post, play } = endOfTurn(text)
      if (post !== null || (play !== null && !isWhole)) {
        return this.#post(run.participant, { text, engine: run.entry.engine, isWhole, attribution: this.#attributionOf(run, outcome) })
      }
      if (play?.kind === 'wait') return { kind: 'waiting', minutes: play.minutes }
    }
    return fruitless(outcome, { isProgram, isPool: plan.entries.length > 1, last })
  }

  /** What a participant asks for is the first entry of its chain, whichever one runs (R33). */
  #attributionOf({ participant, entry }: TeamRun, { served, attribution }: Outcome): Outcome['attribution'] {
    const first = this.#parts.members.find(({ id }) => id === participant)?.entries[0]
    if (first === undefined || first.engine === entry.engine || served === null) return attribution
    const call = this.#parts.engines.callOf(first)
    return 'plan' in call ? { requested: call.plan.requested, served } : attribution
  }

  /** Puts a post into the thread, then does what it says. */
  #post(participant: string, answer: Answer): RunResult {
    const { text, isWhole } = answer
    this.#called.isCut = !isWhole
    const post = this.#posting.post(participant, answer)
    if (typeof post === 'string') return { kind: 'failed', fault: { kind: 'failed', failure: post } }
    const { asked, done, gate, waitMin, unread } = postSays(text, participant, this.#ids, isWhole)
    if (unread) this.#tell({ type: 'play.unread', participant, post: post.id })
    if (gate) this.#openGate(participant, post.id)
    return waitMin === null ? { kind: 'posted', limit: null, asked, done } : { kind: 'waiting', minutes: waitMin }
  }

  #openGate(participant: string, post: number): void {
    this.#posting.questions.set(participant, post)
    this.#team.openGate(participant)
    this.#tell({ type: 'gate.opened', participant, post })
  }

  #take(fact: TeamFact): void {
    if (fact.type === 'state.entered') {
      this.#state = fact.state
      this.#since = fact.at
      if (fact.state === 'stopped') this.#endCall()
    } else if (fact.type === 'run.started') {
      const { n, participant, entry, startedBy } = fact.run
      const { run, calls, n: before } = this.#called
      this.#running = { n, participant, engine: entry.engine, startedBy, since: fact.at }
      this.#called = { run: run + 1, n, calls: n === before ? calls + 1 : 1, lastPost: this.#posting.lastPost, isCut: false }
    } else if (fact.type === 'run.ended') this.#running = null
    else if (fact.type === 'team.ended') this.#end = fact.reason
    else if (fact.type === 'team.failed') this.#broke(fact.at)
    this.#emit(fact)
    if (fact.type === 'team.ended') this.#over({ reason: fact.reason })
    if (fact.type === 'team.failed') this.#over({ reason: 'defect', error: fact.error })
  }

  #broke(at: number): void {
    this.#state = 'stopped'
    this.#since = at
    this.#endCall()
  }

  /** A call that was cut tells no end of its own. */
  #endCall(): void {
    this.#running = null
    this.#posting.close()
  }

  #over(result: Omit<TeamResult, 'status'>): void {
    this.#finish({ ...result, status: this.#statusNow() })
    this.#changed()
    this.#inTurn.tell(() => {
      this.#events.complete()
      this.#posts.complete()
      this.#states.complete()
    })
  }

  #tell(fact: ThreadFact): void {
    this.#emit({ ...fact, at: this.#parts.clock.now() })
  }

  #emit(event: TeamEvent): void {
    this.#inTurn.tell(() => this.#events.next(event))
    this.#changed()
  }

  #changed(): void {
    this.#inTurn.tell(() => this.#states.next(this.#statusNow()))
  }

  #statusNow(): TeamStatus {
    const { members, clock } = this.#parts
    return teamStatus({
      members,
      memory: this.#team.memory,
      state: this.#state,
      since: this.#since,
      running: this.#running,
      gatePosts: this.#posting.questions,
      lastPost: this.#posting.lastPost,
      end: this.#end,
      now: clock.now(),
      elapsedMs: clock.elapsedMs(),
    })
  }
}
