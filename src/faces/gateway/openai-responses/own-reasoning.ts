/**
 * The thoughts of another provider in the words of this protocol. A provider of it looks such an item up by its id, or opens what is sealed in
 * it; ours can be neither found nor opened, and the whole request is refused for it. So ours bears a mark: clients send what they were answered
 * back, and an entry of this protocol must not be passed that.
 */
const MARK = 'rs_relevo_'

type Json = Readonly<Record<string, unknown>>

export function ownReasoningId(turn: string, index: number): string {
  return `${MARK}${turn}_${index}`
}

/** The body without thoughts that bear our mark; the same object where there are none. */
export function withoutOwnReasoning(body: Json): Json {
  const { input } = body
  if (!Array.isArray(input) || !input.some(isOwnReasoning)) return body
  return { ...body, input: input.filter((item) => !isOwnReasoning(item)) }
}

function isOwnReasoning(item: unknown): boolean {
  const { type, id } = (item ?? {}) as Json
  return type === 'reasoning' && typeof id === 'string' && id.startsWith(MARK)
}
