import { Interrupted, type Io, inputChunks, jsonLine, linesOf } from './io.ts'
import { EXIT, oneLine } from './problems.ts'

/**
 * The `--jsonl` modes: a JSON object a line in, one a line out, in order, each as soon as it can be told.
 *
 * 1. A bad line gets an error line and stops nothing; the words for a person go to stderr.
 * 2. Every answer echoes the `id` of its line; null where none could be read.
 * 3. Exit 1 when some line got an error, or an answer says no.
 */
export type Document = Readonly<Record<string, unknown>>

/** Why one line has no answer. */
export class LineError extends Error {
  override readonly name = 'LineError'
  readonly code: string
  readonly path: string

  constructor(code: string, path: string, message: string) {
    super(message)
    this.code = code
    this.path = path
  }
}

export interface Answer {
  /** Printed behind the `id` of the line; as it stands when it has an `id` of its own. */
  readonly result: object
  /** The answer is given and it is no. */
  readonly no?: boolean
}

export async function batch(io: Io, answer: (document: Document) => Answer | Promise<Answer>): Promise<number> {
  let code: number = EXIT.ok
  for await (const { number, text } of linesOf(inputChunks(io))) {
    let id: unknown = null
    if (io.interrupt.aborted) throw new Interrupted()
    try {
      const document = parsed(text)
      id = document['id'] ?? null
      const { result, no } = await answer(document)
      await io.stdout.write(jsonLine({ id, ...result }))
      if (no === true) code = EXIT.no
    } catch (error) {
      if (error instanceof Interrupted) throw error
      code = EXIT.no
      const { code: what, path, message } = error instanceof LineError ? error : new LineError('defect', '', (error as Error).message)
      await io.stdout.write(jsonLine({ id, error: { code: what, path } }))
      await io.stderr.write(`error: line ${number}: ${path === '' ? '' : `${path}: `}${oneLine(message)} (${what})\n`)
    }
  }
  return code
}

function parsed(text: string): Document {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new LineError('invalid_json', '', 'This is no JSON. Write one object on each line.')
  }
  if (!isObject(value)) throw new LineError('invalid_json', '', 'This is no JSON object. Write one object on each line.')
  return value
}

export function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
