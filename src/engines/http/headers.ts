/** Response headers as an engine, a scenario or standard input gives them: names in any case, values of any shape. */
export type HeaderSource = Readonly<Record<string, unknown>> | null | undefined

/** Header values by lower-case name; the first of several. What is no text or number is left out. */
export type Headers = ReadonlyMap<string, string>

export function readHeaders(source: HeaderSource): Headers {
  const headers = new Map<string, string>()
  if (typeof source !== 'object' || source === null) return headers
  for (const [name, raw] of Object.entries(source)) {
    const value: unknown = Array.isArray(raw) ? raw[0] : raw
    if (typeof value === 'string') headers.set(name.toLowerCase(), value)
    else if (typeof value === 'number') headers.set(name.toLowerCase(), String(value))
  }
  return headers
}

/** `application/json` of `Application/JSON; charset=utf-8`; empty when there is none. */
export function mediaType(headers: Headers): string {
  const value = headers.get('content-type') ?? ''
  const end = value.indexOf(';')
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase()
}
