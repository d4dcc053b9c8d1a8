import { isObject } from '../../http/json-object.ts'
import { PROGRESS, type Said, textOf, type Voice, words } from '../notice/voice.ts'
import { CODEX_WORDINGS } from './notices.ts'

/**
 * Where codex speaks for itself (cli-engines.md §3): `turn.failed`, `error`, and in text mode the `ERROR:` lines of standard error.
 *
 * 1. An `error` is not terminal: "Reconnecting... n/m" carries the cause of a try that is being made again.
 * 2. "Reconnecting... waiting for network" has no end, so it is the outage itself (finding 5).
 * 3. Text mode prints the prompt, the work and the answer on standard error as well: behind its banner only marked lines count.
 */
export const codexVoice: Voice = {
  event(event) {
    switch (event.type) {
      case 'turn.completed':
        return [{ as: 'ended', how: 'well', text: '' }]
      case 'turn.failed': {
        const text = textOf(isObject(event.error) ? event.error.message : event.error)
        return [{ as: 'ended', how: 'badly', text }, words(text, { last: true })]
      }
      case 'error':
      case 'stream_error':
        return [messageSays(textOf(event.message))]
      default:
        return PROGRESS
    }
  },
  message: messageSays,
  line(text) {
    if (/^OpenAI Codex v?\d/.test(text)) return 'banner'
    if (/^(?:warning:|Reading (?:additional input|prompt) from stdin)/i.test(text)) return 'note'
    const error = /^(?:ERROR|error): /.exec(text)
    const said = messageSays(error === null ? text : text.slice(error[0].length))
    if (said.as !== 'words') return said
    return error?.[0] === 'ERROR: ' ? 'marked' : 'words'
  },
  openings: [
    /^unexpected status \d{3}(?: [A-Za-z]{1,20}){0,4}: /,
    /^(?:stream error|fatal error|failed to refresh available models|last error): ?/i,
    /^exec error: /i,
  ],
  wordings: CODEX_WORDINGS,
  exitTells: true,
  quotaBy429: false,
}

function messageSays(text: string): Said {
  const start = text.slice(0, START).trimStart()
  if (/^Reconnecting\W{0,8}waiting for network/i.test(start)) return { as: 'waiting', text }
  if (/^Reconnecting\W{0,8}\d{1,4}\/\d{1,4}/i.test(start) || /\bretrying \d{1,4}\/\d{1,4} in \d/i.test(start)) return { as: 'retry', text }
  return words(text)
}

/** Where a message says that it is one of a retry. */
const START = 2000
