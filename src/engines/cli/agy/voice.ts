import { isObject, type JsonObject } from '../../http/json-object.ts'
import { factsOf } from '../notice/facts.ts'
import { PROGRESS, type Said, textOf, type Voice, words } from '../notice/voice.ts'
import { AGY_WORDINGS } from './notices.ts'

/**
 * Where agy speaks for itself (cli-engines.md §5): the error of its `result`, and standard error. Steps are the model's and its tools'.
 *
 * 1. `SUCCESS` is no success without an answer, or where an action was denied.
 * 2. An exit of 0 tells nothing.
 */
export const agyVoice: Voice = {
  event(event) {
    if (event.event === 'init') return modelOf(isObject(event.init) ? event.init : event)
    if (event.event === 'result') return resultSays(isObject(event.result) ? event.result : {})
    // `--output-format json` prints the inner object alone.
    if (event.event === undefined && typeof event.status === 'string') return resultSays(event)
    return event.event === 'error' ? [words(errorText(event.error), { facts: factsOf(event) })] : PROGRESS
  },
  message: (text) => words(text),
  line(text) {
    if (GLOG.test(text)) return TRIES_AGAIN.test(text) ? { as: 'retry', text } : 'note'
    return /^warning\b/i.test(text) ? 'note' : 'words'
  },
  openings: [
    /^AGY_ERROR: ?/,
    /^agy failed: /i,
    /^[A-Z_]{5,30} \(code \d{1,3}\): /,
    /^(?:agent executor error|generating and executing|resource exhausted): /i,
    /^Error \d{3}, Message: /,
    /^HTTP \d{3}(?: [A-Za-z]{1,20}){0,4}:? (?=Status: )/,
  ],
  wordings: AGY_WORDINGS,
  exitTells: false,
  quotaBy429: true,
}

/** A line of its log, and what in one says that it tries again. */
const GLOG = /^[IWEF]\d{4} \d\d:\d\d:\d\d/
const TRIES_AGAIN = /\b(?:retry(?:ing)?|attempt \d{1,3}|backoff)\b/i

function modelOf(init: JsonObject): readonly Said[] {
  return typeof init.model === 'string' ? [{ as: 'model', name: init.model }] : []
}

function errorText(error: unknown): string {
  return textOf(isObject(error) ? error.message : error)
}

function resultSays(result: JsonObject): readonly Said[] {
  if (result.status === 'SUCCESS') {
    const isDenied = Array.isArray(result.denied_actions) && result.denied_actions.length > 0
    const how = isDenied || textOf(result.response).trim() === '' ? 'unusable' : 'well'
    return [{ as: 'ended', how, text: isDenied ? 'an action was denied' : '' }]
  }
  const text = errorText(result.error)
  return [{ as: 'ended', how: 'badly', text }, words(text, { facts: factsOf({ error: result.error }), last: true })]
}
