/**
 * The bytes of a body that is read whole. They are copied into one buffer as they come: a body in a million pieces costs its bytes, and
 * none of the pages that its pieces were cut out of.
 */
export class CollectedBody {
  #buffer = new Uint8Array(0)
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  add(chunk: Uint8Array): void {
    const bytes = this.#bytes + chunk.length
    if (bytes > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(bytes, 2 * this.#buffer.length))
      larger.set(this.#buffer.subarray(0, this.#bytes))
      this.#buffer = larger
    }
    this.#buffer.set(chunk, this.#bytes)
    this.#bytes = bytes
  }

  text(): string {
    return new TextDecoder().decode(this.#buffer.subarray(0, this.#bytes))
  }

  /** The bytes, which are then the caller's. */
  take(): Uint8Array {
    const bytes = this.#buffer.subarray(0, this.#bytes)
    this.clear()
    return bytes
  }

  clear(): void {
    this.#buffer = new Uint8Array(0)
    this.#bytes = 0
  }
}
