import type { EngineStatus, ParticipantStatus, TeamStatus } from '../../index.ts'
import { counted } from '../daemon/counted.ts'
import { type ControlOptions, orderTo, teamDirectory } from './control.ts'
import { hasColour, type Io, jsonLine } from './io.ts'
import { painter } from './paint.ts'
import { BadInput, EXIT, oneLine } from './problems.ts'

/** The status as the daemon tells it. */
export interface DaemonStatus extends TeamStatus {
  readonly pid: number
  readonly startedAt: number
  readonly directory: string
  readonly posts: number
  /** What each pending gate asks, by participant. */
  readonly questions: Readonly<Record<string, string>>
}

/** `relevo status`: how the team of a folder stands. Exit 0 at work, 3 paused, 4 nobody can take the turn. */
export async function status(
  io: Io,
  folder: string | undefined,
  { config, json }: ControlOptions & { readonly json?: boolean | undefined },
): Promise<number> {
  const directory = teamDirectory(io, folder, config)
  const { value } = await orderTo(directory, { do: 'status' })
  if (!isStatus(value)) throw new BadInput([`${directory}: the daemon is one of another version. Stop it and start it again.`])
  await io.stdout.write(
    json === true ? jsonLine(value) : statusText(value, Date.now(), { colour: hasColour(io.stdout, io.env), columns: io.stdout.columns }),
  )
  if (value.state === 'paused') return EXIT.paused
  return value.state === 'rate_limited' || value.state === 'unreachable' ? EXIT.limited : EXIT.ok
}

function isStatus(value: unknown): value is DaemonStatus {
  return (
    typeof value === 'object' &&
    value !== null &&
    'participants' in value &&
    Array.isArray(value.participants) &&
    'state' in value &&
    'questions' in value
  )
}

interface Look {
  readonly colour: boolean
  /** Of the terminal; null where there is none, and no line is broken or cut. */
  readonly columns: number | null
}

/** For people: what goes on, then who stands where. */
export function statusText(status: DaemonStatus, now: number, { colour, columns }: Look): string {
  const paint = painter(colour)
  const { state, since, running, wake, turns, iterations, chargedMs, posts, pid, directory, ending, paused } = status
  const span = (at: number): string => spanText(Math.max(0, now - at))
  const words = state.replaceAll('_', ' ')
  const head = [
    `${paint.bold(words)}${paused === null || paused === 'pause' ? '' : ` (${paused.replaceAll('_', ' ')})`} for ${span(since)}${ending === null ? '' : `, ${ending === 'stop' ? 'stopping' : 'pausing'} when the call has ended`}`,
    ...(running === null ? [] : [`turn ${running.n}: ${running.participant} on ${running.engine} for ${span(running.since)}`]),
    ...(wake === null ? [] : [`looks again at ${clock(wake.at, now)} (in ${spanText(Math.max(0, wake.at - now))})`]),
    `${counted(turns, 'turn')} · ${counted(iterations, 'iteration')} · ${spanText(chargedMs)} charged · ${counted(posts, 'post')}`,
    paint.dim(`pid ${pid} · ${oneLine(directory)}`),
  ]
  const width = Math.max(...status.participants.map(({ id }) => id.length))
  const rows = status.participants.flatMap((participant) => rowsOf(participant, status, { now, width, columns: columns ?? Number.POSITIVE_INFINITY }))
  return `${head.join('\n')}\n\n${rows.join('\n')}\n`
}

interface Room {
  readonly now: number
  /** Of the longest id. */
  readonly width: number
  readonly columns: number
}

function rowsOf(participant: ParticipantStatus, { running, questions }: DaemonStatus, { now, width, columns }: Room): string[] {
  const { id, engine, chain, gate, approved, done, silentRow } = participant
  const marks = [
    ...(running?.participant === id ? ['at work'] : []),
    ...(approved ? ['approved'] : []),
    ...(done ? ['done'] : []),
    ...(silentRow > 0 ? [`silent ×${silentRow}`] : []),
  ]
  const entries = chain.map((entry, index) => `${entryText(entry, engine, now)}${index + 1 < chain.length ? ' →' : ''}`)
  const cells = [
    ...(entries.length === 0 ? ['none of its programs is installed'] : entries),
    ...(marks.length === 0 ? [] : [` [${marks.join(', ')}]`]),
  ]
  const rows = filled(`${id.padEnd(width)} `, cells, columns)
  const question = questions[id]
  return gate === null
    ? rows
    : [...rows, cut(`${' '.repeat(width)}  asks in #${gate}${question === undefined ? '' : `: ${oneLine(question)}`}`, columns)]
}

/** Cells behind a head as far as they fit a line, the others below the first of them. */
function filled(head: string, cells: readonly string[], columns: number): string[] {
  const lines = [head]
  for (const cell of cells) {
    const line = lines.at(-1) ?? ''
    const isFirst = line.length === head.length
    if (isFirst || line.length + 1 + cell.length <= columns) lines[lines.length - 1] = `${line} ${cell}`
    else lines.push(`${' '.repeat(head.length)} ${cell.trimStart()}`)
  }
  return lines
}

/** The whole question stands in the thread. */
function cut(line: string, columns: number): string {
  return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`
}

/** `*` marks where it stands in its chain. */
function entryText({ engine, limitedUntil, stated, outUntil }: EngineStatus, at: string | null, now: number): string {
  const name = `${engine}${engine === at ? '*' : ''}`
  const held = [
    ...(limitedUntil === null ? [] : [`limited, ${stated ? 'back' : 'tried again'} ${when(limitedUntil, now)}`]),
    ...(outUntil === null ? [] : [`out of reach, tried again ${when(outUntil, now)}`]),
  ]
  return held.length === 0 ? name : `${name} (${held.join('; ')})`
}

function when(at: number, now: number): string {
  return `${clock(at, now)}, in ${spanText(Math.max(0, at - now))}`
}

/** Of another day with its date. */
function clock(at: number, now: number): string {
  const day = (instant: number): string => new Date(instant).toLocaleDateString('en-CA')
  const time = new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  return day(at) === day(now) ? time : `${day(at)} ${time}`
}

/** The two largest units: whoever waits for hours does not count seconds. */
function spanText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const minutes = Math.round(ms / 60_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 600) return pair(seconds, 60, 'min', 's')
  return minutes < 1440 ? pair(minutes, 60, 'h', 'min') : pair(Math.round(minutes / 60), 24, 'd', 'h')
}

function pair(count: number, many: number, large: string, small: string): string {
  const [whole, rest] = [Math.floor(count / many), count % many]
  return [...(whole > 0 ? [`${whole} ${large}`] : []), ...(rest > 0 ? [`${rest} ${small}`] : [])].join(' ')
}
