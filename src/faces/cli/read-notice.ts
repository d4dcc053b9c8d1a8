import {
  engineOfNotice,
  NOTICE_CHANNELS,
  NOTICE_PROVIDERS,
  type NoticeChannel,
  type NoticeInput,
  type NoticeProvider,
  readNotice,
} from '../../host.ts'
import { batch, type Document, isObject, LineError } from './batch.ts'
import { instantOf } from './instant.ts'
import { type Io, inputText, jsonLine } from './io.ts'
import { BadInput, EXIT } from './problems.ts'

export interface ReadNoticeOptions {
  readonly provider?: string | undefined
  readonly now?: string | undefined
  readonly zone?: string | undefined
  readonly channel?: string | undefined
  readonly exit?: string | undefined
  readonly jsonl?: boolean | undefined
}

/** `relevo read notice`: what a coding-agent CLI said of its limits, in what it printed. */
export async function readNotices(io: Io, options: ReadNoticeOptions): Promise<number> {
  if (options.jsonl === true) return batch(io, (document) => ({ result: answerOf(inputOf(document)) }))
  const { provider, now, zone, channel, exit } = options
  if (provider === undefined) throw new BadInput([`--provider is missing. Name the CLI: ${NOTICE_PROVIDERS.join(', ')}.`])
  try {
    const named = { provider, now, tz: zone, channel, exitCode: exit === undefined ? undefined : exitCodeOf(exit) }
    // The options are looked at before anybody waits for input.
    inputOf({ ...named, raw: '' })
    await io.stdout.write(jsonLine(answerOf(inputOf({ ...named, raw: await inputText(io) }))))
  } catch (error) {
    if (error instanceof LineError) throw new BadInput([`${OPTIONS[error.path] ?? error.path}: ${error.message}`])
    throw error
  }
  return EXIT.ok
}

const OPTIONS: Readonly<Record<string, string>> = {
  provider: '--provider',
  now: '--now',
  tz: '--zone',
  channel: '--channel',
  exitCode: '--exit',
}

/** A line of a batch has the fields of a corpus entry (cli-engines.md): provider, channel, raw, now, tz, exitCode, killed. */
function inputOf({ provider, channel, raw, now, tz, exitCode, killed }: Document): NoticeInput {
  const known = NOTICE_PROVIDERS.find((one) => one === provider)
  if (known === undefined) throw new LineError('unknown_provider', 'provider', `Use one of ${NOTICE_PROVIDERS.join(', ')}.`)
  if (typeof raw !== 'string') throw new LineError('invalid_line', 'raw', 'Give what the program printed as a text.')
  if (exitCode !== undefined && exitCode !== null && !Number.isInteger(exitCode)) {
    throw new LineError('invalid_line', 'exitCode', 'Give the exit code as a whole number.')
  }
  return {
    provider: known,
    channel: channelOf(channel, known, raw),
    raw,
    now: instantOf(now),
    zone: zoneOf(tz),
    exitCode: typeof exitCode === 'number' ? exitCode : null,
    killed: killed === true,
  }
}

/** As a program ends with it; NaN for what is no such number, which is then refused where those of a batch are. */
function exitCodeOf(written: string): number {
  return /^-?\d{1,10}$/.test(written) ? Number(written) : Number.NaN
}

/** Left out, it is told by the look of the output: the body of an API, events or one document, or where this program prints words. */
function channelOf(channel: unknown, provider: NoticeProvider, raw: string): NoticeChannel {
  if (channel === undefined || channel === null) {
    if (looksLikeJson(raw)) return isBody(raw) ? 'api-json' : 'stdout-json'
    return provider === 'claude' ? 'stdout-text' : 'stderr'
  }
  const known = NOTICE_CHANNELS.find((one) => one === channel)
  if (known === undefined) throw new LineError('invalid_line', 'channel', `Use one of ${NOTICE_CHANNELS.join(', ')}.`)
  return known
}

/** What begins with a bracket may also be words: `[API Error: …]`. */
function looksLikeJson(raw: string): boolean {
  const [first] = raw.trimStart()
  if (first !== '[') return first === '{'
  try {
    JSON.parse(raw)
    return true
  } catch {
    return false
  }
}

/** An error that no event carries: events have a type of their own, and a document says to which session it belongs. */
function isBody(raw: string): boolean {
  try {
    const value: unknown = JSON.parse(raw)
    if (!isObject(value) || !isObject(value['error']) || value['session_id'] !== undefined) return false
    return value['type'] === undefined || (value['type'] === 'error' && value['message'] === undefined)
  } catch {
    return false
  }
}

/** A name that this machine does not know is a mistake here; in a notice it is read as no zone at all. */
function zoneOf(zone: unknown): string {
  if (zone === undefined || zone === null) return 'UTC'
  try {
    if (typeof zone === 'string') return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    // Told below with what is expected.
  }
  throw new LineError('invalid_line', 'tz', 'Give a time zone such as Europe/Madrid or UTC.')
}

function answerOf(input: NoticeInput): object {
  const notice = readNotice(input)
  const { kind, resetAt, resetSource, scope } = notice
  return { kind, resetAt: isoOf(resetAt), resetSource, scope, engine: engineOfNotice(input.provider, notice) }
}

function isoOf(at: number | null): string | null {
  return at === null || Number.isNaN(new Date(at).getTime()) ? null : new Date(at).toISOString()
}
