/** What can be mentioned: letters, digits, `-` and `_`, beginning with a letter and ending with a letter or a digit. */
const ID = /^[A-Za-z](?:[A-Za-z0-9_-]{0,30}[A-Za-z0-9])?$/

/** Says in a thread that it was the person who wrote. */
const PERSON = /^person$/i

/** A file of such a name is none on Windows, whatever its ending: a team that has one could not be moved there. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/i

/** Why this is no id of a participant, as words that follow it; null when it is one. An id is a word of a thread and the name of a file. */
export function idProblem(id: string): string | null {
  if (PERSON.test(id)) return 'is the word for the person in a thread'
  if (DEVICE.test(id)) return 'is the name of a device on Windows'
  return ID.test(id) ? null : 'is no id of a participant'
}
