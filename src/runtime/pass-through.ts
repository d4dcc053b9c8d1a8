import { z } from 'zod'
import type { Flow, PassThrough } from '../engines/contract.ts'

/** How the fields of a request that passes through are checked: its body is the provider's to judge, so only its shape is looked at. */

/** The protocols that a client may speak: those of which an entry can be sent a body as it is. */
const CLIENT_APIS = ['openai-chat', 'openai-responses', 'anthropic-messages'] as const

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

export const passThroughSchema = z.strictObject({
  api: z.enum(CLIENT_APIS),
  body: z.custom<PassThrough['body']>(isBody, 'must be a JSON object'),
  headers: z.custom<NonNullable<PassThrough['headers']>>(isHeaders, 'must be an object of header names and values').optional(),
})

/** The same by hand, for the common request. */
export function isPassThrough(value: unknown): value is PassThrough | undefined {
  if (value === undefined) return true
  if (typeof value !== 'object' || value === null) return false
  for (const field in value) if (field !== 'api' && field !== 'body' && field !== 'headers') return false
  const { api, body, headers } = value as Record<string, unknown>
  return CLIENT_APIS.some((one) => one === api) && isBody(body) && (headers === undefined || isHeaders(headers))
}

export function isFlow(value: unknown): value is Flow | undefined {
  if (value === undefined) return true
  return typeof value === 'object' && value !== null && typeof (value as Partial<Flow>).onDrain === 'function'
}

function isBody(value: unknown): value is PassThrough['body'] {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isHeaders(value: unknown): value is NonNullable<PassThrough['headers']> {
  if (!isBody(value)) return false
  return Object.entries(value).every(([name, text]) => HEADER_NAME.test(name) && typeof text === 'string' && HEADER_VALUE.test(text))
}
