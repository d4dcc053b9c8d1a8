import { chatDialectOf } from '../../../model/dialect.ts'
import type { AttemptRequest } from '../../contract.ts'
import { type Ask, type HttpProtocol, joined, type Signature } from '../protocol.ts'
import { decodeOpenaiResponsesAnswer, openaiResponsesDecoder } from './decode.ts'
import { encodeOpenaiResponses } from './encode.ts'
import { passingResponses } from './pass.ts'

/** OpenAI Responses. The base address is the one that SDKs are given: `https://api.openai.com/v1`, of Azure `https://NAME.openai.azure.com`. */
export const openaiResponses: HttpProtocol = {
  api: 'openai-responses',
  address,
  encode: encodeOpenaiResponses,
  streamType: 'text/event-stream',
  headers: {},
  sign,
  decoder: openaiResponsesDecoder,
  decodeAnswer: decodeOpenaiResponsesAnswer,
  passing: passingResponses,
}

/**
 * A bare resource of Azure gets `/openai/v1`; one with an `api-version` is of the older kind, which has no version in its path. The
 * deployment is the model of the body in both.
 */
function address(endpoint: string, { profile }: Ask): string {
  const url = new URL(endpoint)
  const isResource = ['', '/openai'].includes(url.pathname.replace(/\/+$/, ''))
  if (chatDialectOf(profile) !== 'azure' || !isResource) return joined(endpoint, '/responses')
  url.pathname = url.searchParams.has('api-version') ? '/openai/responses' : '/openai/v1/responses'
  return url.href
}

/** A bearer token, or Azure's own header. */
function sign({ secret, profile }: AttemptRequest): Signature {
  if (secret === null) return {}
  return chatDialectOf(profile) === 'azure' ? { 'api-key': secret.reveal() } : { authorization: `Bearer ${secret.reveal()}` }
}
