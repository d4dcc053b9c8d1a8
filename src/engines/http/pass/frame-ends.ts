/**
 * Where the events of a stream of server-sent events end, in bytes: behind their blank lines, whichever line ends they have.
 *
 * A CR that ends the bytes may be half a line end. The event ends with it all the same, and an LF that follows is told as a piece of its own:
 * whoever reads the pieces knows when nothing is held back.
 */
const LF = 10
const CR = 13

export class FrameEnds {
  #lineBegun = false
  /** A CR came last. */
  #afterCr = false
  /** It ended a blank line. */
  #blankByCr = false

  /** Position behind the first event that ends in the bytes from `from` on, or -1. Bytes are given once, in order. */
  next(bytes: Uint8Array, from: number): number {
    let at = from
    if (this.#afterCr && at < bytes.length) {
      const wasBlank = this.#blankByCr
      this.#afterCr = false
      this.#blankByCr = false
      if (bytes[at] === LF) {
        at += 1
        if (wasBlank) return at
      }
    }
    while (at < bytes.length) {
      const byte = bytes[at]
      at += 1
      if (byte !== LF && byte !== CR) this.#lineBegun = true
      else {
        const isBlank = !this.#lineBegun
        this.#lineBegun = false
        if (byte === CR) at = this.#behindCr(bytes, at, isBlank)
        if (isBlank) return at
      }
    }
    return -1
  }

  #behindCr(bytes: Uint8Array, at: number, isBlank: boolean): number {
    if (at < bytes.length) return bytes[at] === LF ? at + 1 : at
    this.#afterCr = true
    this.#blankByCr = isBlank
    return at
  }
}
