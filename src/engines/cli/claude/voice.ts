import { isObject, type JsonObject } from '../../http/json-object.ts'
import { factsOf } from '../notice/facts.ts'
import { NO_FACTS, PROGRESS, type Said, textOf, type Voice, words } from '../notice/voice.ts'
import { CLAUDE_WORDINGS } from './notices.ts'

/**
 * Where claude speaks for itself (cli-engines.md §2): `<synthetic>` messages, the result of a run that failed, `rate_limit_event`, `api_retry`.
 *
 * 1. `subtype` is "success" on every failure: only `is_error` tells.
 * 2. Messages of a subagent are its parent's business.
 */
export const claudeVoice: Voice = {
  event(event) {
    switch (event.type) {
      case 'system':
        return systemSays(event)
      case 'rate_limit_event':
        return standingOf(event.rate_limit_info)
      case 'assistant':
        return syntheticSays(event)
      case 'error':
        return [words(textOf(isObject(event.error) ? event.error.message : event.error), { facts: factsOf(event), guarded: true })]
      default:
        return typeof event.is_error === 'boolean' ? resultSays(event, event.is_error) : PROGRESS
    }
  },
  message: (text) => words(text, { guarded: true }),
  line: (text) => (/^warning\b/i.test(text) ? 'note' : 'words'),
  openings: [/^API Error \((?=[A-Z])/i],
  wordings: CLAUDE_WORDINGS,
  exitTells: true,
  quotaBy429: false,
}

function systemSays(event: JsonObject): readonly Said[] {
  if (event.subtype === 'init') return typeof event.model === 'string' ? [{ as: 'model', name: event.model }] : []
  if (event.subtype !== 'api_retry') return PROGRESS
  return [{ as: 'retry', text: `${textOf(event.error)} ${typeof event.error_status === 'number' ? event.error_status : ''}`.trim() }]
}

function standingOf(info: unknown): readonly Said[] {
  if (!isObject(info)) return []
  const rejected = (info.status === 'rejected' || info.status === 'blocked') && info.isUsingOverage !== true
  const type = typeof info.rateLimitType === 'string' ? info.rateLimitType.slice(0, 60) : null
  return [{ as: 'standing', standing: { rejected, type, resetsAt: info.resetsAt ?? null } }]
}

function syntheticSays(event: JsonObject): readonly Said[] {
  const message = isObject(event.message) ? event.message : {}
  if (message.model !== '<synthetic>' || typeof event.parent_tool_use_id === 'string') return PROGRESS
  const content = Array.isArray(message.content) ? message.content.slice(0, BLOCKS) : []
  const text = content.flatMap((block) => (isObject(block) && block.type === 'text' ? textOf(block.text) : [])).join(' ')
  return [words(text, { facts: { ...NO_FACTS, words: typeof event.error === 'string' ? [event.error] : [] } })]
}

const BLOCKS = 16

/** Versions of 2025 gave their limit as the answer of a run that had not failed. */
const OLD_NOTICE = /^Claude AI (?:\w{1,20} )?usage limit reached\|\d{10,13}$/

function resultSays(event: JsonObject, isError: boolean): readonly Said[] {
  const text = textOf(event.result)
  if (!isError && !OLD_NOTICE.test(text.slice(0, 100).trim())) return [{ as: 'ended', how: 'well', text: '' }]
  const status = event.api_error_status
  const facts = { ...NO_FACTS, statuses: typeof status === 'number' ? [status] : [] }
  const errors = Array.isArray(event.errors) ? event.errors.slice(0, BLOCKS).map(textOf) : []
  const said = [text, ...errors].filter((one) => one.trim() !== '')
  return [{ as: 'ended', how: 'badly', text }, ...said.map((one) => words(one, { facts, last: true, guarded: true }))]
}
