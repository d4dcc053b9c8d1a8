import { isObject } from '../../http/json-object.ts'
import { factsOf } from '../notice/facts.ts'
import { type LineOf, PROGRESS, type Said, textOf, type Voice, words } from '../notice/voice.ts'
import { GEMINI_WORDINGS } from './notices.ts'

/**
 * Where the Gemini CLI speaks for itself (cli-engines.md §4): the error of its `result`, `error` events that are no warnings, standard error.
 *
 * 1. It exits with 0 after an error as well (a cut stream): the status of the result decides where there is one.
 * 2. A pause of over a minute that it announces is the limit which it sleeps out; a shorter one is a retry.
 */
export const geminiVoice: Voice = {
  event(event) {
    switch (event.type) {
      case 'init':
        return typeof event.model === 'string' ? [{ as: 'model', name: event.model }] : []
      case 'result':
        return event.status === 'success' ? [{ as: 'ended', how: 'well', text: '' }] : failed(event.error)
      case 'error':
        return event.severity === 'warning' ? [] : [words(textOf(event.message), { facts: factsOf({ error: event.error }) })]
      case undefined:
        // `-o json` prints one document.
        if (isObject(event.error)) return failed(event.error)
        return typeof event.response === 'string' ? [{ as: 'ended', how: 'well', text: '' }] : PROGRESS
      default:
        return PROGRESS
    }
  },
  message: messageSays,
  line(text): LineOf {
    if (/^(?:(?:security )?warning\b|\[STARTUP\]|Ripgrep is not available|Loaded cached credentials|Data collection is disabled)/i.test(text))
      return 'note'
    const said = messageSays(text)
    return said.as === 'words' ? 'words' : said
  },
  openings: [
    /^Error when talking to Gemini API Full report available at: \S{1,400} /i,
    /^(?:Attempt \d{1,3} failed(?: with status \d{3})?[:.]|exception|An unexpected critical error occurred:) ?/i,
  ],
  wordings: GEMINI_WORDINGS,
  exitTells: true,
  quotaBy429: true,
}

/** A pause past it is a sleep. */
const LONGEST_PAUSE_MS = 60_000
const START = 4000

function messageSays(text: string): Said {
  const pause = /\bRetrying (?:after|in) (\d{1,12}) ?ms\b/i.exec(text.slice(0, START))?.[1]
  if (pause !== undefined) return Number(pause) > LONGEST_PAUSE_MS ? { as: 'sleep', ms: Number(pause), text } : { as: 'retry', text }
  return /^Attempt \d{1,3} failed\b.{0,400}\bRetrying (?:with backoff|after|in)\b/i.test(text.slice(0, START)) ? { as: 'retry', text } : words(text)
}

function failed(error: unknown): readonly Said[] {
  const text = textOf(isObject(error) ? error.message : error)
  return [{ as: 'ended', how: 'badly', text }, words(text, { facts: factsOf({ error }), last: true })]
}
