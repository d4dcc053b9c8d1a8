import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Hold, Kernel, Outcome } from '../../index.ts'
import type { Over } from './exchange.ts'

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500]

/**
 * What is counted and measured, for Prometheus.
 *
 * 1. No label has more values than the settings have profiles or a closed list has words (TEL-02): a client's own word for a model is in none,
 *    and neither is the id of a key, since all keys see the same figures.
 * 2. A count of tokens, or a cost, that nobody told is not added (R34).
 * 3. The registry is the gateway's own: two gateways in one process share no figure.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = this.#counter('relevo_gateway_requests_total', 'Requests of clients by how they were answered.', ['dialect', 'status'])
  readonly #streams = new Gauge({ name: 'relevo_gateway_streams', help: 'Streamed answers under way.', registers: [this.#registry] })
  readonly #duration = this.#histogram('relevo_gateway_request_seconds', 'From a request to the end of its answer.')
  readonly #firstByte = this.#histogram('relevo_gateway_first_byte_seconds', 'From a request to the first byte of its answer.')
  readonly #turns = this.#counter('relevo_turns_total', 'Turns by how they ended.', ['outcome'])
  readonly #attempts = this.#counter('relevo_attempts_total', 'Attempts by profile and how they ended.', ['profile', 'result'])
  readonly #fallbacks = this.#counter('relevo_fallbacks_total', 'Turns that went on to another profile.', ['from', 'to', 'reason'])
  readonly #tokens = this.#counter('relevo_tokens_total', 'Tokens that providers told.', ['profile', 'kind'])
  readonly #cost = this.#counter('relevo_cost_usd_total', 'Known costs in USD.', ['profile'])
  readonly #holds = new Gauge({ name: 'relevo_holds', help: 'Holds in force.', labelNames: ['reason'], registers: [this.#registry] })
  readonly #watched: { unsubscribe(): void }

  constructor({ holds$ }: Pick<Kernel, 'holds$'>) {
    this.#watched = holds$.subscribe((holds) => this.#held(holds))
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  /** A request that was answered without a turn; `dialect`: one of the gateway's own names for a path. */
  answered(dialect: string, status: number): void {
    this.#requests.inc({ dialect, status })
  }

  streamBegan(): void {
    this.#streams.inc()
  }

  streamEnded(): void {
    this.#streams.dec()
  }

  over(dialect: string, { status, outcome, startedAt, firstByteAt }: Over, ms: number): void {
    this.#requests.inc({ dialect, status })
    this.#duration.observe({ dialect }, ms / 1_000)
    if (firstByteAt !== null) this.#firstByte.observe({ dialect }, secondsBetween(startedAt, firstByteAt))
    if (outcome !== null) this.#turn(outcome)
  }

  stop(): void {
    this.#watched.unsubscribe()
  }

  #turn({ kind, attempts }: Outcome): void {
    this.#turns.inc({ outcome: kind })
    for (const [index, { entry, result, usage, cost }] of attempts.entries()) {
      const profile = profileOf(entry)
      this.#attempts.inc({ profile, result: result ?? 'unknown' })
      if (usage?.input !== undefined) this.#tokens.inc({ profile, kind: 'input' }, usage.input)
      if (usage?.output !== undefined) this.#tokens.inc({ profile, kind: 'output' }, usage.output)
      if (cost !== null) this.#cost.inc({ profile }, cost)
      const before = attempts[index - 1]
      if (before === undefined || profileOf(before.entry) === profile) continue
      this.#fallbacks.inc({ from: profileOf(before.entry), to: profile, reason: before.result ?? 'unknown' })
    }
  }

  #held(holds: readonly Hold[]): void {
    this.#holds.reset()
    for (const reason of ['cooldown', 'limit', 'outage'] as const) {
      this.#holds.set({ reason }, holds.filter((hold) => hold.reason === reason).length)
    }
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] })
  }

  #histogram(name: string, help: string): Histogram<'dialect'> {
    return new Histogram({ name, help, labelNames: ['dialect'], buckets: SECONDS, registers: [this.#registry] })
  }
}

/** The profile of an entry, without the number of a credential. */
function profileOf(entry: string): string {
  return (entry.split('/')[0] ?? '').replace(/#\d+$/, '')
}

/** A clock that was set back meanwhile measures nothing. */
function secondsBetween(from: number, to: number): number {
  return Math.max(0, to - from) / 1_000
}
