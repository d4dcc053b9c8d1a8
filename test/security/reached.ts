/** What objects were looked through already. */
export interface Seen {
  has(value: object): boolean
  add(value: object): unknown
}

/** Every value that is reached from another without calling anything: fields and their names, symbols, maps, sets, bytes as text. */
export function reachedFrom(root: unknown, seen: Seen = new Set()): unknown[] {
  const reached: unknown[] = []
  const queue: unknown[] = [root]
  while (queue.length > 0) {
    const value = queue.pop()
    const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function'
    if (isObject && seen.has(value)) continue
    reached.push(value)
    if (!isObject) continue
    seen.add(value)
    queue.push(...insideOf(value))
  }
  return reached
}

function insideOf(value: object): unknown[] {
  const inside: unknown[] = value instanceof Error ? [value.stack] : []
  if (value instanceof Map) inside.push(...value.keys(), ...value.values())
  else if (value instanceof Set) inside.push(...value)
  else if (ArrayBuffer.isView(value)) return [Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1')]
  for (const key of Reflect.ownKeys(value)) {
    const field = Object.getOwnPropertyDescriptor(value, key)
    inside.push(key, field !== undefined && 'value' in field ? field.value : undefined)
  }
  return inside
}

/** Every text among them, a line each. */
export function textsIn(root: unknown, seen?: Seen): string {
  const texts = reachedFrom(root, seen).filter((value) => typeof value === 'string' || typeof value === 'symbol')
  return texts.map(String).join('\n')
}
