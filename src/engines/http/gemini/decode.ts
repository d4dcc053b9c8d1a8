import { type Failure, type FailureKind, failure } from '../../../model/failure.ts'
import { type Usage, usageFrom } from '../../../model/usage.ts'
import { type AnswerReader, count, type DecoderOptions, type Emit, EventStreamDecoder, finishOf, type Step, type StreamDecoder } from '../decoder.ts'
import { isErrorObject } from '../error-body.ts'
import { classifyInStream } from '../failure.ts'
import { isObject, type JsonObject } from '../json-object.ts'
import { decodeWhole } from '../whole-answer.ts'
import { CallParts } from './call-parts.ts'
import { ProviderTools } from './provider-tools.ts'

/**
 * Gemini `generateContent` (wire.md §4).
 *
 * 1. The protocol has no terminator: the chunk with a finish reason, or with a block reason of the prompt, is the end (R25). Usage stands in
 *    it. Waiting for the end of bytes instead would hang on a server that keeps the connection.
 * 2. A finish reason is not the last one while a tool of the provider owes its result: between two rounds of code execution the provider
 *    says STOP beside the code, then goes on. Content after a finish reason takes it back.
 * 3. `STOP` ends tool turns too; a call in the answer makes it `tool_calls`.
 * 4. Only the first candidate is read; no more are ever asked for.
 */
export function geminiDecoder(options: DecoderOptions): StreamDecoder {
  return new EventStreamDecoder(new CandidateReader(options), options)
}

/** The events of a whole, non-streamed answer. Some servers put it, or its error, into a list. */
export function decodeGeminiAnswer(text: string, options: DecoderOptions, emit: Emit): void {
  const isList = /^\s*\[/.test(text)
  decodeWhole(isList ? `{"list":${text}}` : text, new CandidateReader(options), isList ? listSteps : stepsOf, emit)
}

function stepsOf(body: JsonObject): readonly JsonObject[] | Failure {
  const isAnswer = candidateOf(body) !== undefined || blockOf(body) !== null
  return isAnswer || isErrorObject(body) ? [body] : failure('protocol', 'call', 'the answer has no candidates')
}

function listSteps({ list }: JsonObject): readonly JsonObject[] | Failure {
  const steps = Array.isArray(list) ? list.filter(isObject) : []
  return steps.some((step) => !('kind' in stepsOf(step))) ? steps : failure('protocol', 'call', 'the answer has no candidates')
}

const FINISH: Readonly<Record<string, string>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  // A bound of one request, below the bound that was asked for.
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  ESCALATION: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
}

/**
 * Finish reasons that say that there is no answer. A call that the model spelt wrong is an accident of this sampling, no fault of the
 * request: the same request is worth another try (R17). What the request or the account lacks is not.
 */
const FAILED_FINISH: Readonly<Record<string, FailureKind>> = {
  MALFORMED_FUNCTION_CALL: 'server_error',
  UNEXPECTED_TOOL_CALL: 'server_error',
  MALFORMED_RESPONSE: 'server_error',
  TOO_MANY_TOOL_CALLS: 'server_error',
  MISSING_THOUGHT_SIGNATURE: 'invalid_request',
  PUP_LIMITED_DISABLED: 'forbidden',
}

const COUNTS = ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'cachedContentTokenCount'] as const

/** One item of `issued`: a signature of a call, by its place among the calls, or a part that stood at an offset of the text. */
type IssuedData = Readonly<Record<string, unknown>>

class CandidateReader implements AnswerReader {
  readonly doneLine = null
  readonly #issuedWanted: boolean
  readonly #now: () => number
  readonly #calls = new CallParts()
  readonly #tools = new ProviderTools()
  readonly #issued: IssuedData[] = []
  readonly #counts: Partial<Record<(typeof COUNTS)[number], number>> = {}
  #textLength = 0
  #reason: string | null = null
  #isBlocked = false
  outputSeen = false

  constructor(options: DecoderOptions) {
    this.#issuedWanted = options.issued === true
    this.#now = options.now
  }

  /** Only where a finish reason was not taken for the end (2) and the bytes then ended all the same. */
  get wholeAtEnd(): boolean {
    return this.#reason !== null
  }

  onDoneLine(): Step {
    return undefined
  }

  get finish(): string | null {
    return this.#isBlocked ? 'content_filter' : finishOf(FINISH, this.#reason, this.#calls.any)
  }

  take(chunk: JsonObject, name: string | undefined, emit: Emit): Step {
    this.#takeCounts(chunk.usageMetadata)
    if (name === 'error' || isErrorObject(chunk)) return classifyInStream({ api: 'gemini', error: chunk, now: this.#now() })
    const candidate = candidateOf(chunk)
    if (candidate !== undefined) {
      const wrong = this.#takeContent(candidate.content, emit)
      if (wrong !== undefined) return failure('protocol', 'stream', wrong)
      this.#tools.takeGrounding(candidate.groundingMetadata, emit)
    }
    return this.#takeEnd(candidate, blockOf(chunk))
  }

  release(emit: Emit): void {
    this.#tools.release(emit)
    const calls = this.#calls.told(this.#reason === 'STOP')
    for (const { call } of calls) emit({ type: 'toolCall', ...call })
    if (!this.#issuedWanted) return
    for (const data of this.#issued) emit({ type: 'issued', data })
    for (const [at, { call, signature }] of calls.entries()) {
      if (signature !== null) emit({ type: 'issued', data: { call: at, id: call.id, name: call.name, thoughtSignature: signature } })
    }
  }

  /**
   * `input` counts cached tokens, `output` counts thoughts (faces.md §2). What tools of the provider read (`toolUsePromptTokenCount`) is in
   * neither: it was no part of the prompt.
   */
  usage(): Usage | null {
    const { promptTokenCount: input, candidatesTokenCount, thoughtsTokenCount, cachedContentTokenCount } = this.#counts
    const output = sum(candidatesTokenCount, thoughtsTokenCount)
    if (input === undefined && output === undefined) return null
    return usageFrom(input, output, cachedContentTokenCount)
  }

  #takeContent(content: unknown, emit: Emit): string | undefined {
    if (!isObject(content) || !Array.isArray(content.parts)) return undefined
    for (const part of content.parts) {
      const wrong = isObject(part) ? this.#takePart(part, emit) : undefined
      if (wrong !== undefined) return wrong
    }
    return undefined
  }

  #takePart(part: JsonObject, emit: Emit): string | undefined {
    const signature = typeof part.thoughtSignature === 'string' && part.thoughtSignature !== '' ? part.thoughtSignature : null
    if (typeof part.text === 'string') {
      this.#takeText(part.text, part.thought === true, signature, emit)
      return undefined
    }
    this.#goOn()
    if (isObject(part.functionCall)) return this.#calls.add(part.functionCall, signature)
    const wanted = this.#tools.take(part, emit)
    if (wanted !== undefined)
      this.#issued.push({ at: this.#textLength, part: signature === null ? wanted : { ...wanted, thoughtSignature: signature } })
    return undefined
  }

  #takeText(text: string, isThought: boolean, signature: string | null, emit: Emit): void {
    if (signature !== null) {
      const part = isThought ? { text, thought: true, thoughtSignature: signature } : { text, thoughtSignature: signature }
      this.#issued.push({ at: this.#textLength, part })
    }
    if (text === '') return
    this.#goOn()
    if (!isThought) this.#textLength += text.length
    emit({ type: isThought ? 'reasoning' : 'text', text })
  }

  /** Content is here: a finish reason before it was not the last one. */
  #goOn(): void {
    this.outputSeen = true
    this.#reason = null
  }

  #takeEnd(candidate: JsonObject | undefined, block: string | null): Step {
    const said = reasonOf(candidate?.finishReason)
    this.#isBlocked = said === null
    const reason = said ?? block
    if (reason === null) return undefined
    const kind = !this.#isBlocked && Object.hasOwn(FAILED_FINISH, reason) ? FAILED_FINISH[reason] : undefined
    if (kind !== undefined) return failure(kind, 'stream', finishWords(reason, candidate?.finishMessage), { code: reason })
    this.outputSeen = true
    this.#reason = reason
    return reason === 'STOP' && this.#tools.owesResult ? undefined : 'terminated'
  }

  /** Running totals: a later count replaces an earlier one, a count that is not repeated stays. */
  #takeCounts(usage: unknown): void {
    if (!isObject(usage)) return
    for (const name of COUNTS) {
      const value = count(usage[name])
      if (value !== undefined) this.#counts[name] = value
    }
  }
}

function candidateOf(chunk: JsonObject): JsonObject | undefined {
  if (!Array.isArray(chunk.candidates)) return undefined
  return chunk.candidates.find((one): one is JsonObject => isObject(one) && (one.index ?? 0) === 0)
}

/** A reason that the server's own schema has no name for yet is written as its number; 0 is none. */
function reasonOf(said: unknown): string | null {
  if (typeof said === 'number') return said > 0 ? String(said) : null
  return typeof said === 'string' && said !== '' ? said : null
}

/** Why the prompt was refused, or null. */
function blockOf({ promptFeedback }: JsonObject): string | null {
  const reason = isObject(promptFeedback) ? promptFeedback.blockReason : undefined
  return typeof reason === 'string' && reason !== '' && !reason.endsWith('_UNSPECIFIED') ? reason : null
}

function finishWords(reason: string, message: unknown): string {
  const words = `the provider finished with ${reason}`
  return typeof message === 'string' && message !== '' ? `${words}: ${message}` : words
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : one + (other ?? 0)
}
