import {
  type CompletionPolicy,
  disposition,
  type Failure,
  type FailureInput,
  HTTP_APIS,
  type ProviderEvent,
  readFailure,
  readStream,
  type StreamReading,
  streamDecoder,
} from '../../index.ts'
import { batch, type Document, isObject, LineError } from './batch.ts'
import { instantOf } from './instant.ts'
import { type Io, inputChunks, inputText, jsonLine } from './io.ts'
import { BadInput, EXIT } from './problems.ts'

/** `relevo read failure`: what an error answer of a provider means. */
export async function readFailures(io: Io, options: { readonly jsonl?: boolean | undefined }): Promise<number> {
  if (options.jsonl === true) return batch(io, (document) => ({ result: failureAnswer(document) }))
  try {
    await io.stdout.write(jsonLine(failureAnswer(JSON.parse(await inputText(io)))))
  } catch (error) {
    if (error instanceof SyntaxError) throw new BadInput(['standard input: this is no JSON. Give {"status","headers","body","api"} or {"code"}.'])
    if (error instanceof LineError) throw new BadInput([`standard input: ${error.path}: ${error.message}`])
    throw error
  }
  return EXIT.ok
}

function failureAnswer(document: unknown): object {
  const { input, now } = failureInput(document)
  const { failure, resetAt } = readFailure(input, now)
  const reset = resetAt === null || Number.isNaN(new Date(resetAt).getTime()) ? null : new Date(resetAt).toISOString()
  return { kind: failure.kind, disposition: disposition(failure.kind, failure.status), retryAfterMs: failure.retryAfterMs, resetAt: reset }
}

function failureInput(document: unknown): { input: FailureInput; now: number } {
  if (!isObject(document)) throw new LineError('invalid_line', 'input', 'Give an object.')
  const { status, headers, body, code } = document
  const now = instantOf(document['now'])
  const api = apiOf(document['api'])
  if (status === undefined || status === null) return { input: { code: errnoOf(code) }, now }
  if (typeof status !== 'number' || !Number.isInteger(status))
    throw new LineError('invalid_line', 'status', 'Give an HTTP status as a number, or a `code`.')
  if (headers !== undefined && headers !== null && !isObject(headers)) {
    throw new LineError('invalid_line', 'headers', 'Give an object of header names and values.')
  }
  return { input: { status, headers: headers ?? {}, body, api }, now }
}

/** A failure is told by its own shape, so the name may be left out; a wrong one is a mistake. */
function apiOf(api: unknown): string {
  if (api === undefined || api === null) return ''
  if (typeof api !== 'string' || !HTTP_APIS.includes(api)) throw new LineError('unknown_api', 'api', `Use one of ${HTTP_APIS.join(', ')}.`)
  return api
}

function errnoOf(code: unknown): string {
  if (code === undefined || code === null) throw new LineError('invalid_line', 'status', 'Give an HTTP status, or a `code`.')
  if (typeof code !== 'string' || code === '') throw new LineError('invalid_line', 'code', 'Give the code of an error, such as ECONNRESET.')
  return code
}

export interface ReadStreamOptions {
  readonly api?: string | undefined
  readonly lenient?: boolean | undefined
  readonly jsonl?: boolean | undefined
}

/** `relevo read stream`: the events of a response body, as they come; the last line says how it ended. */
export async function readStreams(io: Io, options: ReadStreamOptions): Promise<number> {
  if (options.jsonl === true) return batch(io, (document) => ({ result: streamAnswer(document, options) }))
  const { api } = options
  if (api === undefined) throw new BadInput([`--api is missing. Name the protocol of the bytes: ${HTTP_APIS.join(', ')}.`])
  if (!HTTP_APIS.includes(api)) throw new BadInput([`--api: ${api} is no known protocol. Use one of ${HTTP_APIS.join(', ')}.`])
  const decoder = streamDecoder(api, { completion: options.lenient === true ? 'lenient' : 'strict', now: Date.now() })
  let waiting: ProviderEvent[] = []
  let code: number = EXIT.ok
  const print = async (): Promise<void> => {
    const events = waiting
    waiting = []
    for (const event of events.filter(isPrinted)) {
      if (event.type === 'failed') code = EXIT.no
      const line = event.type === 'final' || event.type === 'failed' ? endOf(event) : event
      await io.stdout.write(jsonLine(line))
    }
  }
  for await (const chunk of inputChunks(io)) {
    decoder.push(chunk, (event) => waiting.push(event))
    await print()
    if (decoder.done) break
  }
  decoder.end((event) => waiting.push(event))
  await print()
  return code
}

/** What is told of money is for a ledger: the lines are those of the answer. */
function isPrinted({ type }: ProviderEvent): boolean {
  return type !== 'iterations' && type !== 'reportedCost'
}

function endOf(event: Extract<ProviderEvent, { type: 'final' | 'failed' }>): object {
  return event.type === 'final' ? { final: { finish: event.finish, terminated: event.terminated } } : { failed: failedOf(event.failure) }
}

function failedOf({ kind, message, offset }: Failure): object {
  return { kind, message, ...(offset === undefined ? {} : { offset }) }
}

const COMPLETIONS: readonly CompletionPolicy[] = ['strict', 'lenient', 'done', 'finish', 'either']

function streamAnswer(document: Document, options: ReadStreamOptions): object {
  const { api = options.api, completion = options.lenient === true ? 'lenient' : 'strict', base64 } = document
  if (typeof api !== 'string' || !HTTP_APIS.includes(api)) throw new LineError('unknown_api', 'api', `Use one of ${HTTP_APIS.join(', ')}.`)
  const policy = COMPLETIONS.find((known) => known === completion)
  if (policy === undefined) throw new LineError('invalid_line', 'completion', `Use one of ${COMPLETIONS.join(', ')}.`)
  if (typeof base64 !== 'string' || !BASE64.test(base64)) throw new LineError('invalid_line', 'base64', 'Give the bytes of the response in base64.')
  return readingLine(readStream(api, Buffer.from(base64, 'base64'), { completion: policy, now: Date.now() }))
}

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/

function readingLine(reading: StreamReading): object {
  const events = reading.events.filter(isPrinted)
  return 'final' in reading ? { events, final: reading.final } : { events, failed: failedOf(reading.failed) }
}
