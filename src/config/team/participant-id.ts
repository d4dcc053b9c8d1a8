/** What can be mentioned: letters, digits, `-` and `_`, beginning with a letter and ending with a letter or a digit. */
const ID = /^[A-Za-z](?:[A-Za-z0-9_-]{0,30}[A-Za-z0-9])?$/

/** Says in a thread that it was the person who wrote. */
export const RESERVED_ID = 'person'

/** Names that are devices on Windows, whatever ends them: a file of that name is none there, so a team that has one could not be moved. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/i

/** An id is the name of a file and a word in a thread. It leaves no folder and names no device. */
export function isParticipantId(id: string): boolean {
  return ID.test(id) && id.toLowerCase() !== RESERVED_ID && !DEVICE.test(id)
}
