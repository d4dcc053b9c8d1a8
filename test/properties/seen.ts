import type { ScriptedEvent } from '../../src/engines/loopback/script.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import type { TurnEvent } from '../../src/model/turn-event.ts'
import type { WrittenConfig, WrittenProfile, WrittenScenario, WrittenTurn } from './arbitraries.ts'
import { type Asked, eventsOf, type Played } from './play.ts'

/** What was seen of a scenario, turn by turn, in the words in which the laws speak of it. */
export type Law = (scenario: WrittenScenario, played: Played) => void

type Of<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>

export function ofType<Type extends TurnEvent['type']>(events: readonly TurnEvent[], type: Type): Of<Type>[] {
  return events.filter((event): event is Of<Type> => event.type === type)
}

export interface TurnSeen {
  readonly asked: WrittenTurn
  readonly events: readonly TurnEvent[]
  readonly outcome: Outcome
  readonly calls: readonly Asked[]
}

export function turnsOf(scenario: WrittenScenario, played: Played): TurnSeen[] {
  return scenario.steps.flatMap((step) => {
    if (!('turn' in step)) return []
    const outcome = played.outcomes.get(step.turn.id)
    if (outcome === undefined) throw new Error(`turn ${step.turn.id} never ended`)
    return [{ asked: step.turn, events: eventsOf(played, step.turn.id), outcome, calls: played.asked.filter((call) => call.turn === step.turn.id) }]
  })
}

const profileIdOf = (label: string): string => label.split('#')[0] ?? label

export function ownOf(config: WrittenConfig, label: string): WrittenProfile {
  const own = config.profiles[profileIdOf(label)]
  if (own === undefined) throw new Error(`no profile is written for ${label}`)
  return own
}

export const labelOf = (entry: string): string => entry.slice(0, entry.indexOf('/'))

/** R27 by one regular expression over the whole text: what is between think tags, to the end when unclosed, and end markers. */
function visible(text: string): string {
  return text.replace(/<think>[\s\S]*?(?:<\/think>|$)|<eom>|<\|eom\|>/g, '')
}

/** The visible text that an item would bring if it were taken to its end. */
export function scriptedText(item: Asked['item']): string {
  if (item === undefined) return ''
  if ('events' in item) return visible(textBeforeEnd(item.events))
  if ('ok' in item) return visible(item.ok)
  return 'length' in item ? visible(item.length) : ''
}

function textBeforeEnd(events: readonly ScriptedEvent[]): string {
  let text = ''
  for (const event of events) if ('text' in event) text += event.text
  return text
}
