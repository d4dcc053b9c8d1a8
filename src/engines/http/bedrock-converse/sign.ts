import { CannotSend } from '../../cannot-send.ts'
import type { AttemptRequest } from '../../contract.ts'
import type { Signature } from '../protocol.ts'
import type { WireRequest } from '../transport.ts'

/**
 * How a request to Bedrock is signed, by the form of the key.
 *
 * 1. A key without a colon is an API key of Bedrock, and a bearer token.
 * 2. `ACCESS_KEY_ID:SECRET_ACCESS_KEY`, or the same with `:SESSION_TOKEN` behind it, signs by Signature Version 4. None of the three has a
 *    colon in it, and neither has an API key.
 * 3. The region is the one in the host, since a signature for another is refused. A host that names none cannot be signed for.
 * 4. Time is the clock's.
 * 5. Signed are the host, the content type, and every `x-amz-` header of the profile: no header that a proxy may rightly change.
 *
 * The signer is loaded by the first request that needs it; nobody else pays for it.
 */
export function signBedrockConverse(request: AttemptRequest, unsigned: WireRequest): Signature | Promise<Signature> {
  const key = request.secret?.reveal() ?? ''
  if (key === '') return {}
  if (!key.includes(':')) return { authorization: `Bearer ${key}` }
  return signedByKeyPair(key.split(':'), request, unsigned)
}

async function signedByKeyPair(
  parts: readonly string[],
  { profile, clock }: AttemptRequest,
  { url, headers, body }: WireRequest,
): Promise<Signature> {
  const [accessKeyId, secretAccessKey, sessionToken] = parts
  if (!accessKeyId || !secretAccessKey || sessionToken === '' || parts.length > 3) {
    throw new CannotSend(
      `the key of profile ${profile.id} is no pair: write ACCESS_KEY_ID:SECRET_ACCESS_KEY, with :SESSION_TOKEN behind a temporary one`,
    )
  }
  const region = regionOf(url.hostname)
  if (region === null) {
    throw new CannotSend(
      `the host of profile ${profile.id} names no region to sign for: call bedrock-runtime.REGION.amazonaws.com, or use an API key of Bedrock`,
    )
  }
  const { AwsV4Signer } = await import('aws4fetch')
  const signer = new AwsV4Signer({
    method: 'POST',
    url: url.href,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name === 'content-type' || name.startsWith('x-amz-'))),
    body,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    service: 'bedrock',
    region,
    datetime: basicInstant(clock.now()),
    allHeaders: true,
  })
  const signed = await signer.sign()
  return Object.fromEntries(['authorization', 'x-amz-date', 'x-amz-security-token'].flatMap((name) => entryOf(name, signed.headers.get(name))))
}

function entryOf(name: string, value: string | null): [string, string][] {
  return value === null ? [] : [[name, value]]
}

/**
 * `us-east-1` of `bedrock-runtime.us-east-1.amazonaws.com`, of its `-fips` form, of the addresses in China (`.com.cn`) and Europe (`.eu`), of
 * the dual-stack ones (`.api.aws`), and of an endpoint inside a private network (`vpce-….bedrock-runtime.us-east-1.vpce.amazonaws.com`).
 */
function regionOf(host: string): string | null {
  return (
    /(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z]{2,4}(?:-[a-z]+)+-\d)\.(?:vpce\.)?(?:amazonaws\.(?:com|com\.cn|eu)|api\.aws|api\.amazonwebservices\.com\.cn)$/.exec(
      host,
    )?.[1] ?? null
  )
}

/** `20260301T123456Z`. */
function basicInstant(at: number): string {
  return new Date(at).toISOString().replace(/[:-]|\.\d{3}/g, '')
}
