/**
 * The run of a team: one turn at a time, handed on when its engine is limited, and a wait when nobody can take it.
 *
 * 1. Every decision is a value that policy made in `choose`, `takeResult` and `handOn`; the edges only read it.
 * 2. A message has an edge where it shortens a wait, after a failed call and in a wait play, and none in a limit sleep or an outage (T17, G11,
 *    G23). An approval likewise. In a pause the two have one only when everybody was done: it is what they were waiting for.
 * 3. A call that runs is let end: stop and pause are noted, and no other call follows (G22). Only an immediate stop breaks it off.
 * 4. A run begins paused, so that orders given before its start are known when the first turn is chosen.
 * 5. Events of a run or a wait carry its number; late ones have no edge.
 * 6. Time comes with each event. No text ever does.
 */
import { assign, enqueueActions, setup } from 'xstate'
import type { RunResult, TeamEnd, WokenBy } from '../src/model/team.ts'
import {
  type TeamFacts,
  type TeamFixed,
  type TeamMemory,
  type TeamNews,
  type TeamStart,
  type TeamTurn,
  type TeamWait,
  teamMemory,
} from '../src/policy/team/team-memory.ts'
import { teamChosen, teamHandedOn } from '../src/policy/team/team-step.ts'
import { gateApproved, gateOpened, messageTaken, teamBrokenOff, teamResumed, teamTaken, teamWoken } from '../src/policy/team/team-taken.ts'
import { effect } from './effect.ts'

export interface TeamInput extends TeamFacts {
  readonly fixed: TeamFixed
  readonly port: TeamPort
  /** Where another process left off; a run that is new begins with nothing. */
  readonly start?: Partial<TeamStart> | undefined
}

/** What the runtime does for a team; `runtime/wire.ts` connects it to the named actions. */
export interface TeamPort {
  startRun(turn: TeamTurn, number: number): void
  abortRun(): void
  startWait(wait: TeamWait): void
  cancelWait(): void
}

export interface TeamContext extends TeamMemory {
  readonly fixed: TeamFixed
  readonly port: TeamPort
}

export type TeamMachineEvent = TeamFacts &
  (
    | { readonly type: 'run.ended'; readonly number: number; readonly result: RunResult }
    | { readonly type: 'wait.elapsed'; readonly number: number }
    /** `asked`: the participant that it mentions. */
    | { readonly type: 'message.posted'; readonly asked: string | null }
    | { readonly type: 'gate.opened'; readonly participant: string }
    | { readonly type: 'gate.approved'; readonly participant: string }
    | { readonly type: 'team.start' }
    | { readonly type: 'team.pause' }
    | { readonly type: 'team.resume' }
    /** `immediate`: a call that runs is broken off. */
    | { readonly type: 'team.stop'; readonly immediate: boolean }
  )

export interface TeamOutput {
  readonly reason: TeamEnd
}

/** What ended a wait, by the event that did. */
const WOKEN_BY: Readonly<Partial<Record<TeamMachineEvent['type'], WokenBy>>> = {
  'team.stop': 'stop',
  'team.pause': 'pause',
  'message.posted': 'message',
  'gate.approved': 'message',
}

/** Chart of the run of a team, from its first turn to its end. */
export const teamMachine = setup({
  types: {
    context: {} as TeamContext,
    events: {} as TeamMachineEvent,
    input: {} as TeamInput,
    output: {} as TeamOutput,
    emitted: {} as TeamNews,
  },
  guards: {
    runChosen: ({ context }) => context.step.to === 'run',
    pauseChosen: ({ context }) => context.step.to === 'pause',
    endChosen: ({ context }) => context.step.to === 'end',
    resetAwaited: ({ context }) => context.wait?.state === 'rateLimited',
    networkAwaited: ({ context }) => context.wait?.state === 'unreachable',
    backoffAwaited: ({ context }) => context.wait?.state === 'backingOff',
    isCurrentRun: ({ context, event }) => event.type === 'run.ended' && event.number === context.runs,
    isTakenOut: ({ context, event }) => event.type === 'run.ended' && event.number === context.runs && isTakenOut(event.result),
    isCurrentWait: ({ context, event }) => event.type === 'wait.elapsed' && event.number === context.wait?.number,
    isPendingGate: ({ context, event }) => event.type === 'gate.approved' && context.gates.has(event.participant),
    /** Some pause has stood before; else the run has not begun. */
    isBegun: ({ context }) => context.paused !== null,
    /** And the person has not paused on top of that. */
    isAllDone: ({ context }) => context.paused === 'done' && context.pausing === null,
    isAwaitedApproval: ({ context, event }) =>
      event.type === 'gate.approved' && context.gates.has(event.participant) && context.paused === 'done' && context.pausing === null,
    isImmediate: ({ event }) => event.type === 'team.stop' && event.immediate,
  },
  actions: {
    takeFacts: assign(({ event }) => factsOf(event)),
    choose: assign(({ context }) => teamChosen(context.fixed, context)),
    handOn: assign(({ context }) => teamHandedOn(context.fixed, context)),
    takeResult: assign(({ context, event }) => (event.type === 'run.ended' ? teamTaken(context.fixed, context, event.result, factsOf(event)) : {})),
    breakOff: assign(({ context, event }) => teamBrokenOff(context, factsOf(event))),
    wake: assign(({ context, event }) => teamWoken(context, factsOf(event), WOKEN_BY[event.type] ?? context.wait?.by ?? 'probe')),
    resume: assign(({ context, event }) => teamResumed(context, factsOf(event))),
    takeMessage: assign(({ context, event }) => (event.type === 'message.posted' ? messageTaken(context, event.asked) : {})),
    openGate: assign(({ context, event }) => (event.type === 'gate.opened' ? gateOpened(context.fixed, context, event.participant) : {})),
    approveGate: assign(({ context, event }) => (event.type === 'gate.approved' ? gateApproved(context, event.participant) : {})),
    noteStop: assign({ stopping: true }),
    notePause: assign({ pausing: 'pause' }),
    dropPause: assign({ pausing: null }),
    notePaused: assign({ paused: 'pause' }),
    tell: enqueueActions(({ context, enqueue }) => {
      for (const news of context.news) enqueue.emit(news)
    }),
    startRun: effect,
    abortRun: effect,
    startWait: effect,
    cancelWait: effect,
  },
}).createMachine({
  id: 'team',
  context: ({ input: { fixed, port, now, elapsedMs, start } }) => ({ fixed, port, ...teamMemory({ now, elapsedMs }, start) }),
  // A stop ends the run by its edge, everything else by a decision.
  output: ({ context }) => ({ reason: context.step.to === 'end' ? context.step.reason : 'stop' }),
  options: { maxIterations: 1000 },
  initial: 'paused',
  on: { 'gate.opened': { actions: 'openGate' }, 'gate.approved': { actions: 'approveGate' }, 'message.posted': { actions: 'takeMessage' } },
  states: {
    choosing: {
      entry: ['choose', 'tell'],
      always: [
        { guard: 'runChosen', target: 'running' },
        { guard: 'pauseChosen', target: 'paused' },
        { guard: 'endChosen', target: 'stopped' },
        { guard: 'resetAwaited', target: 'rateLimited' },
        { guard: 'networkAwaited', target: 'unreachable' },
        { guard: 'backoffAwaited', target: 'backingOff' },
        { target: 'waiting' },
      ],
    },
    running: {
      entry: 'startRun',
      on: {
        'run.ended': [
          { guard: 'isTakenOut', target: 'handingOff', actions: ['takeResult', 'tell'] },
          { guard: 'isCurrentRun', target: 'choosing', actions: ['takeResult', 'tell'] },
        ],
        'team.pause': { actions: 'notePause' },
        'team.resume': { actions: 'dropPause' },
        'team.stop': [{ guard: 'isImmediate', target: 'stopped', actions: ['breakOff', 'abortRun'] }, { actions: 'noteStop' }],
      },
    },
    handingOff: {
      entry: ['handOn', 'tell'],
      always: [{ guard: 'runChosen', target: 'running' }, { target: 'choosing' }],
    },
    rateLimited: {
      entry: 'startWait',
      exit: 'cancelWait',
      on: {
        'wait.elapsed': { guard: 'isCurrentWait', target: 'choosing', actions: ['wake', 'tell'] },
        'team.pause': { target: 'paused', actions: ['wake', 'tell', 'notePaused'] },
        'team.stop': { target: 'stopped', actions: ['wake', 'tell'] },
      },
    },
    unreachable: {
      entry: 'startWait',
      exit: 'cancelWait',
      on: {
        'wait.elapsed': { guard: 'isCurrentWait', target: 'choosing', actions: ['wake', 'tell'] },
        'team.pause': { target: 'paused', actions: ['wake', 'tell', 'notePaused'] },
        'team.stop': { target: 'stopped', actions: ['wake', 'tell'] },
      },
    },
    backingOff: {
      entry: 'startWait',
      exit: 'cancelWait',
      on: {
        'wait.elapsed': { guard: 'isCurrentWait', target: 'choosing', actions: ['wake', 'tell'] },
        'team.pause': { target: 'paused', actions: ['wake', 'tell', 'notePaused'] },
        'team.stop': { target: 'stopped', actions: ['wake', 'tell'] },
        'message.posted': { target: 'choosing', actions: ['wake', 'tell', 'takeMessage'] },
        'gate.approved': { guard: 'isPendingGate', target: 'choosing', actions: ['wake', 'tell', 'approveGate'] },
      },
    },
    waiting: {
      entry: 'startWait',
      exit: 'cancelWait',
      on: {
        'wait.elapsed': { guard: 'isCurrentWait', target: 'choosing', actions: ['wake', 'tell'] },
        'team.pause': { target: 'paused', actions: ['wake', 'tell', 'notePaused'] },
        'team.stop': { target: 'stopped', actions: ['wake', 'tell'] },
        'message.posted': { target: 'choosing', actions: ['wake', 'tell', 'takeMessage'] },
        'gate.approved': { guard: 'isPendingGate', target: 'choosing', actions: ['wake', 'tell', 'approveGate'] },
      },
    },
    paused: {
      on: {
        'team.start': { target: 'choosing', actions: 'takeFacts' },
        'team.pause': { actions: 'notePause' },
        'team.resume': [{ guard: 'isBegun', target: 'choosing', actions: ['resume', 'tell'] }, { actions: 'dropPause' }],
        'gate.approved': { guard: 'isAwaitedApproval', target: 'choosing', actions: ['approveGate', 'resume', 'tell'] },
        'message.posted': { guard: 'isAllDone', target: 'choosing', actions: ['takeMessage', 'resume', 'tell'] },
        'team.stop': 'stopped',
      },
    },
    stopped: { type: 'final' },
  },
})

/** Nothing was posted and the engine or its provider is out: the turn is handed on (T9, G07). */
function isTakenOut(result: RunResult): boolean {
  return result.kind === 'limited' || result.kind === 'network'
}

function factsOf({ now, elapsedMs }: TeamFacts): TeamFacts {
  return { now, elapsedMs }
}
