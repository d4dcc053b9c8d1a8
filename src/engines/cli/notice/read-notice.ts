import type { Notice } from '../../../model/notice.ts'
import { isObject, type JsonObject } from '../../http/json-object.ts'
import { type OutputLine, outputLine } from '../output-line.ts'
import { factsOf } from './facts.ts'
import type { NoticeInput } from './input.ts'
import { NoticeListener } from './listener.ts'
import { words } from './voice.ts'
import { VOICES } from './voices.ts'

/**
 * What a CLI printed, read as if it were running: the listener is shown the lines of it, so that a recorded notice and a live one are the same.
 *
 * 1. It never throws, and takes the time of the length of the text.
 */
export function readNotice(input: NoticeInput): Notice {
  const listener = new NoticeListener(input.provider, input.zone)
  show(input, listener)
  return listener.read(input)
}

/** The engine that a limit takes out: the provider, or the model that the notice binds (T6). */
export function engineOfNotice(provider: string, notice: Notice): string {
  return notice.model === null ? provider : `${provider}:${notice.model}`
}

function show({ provider, raw, channel }: NoticeInput, listener: NoticeListener): void {
  switch (channel) {
    // Text is text, also where it looks like an event.
    case 'stdout-text':
    case 'pty':
      for (const text of raw.split('\n')) listener.take({ from: 'stdout', text, json: null })
      break
    case 'stdout-ndjson':
      for (const text of raw.split('\n')) listener.take(outputLine('stdout', text))
      break
    case 'stdout-json':
      for (const line of documentLines(raw)) listener.take(line)
      break
    case 'stderr':
      for (const text of raw.split('\n')) listener.take(outputLine('stderr', text))
      break
    case 'stdout-json-message': {
      // Which field it was is not known, so that it may be text of a model.
      const said = VOICES[provider].message(raw)
      listener.hear(said.as === 'words' ? { ...said, guarded: true } : said)
      break
    }
    case 'api-json': {
      const facts = factsOf(jsonOf(raw) ?? jsonOf(`{${raw}}`))
      listener.hear(words(facts.texts[0] ?? raw, { facts, last: true }))
      break
    }
    case 'log-file':
      for (const text of raw.split('\n')) listener.takeLog(text)
      break
  }
}

/** One document, printed over as many lines as it likes, or a list of events; else lines. */
function documentLines(raw: string): OutputLine[] {
  const value = jsonOf(raw)
  const events = Array.isArray(value) ? value.filter(isObject) : isObject(value) ? [value] : null
  if (events === null) return raw.split('\n').map((text) => outputLine('stdout', text))
  return events.map((json: JsonObject) => ({ from: 'stdout', text: '', json }))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
