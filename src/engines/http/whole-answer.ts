import { type Failure, failure } from '../../model/failure.ts'
import { type AnswerReader, type Emit, taken, tellSpent } from './decoder.ts'
import { isObject } from './json-object.ts'

/**
 * A whole answer, already a JSON text, through the same reader as a stream. `steps` turns the body into the events of a stream, or says
 * that it is no answer of the protocol.
 */
export function decodeWhole(
  text: string,
  reader: AnswerReader,
  steps: (body: Readonly<Record<string, unknown>>) => readonly Readonly<Record<string, unknown>>[] | Failure,
  emit: Emit,
): void {
  const failed = readWhole(text, reader, steps, emit)
  if (failed === undefined) reader.release(emit)
  tellSpent(reader, emit)
  emit(failed === undefined ? { type: 'final', finish: reader.finish, terminated: true } : { type: 'failed', failure: { ...failed, phase: 'call' } })
}

function readWhole(
  text: string,
  reader: AnswerReader,
  steps: (body: Readonly<Record<string, unknown>>) => readonly Readonly<Record<string, unknown>>[] | Failure,
  emit: Emit,
): Failure | undefined {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return failure('protocol', 'call', 'the answer is no JSON')
  }
  if (!isObject(body)) return failure('protocol', 'call', 'the answer is no JSON object')
  const parts = steps(body)
  if (!Array.isArray(parts)) return parts as Failure
  for (const part of parts) {
    const step = taken(reader, part, undefined, emit)
    if (typeof step === 'object') return step
  }
  return undefined
}
