/**
 * Thrown by an engine while it writes a request, for what its protocol or program has no words for; the words are for a person and name
 * the remedy. The attempt ends in `invalid_request`, and the walk goes on to an entry that can say it.
 */
export class CannotSend extends Error {
  override readonly name = 'CannotSend'
}
