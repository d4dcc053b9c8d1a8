import type { AttemptRequest } from '../engines/contract.ts'
import type { Clock } from '../model/clock.ts'
import { type Entry, entryName } from '../model/plan.ts'
import type { Attempt } from '../policy/turn-step.ts'
import type { TurnHandle } from './turn-handle.ts'
import type { TurnWork } from './turn-work.ts'

/** What an engine is asked for one attempt of a turn. */
export function attemptRequest(turn: TurnHandle, work: TurnWork, attempt: Attempt, entry: Entry, clock: Clock): AttemptRequest {
  const { messages, shortened, tools, options, passThrough } = work
  const isShortened = attempt.history === 'shortened' && shortened !== null
  return {
    turn: turn.id,
    n: attempt.n,
    mode: attempt.mode,
    profile: entry.profile,
    secret: entry.secret,
    entry: entryName(entry),
    model: entry.model,
    messages: isShortened ? shortened : messages,
    tools,
    options: passThrough !== undefined && entry.profile.cli !== null ? withoutTuning(options) : options,
    clock,
    flow: turn.flow,
    // What the client wrote is the whole history.
    ...(passThrough === undefined || isShortened ? {} : { passThrough, skim: { stopsAt: null } }),
  }
}

/**
 * What clients of a protocol send by habit, or since it demands it (`max_tokens` of Anthropic), and no CLI can be told. They are written for
 * no CLI, so that refusing them would keep such clients from all of them; whatever else it cannot be told is refused as ever.
 */
function withoutTuning({ maxTokens, temperature, topP, ...rest }: AttemptRequest['options']): AttemptRequest['options'] {
  return rest
}
