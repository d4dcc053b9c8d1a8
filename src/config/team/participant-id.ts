/** What can be mentioned: letters, digits, `-` and `_`, beginning with a letter and ending with a letter or a digit. */
const ID = /^[A-Za-z](?:[A-Za-z0-9_-]{0,30}[A-Za-z0-9])?$/

/** Says in a thread that it was the person who wrote. */
export const RESERVED_ID = 'person'

export function isParticipantId(id: string): boolean {
  return ID.test(id) && id.toLowerCase() !== RESERVED_ID
}
