/**
 * The thoughts of another provider in the words of this protocol. Its blocks of thoughts are signed by who gave them, and a signature that is
 * none is refused, so ours bears a mark: clients send what they were answered back, and an entry of this protocol must not be passed that.
 */
export const OWN_SIGNATURE = 'relevo-not-signed'

type Json = Readonly<Record<string, unknown>>

/** The body without thoughts that bear our mark; the same object where there are none. A message of nothing else is left out. */
export function withoutOwnThoughts(body: Json): Json {
  const { messages } = body
  if (!Array.isArray(messages) || !messages.some(hasOwnThought)) return body
  const kept = messages.flatMap((message: Json): Json[] => {
    if (!hasOwnThought(message)) return [message]
    const content = (message.content as readonly unknown[]).filter((block) => !isOwnThought(block))
    return content.length === 0 ? [] : [{ ...message, content }]
  })
  return { ...body, messages: kept }
}

function hasOwnThought(message: unknown): boolean {
  const content = (message as Json | null)?.content
  return Array.isArray(content) && content.some(isOwnThought)
}

function isOwnThought(block: unknown): boolean {
  const { type, signature } = (block ?? {}) as Json
  return type === 'thinking' && signature === OWN_SIGNATURE
}
