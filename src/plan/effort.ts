import type { EffortRouting } from '../model/settings.ts'

/** How much a prompt asks of a model (R37). */
export type Effort = 'simple' | 'standard' | 'complex'

/** Classes a prompt without calling any model; the same prompt always gets the same class. */
export type Estimator = (prompt: string) => Effort

const CODE_FENCE = '```'

/**
 * The estimator of R38: complex over `complexOver` code points, with a code fence, or with two different signals; simple under
 * `simpleUnder` code points and without a signal; else standard. The patterns are made once here, not for every prompt.
 */
export function estimatorOf({ signals, complexOver, simpleUnder }: EffortRouting): Estimator {
  const patterns = signalPatterns(signals)
  return (prompt) => {
    const length = codePoints(prompt, Math.max(complexOver, simpleUnder))
    if (length > complexOver || prompt.includes(CODE_FENCE)) return 'complex'
    const count = countSignals(prompt, patterns)
    if (count >= 2) return 'complex'
    return length < simpleUnder && count === 0 ? 'simple' : 'standard'
  }
}

/** Code points, counted no further than just past `limit`: a long prompt must not cost more than a short one. */
function codePoints(text: string, limit: number): number {
  if (text.length > 2 * limit) return limit + 1
  let count = 0
  for (const _ of text) {
    count++
    if (count > limit) break
  }
  return count
}

/** Signals that differ only in case are one; the words of a phrase may be parted by any white space. */
function signalPatterns(signals: readonly string[]): RegExp[] {
  const distinct = new Set(signals.map((signal) => signal.trim().toLowerCase()).filter((signal) => signal !== ''))
  return [...distinct].map((signal) => {
    const words = signal.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    return new RegExp(`(?<![\\p{L}\\p{N}_])${words.join('\\s+')}(?![\\p{L}\\p{N}_])`, 'iu')
  })
}

function countSignals(prompt: string, patterns: readonly RegExp[]): number {
  let count = 0
  for (const pattern of patterns) {
    if (pattern.test(prompt)) count++
    if (count === 2) break
  }
  return count
}

/** A host's own estimator; undefined, so that the one of the settings classes, where there is none. One that throws classes a prompt as standard: it stays local. */
export function guardedEstimator(estimate: Estimator | undefined, onError: (error: unknown) => void): Estimator | undefined {
  if (estimate === undefined) return undefined
  return (prompt) => {
    try {
      const effort: unknown = estimate(prompt)
      if (effort === 'simple' || effort === 'complex') return effort
      // One that answers later has classed nothing; and a rejection that nobody handles ends a process.
      if (effort instanceof Promise) effort.catch(onError)
      return 'standard'
    } catch (error) {
      onError(error)
      return 'standard'
    }
  }
}
