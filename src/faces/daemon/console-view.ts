import type { TeamEvent, TeamStatus } from '../../index.ts'

/**
 * What a run of a team prints: the lines of its log behind the time of day, word for word (rules.md §7–9), and beside them in short who posts
 * and what is asked of the person, which no line of the log says. Never the text of a post (R36).
 */
export interface ConsoleLine {
  /** The log goes to stdout, what stands beside it to stderr. */
  readonly to: 'stdout' | 'stderr'
  readonly text: string
}

export class ConsoleView {
  readonly #time: Intl.DateTimeFormat

  /** The times are those of the zone of this process. */
  constructor() {
    this.#time = new Intl.DateTimeFormat('en', { hourCycle: 'h23', hour: '2-digit', minute: '2-digit', second: '2-digit' })
  }

  lineOf(event: TeamEvent): ConsoleLine | null {
    if (event.type === 'line.written') return { to: 'stdout', text: `${this.#time.format(event.at)} ${event.line}` }
    const beside = besideOf(event)
    return beside === null ? null : { to: 'stderr', text: `${this.#time.format(event.at)} ${beside}` }
  }
}

function besideOf(event: TeamEvent): string | null {
  switch (event.type) {
    case 'post.appended':
      return event.participant === null ? `· the person posted #${event.post}` : `· ${event.participant} (${event.engine}) posted #${event.post}`
    case 'post.refused':
      return `· the post of ${event.participant} is kept and not in the thread yet: ${event.message}`
    case 'post.lost':
      return `· the post of ${event.participant} is lost: the thread could not be written to the end (${event.code})`
    case 'gate.opened':
      return `· ${event.participant} asks in #${event.post}; answer with \`relevo approve ${event.participant}\` or \`relevo say\``
    case 'gate.approved':
      return `· approved: ${event.participant}`
    case 'play.unread':
      return `· the last line of #${event.post} begins like a play and is none`
    case 'run.lost':
      return `· the call of ${event.run.participant} on ${event.run.engine} was lost with the process before; the turn is made again`
    case 'run.ended':
      return event.result === 'failed' || event.result === 'silent'
        ? `· ${event.run.participant} on ${event.run.entry.engine}: ${event.result === 'failed' ? 'the call failed; why stands in .relevo/log.jsonl' : 'no post'}`
        : null
    case 'team.failed':
      return `· a fault of relevo ended the run: ${String(event.error)}`
    default:
      return null
  }
}

/** What the run does now, for the foot of a terminal; null when it is over. `left` says how long until an instant. */
export function nowDoing(status: TeamStatus, left: (at: number) => string): string | null {
  if (status.running !== null) return `${status.running.participant} on ${status.running.engine}`
  if (status.wake !== null) return `${status.state.replaceAll('_', ' ')}, looks again ${left(status.wake.at)}`
  if (status.state === 'paused') return 'paused; go on with `relevo resume`'
  return null
}
