import { engineMachine } from '../../machines/engine.ts'
import { supervisorMachine } from '../../machines/supervisor.ts'
import { teamMachine } from '../../machines/team.ts'
import { turnMachine } from '../../machines/turn.ts'
import { closeOf } from '../policy/turn-step.ts'

/**
 * The rim of the machines: every effect that a chart names is connected to the port that came with the actor's input. Done once, when the
 * module loads; actors differ by input, never by `provide`.
 */
export const wiredTurn = turnMachine.provide({
  actions: {
    openAttempt: ({ context }) => context.port.openAttempt(context.attempt),
    closeAttempt: ({ context }) => context.port.closeAttempt(closeOf(context)),
    abortAttempt: ({ context }) => context.port.abortAttempt(),
    startWait: ({ context }) => {
      if (context.wait !== null) context.port.startWait(context.wait)
    },
    cancelWait: ({ context }) => context.port.cancelWait(),
    reportHold: ({ context }) => {
      const hold = context.judged?.judgement.hold ?? null
      if (hold !== null) context.port.reportHold(hold)
    },
  },
})

export const wiredEngine = engineMachine.provide({
  actions: { publishHold: ({ context }) => context.port.publish(context.key, context.hold) },
})

export const wiredSupervisor = supervisorMachine.provide({
  actions: {
    wakeWaiting: ({ context }) => context.port.wakeWaiting(),
    cancelTurns: ({ context }) => context.port.cancelTurns(),
  },
})

export const wiredTeam = teamMachine.provide({
  actions: {
    startRun: ({ context }) => {
      if (context.turn !== null) context.port.startRun(context.turn, context.runs)
    },
    abortRun: ({ context }) => context.port.abortRun(),
    startWait: ({ context }) => {
      if (context.wait !== null) context.port.startWait(context.wait)
    },
    cancelWait: ({ context }) => context.port.cancelWait(),
  },
})
