/** What a file part holds, whichever version of the AI SDK wrote it. */
export type FileSource =
  | { readonly kind: 'bytes'; readonly base64: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'text'; readonly text: string }

/**
 * Version 3 has bytes, base64 or a URL; version 4 names which. A `data:` URL is read here, so that no provider is asked to fetch one. Null
 * for what names a file at a provider.
 */
export function fileOf(data: unknown): FileSource | null {
  if (data instanceof Uint8Array) return { kind: 'bytes', base64: base64Of(data) }
  if (data instanceof URL) return ofUrl(data.href)
  if (typeof data === 'string') return /^(?:https?|data):/i.test(data) ? ofUrl(data) : { kind: 'bytes', base64: data }
  if (typeof data !== 'object' || data === null || !('type' in data)) return null
  const { type, data: bytes, url, text } = data as { type: unknown; data?: unknown; url?: unknown; text?: unknown }
  if (type === 'data') return fileOf(bytes)
  if (type === 'url' && (url instanceof URL || typeof url === 'string')) return ofUrl(String(url))
  if (type === 'text' && typeof text === 'string') return { kind: 'text', text }
  return null
}

function ofUrl(url: string): FileSource {
  const inline = /^data:[^,]*;base64,/i.exec(url)
  return inline === null ? { kind: 'url', url } : { kind: 'bytes', base64: url.slice(inline[0].length) }
}

/** As much as a call takes in arguments. */
const STRETCH = 0x8000

function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += STRETCH) text += String.fromCharCode(...bytes.subarray(at, at + STRETCH))
  return btoa(text)
}
