import { plainLine } from '../../host.ts'

/**
 * What a command sees of the process that it runs in. Everything comes through here, so that a test runs a command without a process.
 *
 * 1. Results go to `stdout`, everything else to `stderr`.
 * 2. A write waits while the reader of the other end is slow.
 * 3. Waiting for input ends at the interrupt, and so does reading it at a bound.
 */
export interface Io {
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Aborted by the first signal to end; its reason is the name of that (`SIGINT`). */
  readonly interrupt: AbortSignal
  /**
   * Others are answered from now on, or a team is at work: an output that goes away, or can take nothing more, is written to no more and ends
   * nothing; nor does SIGHUP where no input or output is a terminal.
   */
  serves(): void
}

export interface Input {
  readonly isTty: boolean
  readonly chunks: AsyncIterable<Uint8Array>
}

export interface Output {
  readonly isTty: boolean
  /** Width of the terminal as it is now; null where there is none or it does not say. */
  readonly columns: number | null
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>
}

/** The command was interrupted; what it had printed stands. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** Input that is read whole, or one line of it, may have this many bytes: no text of a process can grow for ever. */
export const MAX_INPUT_BYTES = 128 * 1024 * 1024

/** Standard input, or a line of it, is beyond the bound. */
export class TooMuchInput extends Error {
  override readonly name = 'TooMuchInput'
}

/** The bytes of standard input as they come. Throws Interrupted when the interrupt comes first. */
export async function* inputChunks({ stdin, interrupt }: Io): AsyncGenerator<Uint8Array> {
  const iterator = stdin.chunks[Symbol.asyncIterator]()
  const interrupted = new Promise<never>((_, reject) => {
    const stop = (): void => reject(new Interrupted())
    if (interrupt.aborted) stop()
    interrupt.addEventListener('abort', stop, { once: true })
  })
  interrupted.catch(() => {})
  for (;;) {
    const next = await Promise.race([iterator.next(), interrupted])
    if (next.done === true) return
    yield next.value
  }
}

/** All of standard input as text. Throws TypeError for bytes that are none where the options of the decoder say so. */
export async function inputText(io: Io, options: { readonly fatal?: boolean; readonly ignoreBOM?: boolean } = {}): Promise<string> {
  const decoder = new TextDecoder('utf-8', options)
  let text = ''
  let bytes = 0
  for await (const chunk of inputChunks(io)) {
    bytes += chunk.length
    if (bytes > MAX_INPUT_BYTES) throw new TooMuchInput()
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Lines of text without their ends, blank ones left out, each as soon as it is whole. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<{ number: number; text: string }> {
  const decoder = new TextDecoder()
  // Parts of an unfinished line are kept apart: adding to one text again and again would copy a long line at each chunk.
  let parts: string[] = []
  let bytes = 0
  let number = 0
  const finished = (rest: string): { number: number; text: string } | null => {
    const text = [...parts, rest].join('')
    parts = []
    number++
    return text.trim() === '' ? null : { number, text }
  }
  for await (const chunk of chunks) {
    bytes += chunk.length
    const pieces = decoder.decode(chunk, { stream: true }).split('\n')
    const last = pieces.pop() ?? ''
    for (const piece of pieces) {
      const line = finished(piece)
      if (line !== null) yield line
    }
    if (pieces.length > 0) bytes = chunk.length
    if (bytes > MAX_INPUT_BYTES) throw new TooMuchInput()
    parts.push(last)
  }
  const line = finished(decoder.decode())
  if (line !== null) yield line
}

/** A value as one line of JSON, its end included. */
export function jsonLine(value: unknown): string {
  return `${plainLine(JSON.stringify(value))}\n`
}

/** Whether to colour: on a terminal, unless NO_COLOR is set to anything (no-color.org). */
export function hasColour(output: Output, env: Io['env']): boolean {
  return output.isTty && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
}

const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Text of others for a terminal: control characters, which could move the cursor or hide words, are left out. Newline and tab stay. */
export function withoutControls(text: string): string {
  return text.replace(CONTROL, (character) => (character === '\n' || character === '\t' ? character : ''))
}
