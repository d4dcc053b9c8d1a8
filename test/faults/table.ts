import { IN_STREAM, REFUSALS, SEQUENCES } from './refusals.ts'
import {
  AFTER_FIRST_TEXT,
  afterText,
  BEFORE_FINISH,
  faulty,
  HEALTHY,
  IN_FIRST_TEXT,
  IN_SECOND_TEXT,
  type Row,
  secondServes,
  served,
  whoeverReads,
} from './row.ts'

/**
 * Every fault that a provider can have, and what a turn makes of it. The matrix test runs each row in every protocol and for every reader;
 * docs/faults.md prints it.
 */
const STOPPED = 'what is missing after `messageStop` is the usage alone'
const FINISH_IS_ENOUGH = 'the end of bytes after a `finish_reason` is an end (`completion: done` asks for `[DONE]`)'

const SILENCES: readonly Row[] = [
  {
    does: 'takes the request and says nothing',
    ...faulty({ kind: 'silence' }),
    expected: whoeverReads(secondServes('timeout', { end: 'client_gone' })),
  },
  {
    does: 'stalls before its headers are whole',
    ...faulty({ kind: 'stallBeforeHeaders' }),
    expected: whoeverReads(secondServes('timeout', { end: 'client_gone' })),
  },
  {
    does: 'stalls after its headers',
    ...faulty({ kind: 'stall', at: 0 }),
    expected: whoeverReads(secondServes('timeout', { end: 'client_gone' })),
  },
  {
    does: 'stalls inside its first event',
    ...faulty({ kind: 'stall', at: IN_FIRST_TEXT }),
    expected: whoeverReads(secondServes('timeout', { end: 'client_gone' })),
  },
  {
    does: 'stalls between two events, after text',
    ...faulty({ kind: 'stall', at: AFTER_FIRST_TEXT }),
    expected: afterText('timeout', 'part', secondServes('timeout', { end: 'client_gone' }), { end: 'client_gone' }),
  },
  {
    does: 'stalls inside an event, after text',
    ...faulty({ kind: 'stall', at: IN_SECOND_TEXT }),
    expected: afterText('timeout', 'part', secondServes('timeout', { end: 'client_gone' }), { end: 'client_gone' }),
  },
  {
    does: 'gives its whole answer and keeps the connection open',
    ...faulty({ kind: 'holdOpen' }),
    expected: whoeverReads(served({ end: 'client_gone' }), secondServes('timeout', { end: 'client_gone' })),
  },
]

const CUTS: readonly Row[] = [
  { does: 'closes the connection without a byte', ...faulty({ kind: 'closeAtOnce' }), expected: whoeverReads(secondServes('network')) },
  {
    does: 'resets the connection without a byte',
    stream: [{ network: 'ECONNRESET' }],
    call: [{ network: 'ECONNRESET' }],
    expected: whoeverReads(secondServes('network')),
  },
  {
    does: 'sends headers and a clean end, nothing else',
    ...faulty({ kind: 'cut', at: 0, by: 'end' }),
    expected: whoeverReads(secondServes('truncated'), secondServes('protocol')),
  },
  {
    does: 'ends cleanly inside its first event',
    ...faulty({ kind: 'cut', at: IN_FIRST_TEXT, by: 'end' }),
    expected: whoeverReads(secondServes('truncated'), secondServes('protocol')),
  },
  {
    does: 'closes the connection inside its first event',
    ...faulty({ kind: 'cut', at: IN_FIRST_TEXT, by: 'fin' }),
    expected: whoeverReads(secondServes('truncated', { end: 'broken_off' })),
  },
  {
    does: 'resets the connection inside its first event',
    ...faulty({ kind: 'cut', at: IN_FIRST_TEXT, by: 'rst' }),
    expected: whoeverReads(secondServes('network', { end: 'broken_off' })),
  },
  {
    does: 'ends cleanly between two events, after text',
    ...faulty({ kind: 'cut', at: AFTER_FIRST_TEXT, by: 'end' }),
    expected: afterText('truncated', 'part', secondServes('protocol')),
  },
  {
    does: 'closes the connection between two events, after text',
    ...faulty({ kind: 'cut', at: AFTER_FIRST_TEXT, by: 'fin' }),
    expected: afterText('truncated', 'part', secondServes('truncated')),
  },
  {
    does: 'resets the connection between two events, after text',
    ...faulty({ kind: 'cut', at: AFTER_FIRST_TEXT, by: 'rst' }),
    expected: afterText('network', 'part', secondServes('network')),
  },
  {
    does: 'ends cleanly inside an event, after text',
    ...faulty({ kind: 'cut', at: IN_SECOND_TEXT, by: 'end' }),
    expected: afterText('truncated', 'part', secondServes('protocol')),
  },
  {
    does: 'ends cleanly after all of its text, before it says why it stops',
    ...faulty({ kind: 'cut', at: BEFORE_FINISH, by: 'end' }),
    expected: afterText('truncated', 'whole', secondServes('protocol')),
  },
  {
    does: 'ends cleanly before its last frame',
    ...faulty({ kind: 'cut', at: { frame: -1 }, by: 'end' }),
    expected: afterText('truncated', 'whole', secondServes('protocol')),
    differs: {
      'openai-chat': { why: FINISH_IS_ENOUGH, event: served(), draft: served() },
      'bedrock-converse': { why: STOPPED, event: served(), draft: served() },
    },
  },
  {
    does: 'ends cleanly two bytes before the end of its body',
    ...faulty({ kind: 'cut', at: -2, by: 'end' }),
    expected: afterText('truncated', 'whole', secondServes('protocol')),
    differs: {
      'openai-chat': { why: FINISH_IS_ENOUGH, event: served(), draft: served() },
      'bedrock-converse': { why: STOPPED, event: served(), draft: served() },
    },
  },
  {
    does: 'resets the connection two bytes before the end of its body',
    ...faulty({ kind: 'cut', at: -2, by: 'rst' }),
    expected: afterText('network', 'whole', secondServes('network')),
    differs: {
      'openai-chat': { why: FINISH_IS_ENOUGH, event: served(), draft: served() },
      'bedrock-converse': { why: STOPPED, event: served(), draft: served() },
    },
  },
]

const PACES: readonly Row[] = [
  { does: 'is healthy', ...HEALTHY, expected: whoeverReads(served({ end: 'answered' })) },
  { does: 'writes byte by byte', ...faulty({ kind: 'dribble', bytes: 1, everyMs: 0 }), expected: whoeverReads(served()) },
  { does: 'writes one frame at a time', ...faulty({ kind: 'slow', everyMs: 1 }), expected: whoeverReads(served()) },
]

const NONSENSE: readonly Row[] = [
  { does: 'answers what is no HTTP', ...faulty({ kind: 'notHttp', bytes: 200 }), expected: whoeverReads(secondServes('protocol')) },
  { does: 'sends headers of 64 KiB', ...faulty({ kind: 'headerBomb', bytes: 65_536 }), expected: whoeverReads(secondServes('network')) },
  {
    does: 'breaks the chunked framing inside its first event',
    ...faulty({ kind: 'brokenFraming', at: IN_FIRST_TEXT }),
    expected: whoeverReads(secondServes('protocol')),
  },
  {
    does: 'breaks the chunked framing after text',
    ...faulty({ kind: 'brokenFraming', at: AFTER_FIRST_TEXT }),
    expected: afterText('protocol', 'part', secondServes('protocol')),
  },
  {
    does: 'sends random bytes instead of an answer',
    ...faulty({ kind: 'garbage', bytes: 500 }),
    expected: whoeverReads(secondServes('protocol')),
  },
  {
    does: 'sends random bytes inside its first event',
    ...faulty({ kind: 'garbage', bytes: 64, at: IN_FIRST_TEXT }),
    expected: whoeverReads(secondServes('protocol')),
  },
  {
    does: 'sends random bytes inside an event, after text',
    ...faulty({ kind: 'garbage', bytes: 64, at: IN_SECOND_TEXT }),
    expected: afterText('protocol', 'part', secondServes('protocol')),
  },
  {
    does: 'sends random bytes between two events, after text',
    ...faulty({ kind: 'garbage', bytes: 64, at: AFTER_FIRST_TEXT }),
    expected: afterText('protocol', 'part', secondServes('protocol')),
  },
  { does: 'answers 200 with an HTML page', ...faulty({ kind: 'html200' }), expected: whoeverReads(secondServes('protocol')) },
  {
    does: 'answers under another content type',
    ...faulty({ kind: 'wrongContentType' }),
    expected: whoeverReads(secondServes('protocol'), served()),
  },
  { does: 'compresses its answer unasked', ...faulty({ kind: 'gzip' }), expected: whoeverReads(secondServes('protocol')) },
  { does: 'compresses its answer when asked to', ...faulty({ kind: 'gzip', when: 'asked' }), expected: whoeverReads(served()) },
  {
    does: 'compresses its answer unasked, and its end is missing',
    ...faulty([{ kind: 'gzip' }, { kind: 'cut', at: -8, by: 'end' }]),
    expected: whoeverReads(secondServes('protocol')),
  },
  {
    does: 'writes a line without an end',
    ...faulty({ kind: 'oversizeLine' }),
    expected: whoeverReads(secondServes('protocol', { end: 'client_gone' })),
  },
  {
    does: 'writes an event without an end',
    ...faulty({ kind: 'oversizeEvent' }),
    expected: whoeverReads(secondServes('protocol', { end: 'client_gone' }), null),
  },
]

const ENDINGS: readonly Row[] = [
  {
    does: 'says the last frame twice',
    ...faulty({ kind: 'endTwice' }, null),
    expected: whoeverReads(served({ warning: 'content_after_final' }), null),
    differs: { 'openai-chat': { why: 'a second `[DONE]` is no content', ...whoeverReads(served(), null) } },
  },
  {
    does: 'goes on with another answer after its end',
    ...faulty({ kind: 'contentAfter', text: 'And more.' }, null),
    expected: whoeverReads(served({ warning: 'content_after_final' }), null),
  },
]

export const TABLE: readonly (readonly [title: string, rows: readonly Row[]])[] = [
  ['Pace', PACES],
  ['Silence', SILENCES],
  ['Broken off', CUTS],
  ['Nonsense', NONSENSE],
  ['After the end', ENDINGS],
  ['Refused', REFUSALS],
  ['Refused for a while', SEQUENCES],
  ['Failed inside the stream', IN_STREAM],
]
