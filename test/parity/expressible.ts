import { z } from 'zod'
import type { Scenario } from '../../src/simulate/scenario.ts'
import type { Trace } from '../../src/simulate/trace.ts'
import type { Protocols } from './real-run.ts'

/** Why a scenario cannot be carried out by a server on this machine, or null. Each reason is printed with the documents that it takes out. */
export function whyNot(scenario: Scenario, trace: Trace): string | null {
  if (trace.turns.every((turn) => turn.attempts.length === 0)) return 'asks nobody, so there is nothing to compare'
  if (trace.turns.some((turn) => turn.outcome === null)) return 'has a turn that nothing ends'
  if (hasTwoTurnsAtOnce(scenario)) return 'starts two turns in one instant, whose requests a network may exchange'
  return (
    itemsOf(scenario)
      .map(({ entry, mode, item }) => itemProblem(scenario, entry, mode, item))
      .find((problem) => problem !== null) ?? null
  )
}

/** Profiles take the protocols in turn, starting with `first`; null when a profile's script has words in neither. */
export function protocolsFor(scenario: Scenario, first: number): Protocols | null {
  const profiles = Object.keys(scenario.config['profiles'] as object)
  const chosen: Record<string, 'openai-chat' | 'anthropic-messages'> = {}
  for (const [index, profile] of profiles.entries()) {
    const items = itemsOf(scenario).filter(({ entry }) => profileOf(entry) === profile)
    const onlyAnthropic = items.some(({ item }) => eventsOf(item).some((event) => 'providerToolCall' in event || 'providerToolResult' in event))
    const onlyChat = items.some(({ item }) => toolCallsOf(item).some((call) => call.id == null || !isObjectText(call.arguments)))
    if (onlyAnthropic && onlyChat) return null
    if (onlyAnthropic) chosen[profile] = 'anthropic-messages'
    else if (onlyChat) chosen[profile] = 'openai-chat'
    else chosen[profile] = (first + index) % 2 === 0 ? 'openai-chat' : 'anthropic-messages'
  }
  return chosen
}

type Queues = Scenario['script'][string]
type Item = NonNullable<Queues['call']>[number] | NonNullable<Queues['stream']>[number]
type Event = Extract<Item, { events: unknown }>['events'][number]

interface Placed {
  readonly entry: string
  readonly mode: 'call' | 'stream'
  readonly item: Item
}

function itemsOf(scenario: Scenario): Placed[] {
  return Object.entries(scenario.script).flatMap(([entry, { call = [], stream = [] }]) => [
    ...call.map((item): Placed => ({ entry, mode: 'call', item })),
    ...stream.map((item): Placed => ({ entry, mode: 'stream', item })),
  ])
}

export function profileOf(entry: string): string {
  return entry.slice(0, entry.indexOf('/'))
}

function eventsOf(item: Item): readonly Event[] {
  return 'events' in item ? item.events : []
}

function toolCallsOf(item: Item): readonly { readonly id?: string | null | undefined; readonly arguments: string }[] {
  if ('ok' in item) return item.toolCalls ?? []
  return eventsOf(item).flatMap((event) => ('toolCall' in event ? [event.toolCall] : []))
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

function hasTwoTurnsAtOnce(scenario: Scenario): boolean {
  const instants = scenario.steps.flatMap((step) => ('turn' in step ? [step.atMs] : []))
  return new Set(instants).size < instants.length
}

const RESETS = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

function itemProblem(scenario: Scenario, entry: string, mode: Placed['mode'], item: Item): string | null {
  const codes = [item, ...eventsOf(item)].flatMap((each) => ('network' in each ? [each.network] : []))
  const odd = codes.find((code) => !RESETS.has(code))
  if (odd !== undefined) return 'has a network failure that a server cannot bring about'
  const events = eventsOf(item)
  const result = events.findIndex((event) => 'providerToolResult' in event)
  if (result !== -1 && !events.slice(0, result).some((event) => 'providerToolCall' in event)) return "tells a provider tool's result without its call"
  if ('timeout' in item) return timeoutProblem(scenario, entry, mode, item.timeout)
  if ('http' in item && item.usage !== undefined) return 'tells usage beside an error status, for which the protocols have no place'
  if ('http' in item && statesInstant(item.headers ?? {})) return 'names an instant without saying what time it is, which is another time here'
  return null
}

function timeoutProblem(scenario: Scenario, entry: string, mode: Placed['mode'], point: 'connect' | 'first_byte' | 'idle' | 'total'): string | null {
  if (point === 'connect') return 'has a connection that is not made, and one to this machine always is'
  return deadlineMs(scenario, entry, mode, point) === null ? 'lets a deadline pass that is not set' : null
}

const timeoutsSchema = z.object({ firstByteMs: z.number().nullish(), idleMs: z.number().nullish(), totalMs: z.number().nullish() })

/** How long a silent provider is waited for at this point; null: for ever. */
export function deadlineMs(
  scenario: Scenario,
  entry: string,
  mode: Placed['mode'],
  point: 'first_byte' | 'idle' | 'total' | 'connect',
): number | null {
  const profile = (scenario.config['profiles'] as Record<string, { timeouts?: unknown } | undefined>)[profileOf(entry)]
  const { firstByteMs = null, idleMs = 90_000, totalMs = null } = timeoutsSchema.parse(profile?.timeouts ?? {})
  if (point === 'idle') return idleMs
  if (point === 'total') return totalMs
  return firstByteMs ?? (mode === 'stream' ? idleMs : null)
}

function statesInstant(headers: Readonly<Record<string, string>>): boolean {
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'date')) return false
  return Object.values(headers).some((value) => /\d{4}-\d\d-\d\dT|\bGMT\b|^\d{10,13}(\.\d+)?$/.test(value))
}
