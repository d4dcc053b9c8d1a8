/** What ends a line for some readers (`str.splitlines` of Python), moves a cursor or hides words on a terminal, and stands in a JSON text as it is. */
const UNESCAPED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** A text of JSON with these escaped: it reads as it was, and does nothing to whoever prints it. */
export function plainLine(json: string): string {
  return json.replace(UNESCAPED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
