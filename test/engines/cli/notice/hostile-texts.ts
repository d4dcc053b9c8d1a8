import { filledWith, growth, SMALL } from '../../http/growth.ts'

/** Texts that nearly are a wording, over and over, and those on which patterns with loops inside loops go astray. */
export const HOSTILE: readonly string[] = [
  'a',
  ' ',
  'A ',
  "You've hit your a b c ",
  'error: Error: API Error: ',
  '{"error":{"message":"x',
  '\u001b[31m',
  '429 ',
  'a-',
  '(',
  "You've hit your ",
  'usage limit ',
  'limit limit reached for ',
  '{"message": "',
  "'message': '",
  'quota ',
  'Retrying ',
  'Attempt 1 failed ',
  'certificate ',
  'x'.repeat(30),
  '\u001b]',
  '· resets ',
  'model models/',
  '1.2.3',
  'at a.b.c (',
  'unexpected status 404 A A A A ',
]

/** How the cost of a reader grows with the length of such a text. What it costs to make its code ready is no part of that. */
export function steepness(piece: string, read: (text: string) => unknown): number {
  const textOf = filledWith(piece)
  const ready = textOf(SMALL)
  for (let count = 0; count < 20; count += 1) read(ready)
  return growth(textOf, read)
}
