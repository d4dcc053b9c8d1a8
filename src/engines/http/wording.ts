/**
 * The only words that are read out of provider text (R17, C38). Everything else is decided by status and typed code.
 *
 * 1. A phrase counts only where a word begins, so that `cannot include` is no `not include`.
 * 2. Matching is linear in the text: plain search, or a pattern whose every repetition is bounded.
 * 3. A number is looked for only to anchor a phrase; its value decides nothing.
 */

/** The part of C38 that names a plan or a balance: no period ends it. */
const UNCOVERED = [
  'plan does not include',
  "doesn't include",
  'not include',
  'insufficient balance',
  'insufficient_balance',
  'out of credits',
  'no available package',
  'package not active',
  'purchase package',
  'model not available for your plan',
]

/** The part of C38 that names a quota, which may be one of a day. */
const SPENT = ['insufficient quota', 'insufficient_quota', 'quota exhausted']

/** Periods of a day or longer: such a quota has a reset, so waiting does help (faces.md §2). */
const LONG_PERIOD = ['per day', 'daily', 'per week', 'weekly', 'per month', 'monthly', '(rpd)', '(tpd)']

/** R20. First the list of the rulings, then what single providers say, each with its source. */
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
  // The typed code, quoted in a text by a router.
  'context_length_exceeded',
  // Groq (pi-mono packages/ai overflow.ts).
  'reduce the length of the messages',
  // LM Studio (the same).
  'greater than the context length',
  // MiniMax (the same).
  'context window exceeds limit',
  // Kimi (the same).
  'exceeded model token limit',
  // Anthropic: what was asked for does not fit behind what was sent.
  'exceed context limit',
  // Ollama with truncation off, and in its cloud.
  'exceeded max context length',
  'input length exceeds the context length',
  // vLLM since it names the length of the prompt.
  'longer than the maximum model length',
  // Text Generation Inference of Hugging Face.
  '`inputs` tokens + `max_new_tokens` must be',
]

/** Phrases with a number inside. */
const CONTEXT_PATTERNS = [
  // Gemini and Vertex: `The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)` (pi-mono, as above).
  /\binput token count (?:\(?\d{1,12}\)? )?exceeds the maximum/,
  // xAI: `This model's maximum prompt length is 131072 but …` (the same).
  /\bmaximum prompt length is \d/,
  // GitHub Copilot: `prompt token count of 140000 exceeds the limit of 128000` (the same).
  /\bprompt token count of \d{1,12} exceeds the limit of/,
]

/** A count of tokens in a time is a rate. What stands behind or before a phrase of `CONTEXT` then takes it back. */
const RATE_BEHIND = [
  ' per sec',
  ' per min',
  ' per hour',
  ' per day',
  ' per week',
  ' per month',
  '/',
  ', please wait',
  ' in the last ',
  ' in the past ',
]
const RATE_BEFORE = ['minute ', 'hourly ', 'daily ', 'weekly ', 'monthly ']

/** Refusals that no typed code tells: the type beside them says `invalid_request_error` or nothing. */
const FILTERED = [
  // Anthropic, with a 400.
  'output blocked by content filtering policy',
  // OpenRouter, with a 403.
  'input was flagged',
  // Azure, through a gateway that drops the code.
  "azure openai's content management policy",
  // OpenAI, with `invalid_prompt`.
  'prompt was flagged as potentially violating',
]

const LETTER = /[a-z0-9]/

/** The text as the lists are compared with it: lower case, one kind of apostrophe, single spaces. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/\s+/g, ' ')
}

type Counts = (text: string, from: number, end: number) => boolean

const always: Counts = () => true

function holds(lower: string, phrases: readonly string[], counts: Counts = always): boolean {
  return phrases.some((phrase) => {
    for (let at = lower.indexOf(phrase); at >= 0; at = lower.indexOf(phrase, at + 1)) {
      if ((at === 0 || !LETTER.test(lower.charAt(at - 1))) && counts(lower, at, at + phrase.length)) return true
    }
    return false
  })
}

const isNoRate: Counts = (text, from, end) =>
  !RATE_BEHIND.some((words) => text.startsWith(words, end)) && !RATE_BEFORE.some((words) => from >= words.length && text.endsWith(words, from))

/** A 429 that says so is about a plan or a balance, which no wait changes (C38). */
export function saysUncovered(texts: readonly string[]): boolean {
  return texts.some((text) => holds(plain(text), UNCOVERED))
}

/** A 429 that says so has spent a quota (C38). */
export function saysSpent(texts: readonly string[]): boolean {
  return texts.some((text) => holds(plain(text), SPENT))
}

/** The prompt did not fit, whatever the status (R20). */
export function saysContextWindow(texts: readonly string[]): boolean {
  return texts.some((text) => {
    const lower = plain(text)
    return holds(lower, CONTEXT, isNoRate) || CONTEXT_PATTERNS.some((pattern) => pattern.test(lower))
  })
}

/** The quota named is one of a day or longer. */
export function saysLongPeriod(texts: readonly string[]): boolean {
  return texts.some((text) => holds(plain(text), LONG_PERIOD))
}

/** A refusal of the prompt or of the answer (R22). */
export function saysFiltered(texts: readonly string[]): boolean {
  return texts.some((text) => holds(plain(text), FILTERED))
}

/** A tool call that the provider itself checked and threw out (C36), told by how the message begins. */
export function saysToolRejected(texts: readonly string[]): boolean {
  return texts.some((text) => plain(text).trimStart().startsWith('tool call validation failed'))
}
