import type { RunFault } from '../../model/team.ts'
import type { PlaceNews } from './place.ts'
import type { Sleep } from './sleep.ts'

/**
 * Every line that a team prints, in one place. Their words are a contract (rules.md §7–9): scripts and people read them.
 */
export function narrator(zone: string): Narrator {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, hourCycle: 'h23', ...NUMBERS })
  const partsAt = (at: number): Record<string, string> => Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  /** The date stands before the time when it is not the same day as the one on which the line is written (G17). */
  const time = (at: number, now: number): string => {
    const { year, month, day, hour, minute } = partsAt(at)
    const date = `${year}-${month}-${day}`
    const today = partsAt(now)
    return date === `${today['year']}-${today['month']}-${today['day']}` ? `${hour}:${minute}` : `${date} ${hour}:${minute}`
  }
  return {
    place: (id, news) =>
      news.kind === 'advanced' ? `${id}: ${news.from} limited → ${news.to}` : `${id}: limit lifted — back on ${news.to ?? 'its primary provider'}`,
    handoff: (giver, taker) => `${giver} is rate limited — @${taker} takes the turn`,
    sleep: ({ says, engine, untilAt }, kept, now) => {
      const at = time(untilAt, now)
      switch (says) {
        case 'every':
          return `every participant limited — waiting for ${engine}, back first at ${at}`
        case 'kept':
          return `${kept} is rate limited — waiting for ${engine}, back first at ${at}`
        case 'nobody':
          return `nobody can take the turn — waiting for ${engine}, next try at ${at}`
        case 'unreachable':
          return `No provider can be reached; trying again at ${at}`
        case null:
          return null
      }
    },
    outage: (provider, untilAt, now) => `${provider} could not be reached; trying it again at ${time(untilAt, now)}`,
    reachable: (provider) => `${provider} is reachable again`,
    gaveUp: (rows, what) => `Gave up after ${rows} failed attempts in a row, over five hours (${what}); run paused — resume to try again`,
    done: () => 'every participant is done; run paused — say something or resume to go on',
    silent: (id) => `${id} ended three turns in a row without a post; run paused — resume to try again`,
  }
}

export interface Narrator {
  place(id: string, news: PlaceNews): string
  handoff(giver: string, taker: string): string
  /** Null: nothing is written. `kept`: the participant whose turn is kept. */
  sleep(sleep: Pick<Sleep, 'says' | 'engine' | 'untilAt'>, kept: string | null, now: number): string | null
  outage(provider: string, untilAt: number, now: number): string
  reachable(provider: string): string
  gaveUp(rows: number, what: string): string
  silent(id: string): string
  done(): string
}

/** What failed, for the line of a run that gave up (G29); null: a turn that ended without a post. */
export function whatFailed(engine: string, fault: RunFault | null): string {
  if (fault === null) return `${engine} ended without a post`
  switch (fault.kind) {
    case 'exited':
      return `${engine} exited ${fault.code}`
    case 'timed_out':
      return `${engine} timed out`
    case 'failed':
      return `${engine} failed: ${fault.failure}`
  }
}

const NUMBERS = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const
