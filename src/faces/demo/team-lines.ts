import { durationText } from './duration-text.ts'
import type { TeamActFact } from './team-fact.ts'

/**
 * The lines of the team's act, each from one fact. What the run writes into its log stands as it is written, behind the time of the act's own
 * clock; who calls whom and what is posted stand beside it.
 */
export function teamLine(fact: TeamActFact, heading: (title: string) => string): string | null {
  if (fact.type === 'team.begun') {
    return ['', heading(fact.title), ...fact.chains.map(([id, chain]) => `${' '.repeat(10)}${id.padEnd(4)} ${chain}`)].join('\n')
  }
  const said = fact.type === 'team.posted' ? postedText(fact) : toldText(fact.event)
  return said === null ? null : `${timeOf(fact.at)}  ${said[0].padEnd(8)}  ${said[1]}`
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 19)
}

type Said = readonly [word: string, text: string]

function postedText({ post }: Extract<TeamActFact, { type: 'team.posted' }>): Said {
  return ['post', `#${post.id} ${post.participant ?? 'the person'}: ${JSON.stringify(post.text)}`]
}

function toldText(event: Extract<TeamActFact, { type: 'team.told' }>['event']): Said | null {
  switch (event.type) {
    case 'line.written':
      return ['log', event.line]
    case 'run.started': {
      const { participant, entry, startedBy } = event.run
      return ['call', `${participant} on ${entry.engine} (${entry.primary ? STARTED_BY[startedBy] : 'next in its chain'})`]
    }
    case 'run.ended':
      return event.result === 'posted' ? null : ['came to', WORDS[event.result]]
    case 'state.entered':
      return event.state === 'running' ? null : ['state', event.state.replaceAll('_', ' ')]
    case 'wait.started':
      return ['sleep', `${durationText(event.untilAt - event.at)}, until ${timeOf(event.untilAt)}`]
    case 'wait.ended':
      return ['wake', event.wokenBy === 'reset' ? 'the reset has come' : 'time to look again']
    case 'team.ended':
      return ['end', 'the run is stopped; every post stands in the thread']
    default:
      return null
  }
}

const STARTED_BY = { pick: 'its turn', handoff: 'the turn was handed on', gate: 'approved', retry: 'the same turn again' } as const

const WORDS = {
  posted: 'a post',
  limited: 'a limit',
  network: 'no way to its provider',
  failed: 'a failure',
  waiting: 'a wait; it looks again then',
  silent: 'no post',
} as const
