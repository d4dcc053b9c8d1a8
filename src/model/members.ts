/**
 * Members that come and go, in the order in which they came.
 *
 * 1. Of a member that has left nothing is kept. A Set keeps it alive until the next full collection where many come and go: each table that it
 *    has outgrown points to the one after it, and one of them that has grown old holds them all, with whom they held (decision 0012).
 */
export class Members<Member> {
  readonly #seats = new Set<Seat<Member>>()

  get size(): number {
    return this.#seats.size
  }

  /** What is returned lets the member go; a second time it does nothing. */
  add(member: Member): () => void {
    const seat: Seat<Member> = { member }
    this.#seats.add(seat)
    return () => {
      seat.member = null
      this.#seats.delete(seat)
    }
  }

  *[Symbol.iterator](): Generator<Member, void> {
    for (const { member } of this.#seats) if (member !== null) yield member
  }
}

interface Seat<Member> {
  member: Member | null
}
