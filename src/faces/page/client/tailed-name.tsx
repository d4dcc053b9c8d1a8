import { clipped } from './words.ts'

/** The characters of a name that are seen however narrow its column is: names that follow each other begin alike. */
const TAIL = 6

/** A name whose end stays in sight. */
export function TailedName({ name }: { readonly name: string }) {
  const characters = [...name]
  return (
    <>
      <span class="start">{clipped(characters.slice(0, -TAIL).join(''), 80)}</span>
      {characters.slice(-TAIL).join('')}
    </>
  )
}
