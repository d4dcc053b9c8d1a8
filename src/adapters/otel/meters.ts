import type { Attributes, Counter, Histogram, Meter, MetricOptions } from '@opentelemetry/api'
import { familyOf } from '../../model/plan.ts'
import type { LimitMessage } from '../../runtime/channels.ts'
import { GEN_AI, METRIC_NAMES, type MetricNames, type NameVersion, OTHER_MODEL, OWN, OWN_METRICS, providerOf, SPAN } from './names.ts'
import { type AttemptEnded, type AttemptStarted, type Ended, isAttemptError } from './spans.ts'

const SECONDS: MetricOptions = {
  unit: 's',
  advice: { explicitBucketBoundaries: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92] },
}
const TOKENS: MetricOptions = {
  unit: '{token}',
  description: 'Tokens of an attempt, as its provider told them.',
  advice: { explicitBucketBoundaries: Array.from({ length: 14 }, (_, power) => 4 ** power) },
}

/** From one entry to the next, and why. */
export interface Fallback {
  readonly from: string
  readonly to: string
  readonly reason: string
}

/**
 * What is counted and measured.
 *
 * 1. No attribute has more values than the settings have entries or a closed list has words (TEL-02): a model stands there when an entry is
 *    pinned to it, and is `other` when a caller chose it.
 * 2. A count of tokens that nobody told is not recorded (R34).
 */
export class Meters {
  readonly #names: MetricNames
  readonly #duration: Histogram
  readonly #firstChunk: Histogram
  readonly #tokens: readonly [input: TokenMeter, output: TokenMeter]
  readonly #turnDuration: Histogram
  readonly #attempts: Counter
  readonly #fallbacks: Counter
  readonly #holds: Counter

  constructor(meter: Meter, version: NameVersion) {
    this.#names = METRIC_NAMES[version]
    this.#duration = meter.createHistogram(this.#names.duration, { ...SECONDS, description: 'Duration of an attempt.' })
    this.#firstChunk = meter.createHistogram(this.#names.timeToFirstChunk, {
      ...SECONDS,
      description: 'From the start of an attempt to the first of its output that a reader saw.',
    })
    this.#tokens = tokenMeters(meter, this.#names)
    this.#turnDuration = meter.createHistogram(OWN_METRICS.turnDuration, { ...SECONDS, description: 'Duration of a turn, waits included.' })
    this.#attempts = meter.createCounter(OWN_METRICS.attempts, { unit: '{attempt}', description: 'Attempts that ended.' })
    this.#fallbacks = meter.createCounter(OWN_METRICS.fallbacks, { unit: '{fallback}', description: 'Turns that went on to another entry.' })
    this.#holds = meter.createCounter(OWN_METRICS.holds, { unit: '{hold}', description: 'Holds that turns have brought.' })
  }

  firstChunk(started: AttemptStarted, ms: number): void {
    this.#firstChunk.record(seconds(ms), operationOf(started))
  }

  attempt(started: AttemptStarted, { result, usage, at }: AttemptEnded): void {
    const operation = operationOf(started)
    this.#duration.record(seconds(at - started.at), isAttemptError(result) ? { ...operation, [GEN_AI.errorType]: result } : operation)
    this.#attempts.add(1, { ...operation, [OWN.result]: result })
    const [input, output] = this.#tokens
    if (usage?.input !== undefined) input(usage.input, { ...operation, ...this.#names.inputTokens.attributes })
    if (usage?.output !== undefined) output(usage.output, { ...operation, ...this.#names.outputTokens.attributes })
  }

  fallback({ from, to, reason }: Fallback): void {
    this.#fallbacks.add(1, { [OWN.from]: from, [OWN.to]: to, [OWN.reason]: reason })
  }

  /** Its profile stands for the key, in which there may be a model. */
  hold({ hold }: LimitMessage): void {
    const [profile] = hold.key.split('/')
    this.#holds.add(1, { [OWN.profile]: profile, [OWN.reason]: hold.reason })
  }

  turn({ kind, startedAt, at }: Ended): void {
    this.#turnDuration.record(seconds(at - startedAt), { [OWN.outcome]: kind })
  }
}

type TokenMeter = (tokens: number, attributes: Attributes) => void

function tokenMeters(meter: Meter, { tokens, inputTokens, outputTokens }: MetricNames): [TokenMeter, TokenMeter] {
  const made = (name: string): TokenMeter => {
    if (tokens === 'histogram') {
      const histogram = meter.createHistogram(name, TOKENS)
      return (value, attributes) => histogram.record(value, attributes)
    }
    const { advice: _, ...options } = TOKENS
    const counter = meter.createCounter(name, options)
    return (value, attributes) => counter.add(value, attributes)
  }
  const input = made(inputTokens.name)
  return [input, outputTokens.name === inputTokens.name ? input : made(outputTokens.name)]
}

function operationOf({ entry, profile, model }: AttemptStarted): Attributes {
  return {
    [GEN_AI.operation]: SPAN.operation,
    [GEN_AI.provider]: providerOf(familyOf(profile)),
    [GEN_AI.requestModel]: isPinned(entry, profile, model) ? model : OTHER_MODEL,
  }
}

/** An entry is called by the model that the settings pin it to; an unpinned one sends whatever a caller asked for. */
function isPinned(entry: string, profile: string, model: string): boolean {
  return entry === `${profile}/${model}`
}

/** A clock that was set back meanwhile measures nothing. */
function seconds(ms: number): number {
  return Math.max(0, ms) / 1_000
}
