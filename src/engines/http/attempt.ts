import type { Subscriber } from 'rxjs'
import { type Failure, type FailurePhase, failure } from '../../model/failure.ts'
import type { ProviderEvent } from '../../model/provider-event.ts'
import type { AttemptRequest } from '../contract.ts'
import { type DeadlineName, Deadlines, deadlineFailure } from '../deadlines.ts'
import { redacted, secretsOf } from '../redact.ts'
import { CollectedBody } from './collected-body.ts'
import { brokenKind, type StreamDecoder } from './decoder.ts'
import { BODY_LIMIT } from './error-body.ts'
import { classifyErrno, classifyResponse } from './failure.ts'
import { mediaType, readHeaders } from './headers.ts'
import { passingOf } from './pass/passed-request.ts'
import { PassingDecoder } from './pass/passing-decoder.ts'
import type { HttpProtocol } from './protocol.ts'
import type { Transport, WireCall, WireHead, WireRequest } from './transport.ts'
import { refused, whyUnsigned, writeRequest } from './write-request.ts'

/**
 * One physical attempt over HTTP: what the engine contract promises, for every protocol.
 *
 * 1. It ends once, in `final` or `failed`; afterwards nothing is told, whatever the socket still says.
 * 2. A status that is no 2xx, and a 2xx that is not what was asked for by its content type, is never decoded: up to 64 KiB of it are
 *    read and classified. A status that is known is not lost to a body that stalls or breaks.
 * 3. The end of an answer is its terminator, not its end of bytes. The socket then gets a moment to end by itself, so that the connection
 *    can serve again; after a failure it is destroyed.
 * 4. While the reader is full nothing is read.
 */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024
/** What a finished stream may still send, and how long, before its connection is given up. */
const TAIL_BYTES = 64 * 1024
const TAIL_MS = 100

export class HttpAttempt {
  readonly #protocol: HttpProtocol
  readonly #request: AttemptRequest
  readonly #subscriber: Subscriber<ProviderEvent>
  readonly #deadlines: Deadlines
  readonly #secrets: readonly string[]
  #wire: WireCall | null = null
  #head: WireHead | null = null
  /** Set while a stream is decoded. */
  #decoder: StreamDecoder | null = null
  /** Filled while a body is read whole, up to the bytes that are enough. */
  readonly #collected = new CollectedBody()
  #enough = 0
  /** The body collected is the answer, not an error. */
  #isAnswer = false
  #over = false
  /** The exchange itself is over; the attempt may not be. */
  #ended = false
  #tail: (() => void) | null = null
  #tailBytes = 0

  constructor(protocol: HttpProtocol, request: AttemptRequest, subscriber: Subscriber<ProviderEvent>) {
    this.#protocol = protocol
    this.#request = request
    this.#subscriber = subscriber
    this.#secrets = secretsOf(request)
    const { clock, mode, profile } = request
    this.#deadlines = new Deadlines({ clock, timeouts: profile.timeouts, mode, onExpire: (name) => this.#onDeadline(name) })
  }

  begin(transport: Transport): void {
    const written = writeRequest(this.#protocol, this.#request)
    if ('kind' in written) return this.#fail(written)
    this.#deadlines.start()
    if ('url' in written) return this.#send(written, transport)
    written.then(
      (signed) => {
        if (this.#over) return
        if ('kind' in signed) this.#fail(signed)
        else this.#send(signed, transport)
      },
      (error: unknown) => this.#fail(refused(whyUnsigned(error))),
    )
  }

  #send(written: WireRequest, transport: Transport): void {
    this.#wire = transport.open(written, {
      onConnected: () => this.#deadlines.connected(),
      onHead: (head) => this.#onHead(head),
      onData: (chunk) => this.#onData(chunk),
      onEnd: () => this.#onEnd(),
      onError: (code) => this.#onError(code),
    })
    if (this.#over) this.#wire.destroy()
  }

  /** The subscriber left, or was told the end. Only the former cuts the connection. */
  cancel(): void {
    if (this.#over) return
    this.#close()
    this.#wire?.destroy()
  }

  #onHead(head: WireHead): void {
    this.#head = head
    this.#deadlines.byte()
    const { mode, model, profile, clock } = this.#request
    const headers = readHeaders(head.headers)
    const type = mediaType(headers)
    const isSuccess = head.status >= 200 && head.status < 300
    const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
    if (!head.decoded && encoding !== '' && encoding !== 'identity') return this.#refuseEncoding(encoding, isSuccess)
    if (isSuccess && mode === 'stream' && (type === this.#protocol.streamType || type === '')) {
      const options = { completion: profile.completion, earlyUsage: true, issued: true, model, profile, now: () => clock.now() }
      const passing = passingOf(this.#protocol, this.#request)
      this.#decoder =
        passing === null
          ? this.#protocol.decoder(options)
          : new PassingDecoder(passing.decoder(options), passing, this.#request.skim ?? { stopsAt: null })
      return this.#tell({ type: 'opened' })
    }
    this.#isAnswer = isSuccess && mode === 'call' && type !== 'text/html' && type !== 'text/event-stream' && type !== this.#protocol.streamType
    this.#enough = this.#isAnswer ? MAX_ANSWER_BYTES + 1 : BODY_LIMIT
    if (this.#isAnswer) this.#tell({ type: 'opened' })
  }

  /** No body of an encoding that was not asked for is read; a status that is no 2xx says enough without it. */
  #refuseEncoding(encoding: string, isSuccess: boolean): void {
    if (!isSuccess) return this.#judgeBody()
    const { status } = this.#head ?? { status: 0 }
    this.#fail(failure('protocol', this.#openingPhase(), `content-encoding ${encoding.slice(0, 40)} was not asked for`, { status }))
  }

  #onData(chunk: Uint8Array): void {
    if (this.#over) return this.#onTail(chunk)
    // An error that dribbles on is not waited for longer than one silence.
    if (this.#decoder !== null || this.#isAnswer) this.#deadlines.byte()
    if (this.#decoder === null) return this.#collect(chunk)
    this.#decoder.push(chunk, this.#tell)
    if (this.#decoder.outputSeen) this.#deadlines.output()
    if (!this.#over && this.#request.flow.full) this.#wait()
  }

  #onEnd(): void {
    this.#ended = true
    if (this.#over) this.#tail?.()
    else if (this.#decoder !== null) this.#decoder.end(this.#tell)
    else this.#judgeBody()
  }

  #onError(code: string): void {
    this.#ended = true
    if (this.#over) {
      this.#tail?.()
      return
    }
    if (this.#head === null) return this.#fail(classifyErrno(code, 'connect'))
    if (this.#decoder !== null) return this.#decoder.end(this.#tell, classifyErrno(code, 'stream'))
    if (this.#isAnswer) {
      const kind = brokenKind(classifyErrno(code, 'call'))
      return this.#fail(failure(kind, 'call', `the connection broke (${code}) inside the answer`, { code }))
    }
    this.#judgeBody()
  }

  #onDeadline(name: DeadlineName): void {
    if (this.#over) return
    const phase: FailurePhase = this.#head === null ? 'connect' : this.#request.mode
    const expired = deadlineFailure(name, this.#request.profile.timeouts, phase)
    if (this.#decoder !== null) return this.#decoder.fail(expired, this.#tell)
    if (this.#head === null || this.#isAnswer) this.#fail(expired)
    else this.#judgeBody()
  }

  #collect(chunk: Uint8Array): void {
    this.#collected.add(chunk)
    if (this.#collected.bytes >= this.#enough) this.#judgeBody()
  }

  /** The collected body is as whole as it will be. */
  #judgeBody(): void {
    const { status, headers } = this.#head ?? { status: 0, headers: {} }
    const now = () => this.#request.clock.now()
    if (!this.#isAnswer) {
      const body = this.#collected.text().slice(0, BODY_LIMIT)
      return this.#fail(classifyResponse({ api: this.#protocol.api, status, headers, body, now: now(), phase: this.#openingPhase() }))
    }
    if (this.#collected.bytes > MAX_ANSWER_BYTES) {
      return this.#fail(failure('protocol', 'call', `an answer of more than ${MAX_ANSWER_BYTES} bytes`, { offset: MAX_ANSWER_BYTES }))
    }
    const json = this.#collected.text()
    if (passingOf(this.#protocol, this.#request) !== null) this.#tell({ type: 'body', json })
    this.#protocol.decodeAnswer(json, { now, issued: true, model: this.#request.model, profile: this.#request.profile }, this.#tell)
  }

  /** The reader is full: stop reading until it drains. */
  #wait(): void {
    this.#wire?.pause()
    this.#deadlines.hold()
    this.#request.flow.onDrain(() => {
      if (this.#over) return
      this.#deadlines.release()
      this.#wire?.resume()
    })
  }

  #openingPhase(): FailurePhase {
    return this.#request.mode === 'call' ? 'call' : 'opening'
  }

  readonly #tell = (event: ProviderEvent): void => {
    if (this.#over) return
    if (event.type !== 'final' && event.type !== 'failed') return this.#subscriber.next(event)
    // Over before it is told: a subscriber that leaves on the last event must not cut a connection that can serve again.
    this.#close()
    if (event.type === 'final') {
      this.#awaitEnd()
      this.#subscriber.next(event)
    } else {
      this.#wire?.destroy()
      this.#subscriber.next({ type: 'failed', failure: redacted(event.failure, this.#secrets) })
    }
    this.#subscriber.complete()
  }

  #fail(reason: Failure): void {
    this.#tell({ type: 'failed', failure: reason })
  }

  #close(): void {
    this.#over = true
    this.#deadlines.stop()
    this.#collected.clear()
  }

  /** The connection serves again if it ends by itself in a moment; otherwise it is given up. */
  #awaitEnd(): void {
    if (this.#ended) return
    const { clock } = this.#request
    const cancelAlarm = clock.wakeAt(clock.now() + TAIL_MS, () => this.#wire?.destroy())
    this.#tail = () => {
      this.#tail = null
      cancelAlarm()
    }
    this.#wire?.resume()
  }

  #onTail(chunk: Uint8Array): void {
    this.#tailBytes += chunk.length
    if (this.#tailBytes <= TAIL_BYTES) return
    this.#tail?.()
    this.#wire?.destroy()
  }
}
