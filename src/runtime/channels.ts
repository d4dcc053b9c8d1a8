import type { Log, Whose } from './log.ts'
import { processChannel } from './process-channels.ts'
import { type ToldFact, withoutText } from './told-fact.ts'

/**
 * The facts of every turn of the process, published on diagnostics channels of Node for whoever subscribes by name.
 *
 * 1. No prompt, answer, header, key or word of a provider is in a message: it is a fact, and the end of a turn without its text (R36).
 * 2. Without a subscriber nothing is made.
 * 3. A subscriber that throws does so outside the turn: Node raises it as an uncaught exception of the process.
 */
export const DIAGNOSTICS_CHANNELS = { turn: 'relevo:turn', attempt: 'relevo:attempt', limit: 'relevo:limit' } as const

/** Where a message comes from. */
export interface MessageSource extends Whose {
  /** Tells the kernels of a process apart: only in one of them is the name of a turn its own. */
  readonly kernel: string
}

type AttemptFact = Extract<ToldFact, { readonly type: 'attempt.started' | 'attempt.ended' | 'attempt.failed' | 'output.committed' }>
type LimitFact = Extract<ToldFact, { readonly type: 'hold.set' }>

/** On `relevo:turn`: how a turn begins, waits, recovers and ends. */
export type TurnMessage = MessageSource & Exclude<ToldFact, AttemptFact | LimitFact>
/** On `relevo:attempt`: how a physical call begins, commits and ends. */
export type AttemptMessage = MessageSource & AttemptFact
/** On `relevo:limit`: that an engine is not to be called until an instant. */
export type LimitMessage = MessageSource & LimitFact

const turns = processChannel<MessageSource & ToldFact>(DIAGNOSTICS_CHANNELS.turn)
const attempts = processChannel<MessageSource & ToldFact>(DIAGNOSTICS_CHANNELS.attempt)
const limits = processChannel<MessageSource & ToldFact>(DIAGNOSTICS_CHANNELS.limit)

const CHANNEL_OF: Readonly<Record<ToldFact['type'], typeof turns>> = {
  'turn.started': turns,
  'warning.raised': turns,
  'entry.skipped': turns,
  'recovery.started': turns,
  'history.shortened': turns,
  'wait.started': turns,
  'wait.ended': turns,
  'turn.ended': turns,
  'attempt.started': attempts,
  'attempt.ended': attempts,
  'attempt.failed': attempts,
  'output.committed': attempts,
  'hold.set': limits,
}

/** A log that publishes. The words of a provider stay out of it, and so do errors of listeners and defects, which may quote anything. */
export function channelLog(source: MessageSource = { kernel: globalThis.crypto.randomUUID() }): Log {
  return {
    fact(fact) {
      const channel = CHANNEL_OF[fact.type]
      if (channel.hasSubscribers) channel.publish({ ...source, ...withoutText(fact) })
    },
    attemptFailed() {},
    listenerThrew() {},
    defect() {},
    of: (whose) => channelLog({ ...source, ...whose }),
  }
}
