/**
 * The only words that are read out of provider text (R17, C38). Everything else is decided by status and typed code.
 *
 * 1. A phrase counts only where a word begins, so that `cannot include` is no `not include`.
 * 2. Matching is linear in the text: plain search, no pattern that can backtrack.
 */
const QUOTA = [
  'plan does not include',
  "doesn't include",
  'not include',
  'insufficient balance',
  'insufficient_balance',
  'insufficient quota',
  'insufficient_quota',
  'quota exhausted',
  'out of credits',
  'no available package',
  'package not active',
  'purchase package',
  'model not available for your plan',
]

const CONTEXT = [
  'exceeds the context window',
  'exceeds the available context size',
  'context window of this model',
  'maximum context length',
  'context length exceeded',
  'too many tokens',
  'token limit exceeded',
  'prompt is too long',
  'input is too long',
  'prompt exceeds max length',
]

/** Periods of a day or longer: such a quota has a reset, so waiting does help (faces.md §2). */
const LONG_PERIOD = ['per day', 'daily', 'per week', 'weekly', 'per month', 'monthly', '(rpd)', '(tpd)']

const LETTER = /[a-z0-9]/

/** The text as the lists are compared with it: lower case, one kind of apostrophe, single spaces. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/\s+/g, ' ')
}

function holds(text: string, phrases: readonly string[]): boolean {
  const lower = plain(text)
  return phrases.some((phrase) => {
    for (let at = lower.indexOf(phrase); at >= 0; at = lower.indexOf(phrase, at + 1)) {
      if (at === 0 || !LETTER.test(lower.charAt(at - 1))) return true
    }
    return false
  })
}

/** A 429 that says so cannot be waited out (C38). */
export function saysQuota(texts: readonly string[]): boolean {
  return texts.some((text) => holds(text, QUOTA))
}

/** The prompt did not fit, whatever the status (R20). */
export function saysContextWindow(texts: readonly string[]): boolean {
  return texts.some((text) => holds(text, CONTEXT))
}

/** The quota named is one of a day or longer. */
export function saysLongPeriod(texts: readonly string[]): boolean {
  return texts.some((text) => holds(text, LONG_PERIOD))
}

/** A tool call that the provider itself checked and threw out (C36), told by how the message begins. */
export function saysToolRejected(texts: readonly string[]): boolean {
  return texts.some((text) => plain(text).trimStart().startsWith('tool call validation failed'))
}
