import { describe, expect, it } from 'vitest'
import { classifyResponse } from '../../src/engines/http/failure.ts'
import { redacted, secretsOf } from '../../src/engines/redact.ts'
import { failure } from '../../src/model/failure.ts'
import { Secret } from '../../src/model/secret.ts'
import { profileOf, requestOf } from './http/request.ts'

const KEY = 'sk-Proj/AbCdEf+012345=='
const PAIR = 'AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const base64 = (text: string) => Buffer.from(text).toString('base64')

const FORMS: readonly (readonly [string, (value: string) => string])[] = [
  ['as it is', (value) => value],
  ['in lower case', (value) => value.toLowerCase()],
  ['in upper case', (value) => value.toUpperCase()],
  ['percent-encoded', encodeURIComponent],
  ['in base64', base64],
  ['in base64url', (value) => Buffer.from(value).toString('base64url')],
  ['as Basic without a user', (value) => base64(`:${value}`)],
  ['as Basic with a user', (value) => base64(`api:${value}`)],
  ['as Basic with a longer user', (value) => base64(`user:${value}`)],
  ['as Basic in front', (value) => base64(`${value}:x`)],
]

const VALUES = [
  ['a key', KEY, KEY],
  ['a pair', PAIR, PAIR],
  ['the id of a pair', PAIR, PAIR.split(':')[0] as string],
  ['the secret of a pair', PAIR, PAIR.split(':')[1] as string],
] as const

function told(secret: string, error: object): string {
  const headers = { 'x-auth': 'Bearer tok_Abcdefgh123' }
  const profile = profileOf({ headers, endpoint: 'https://h.example/v1?api-version=2024-10-21&subscription-key=QuerySecret1' })
  const failed = classifyResponse({ api: 'openai-chat', status: 401, body: JSON.stringify({ error }), now: 0 })
  return JSON.stringify(redacted(failed, secretsOf(requestOf({ secret: new Secret(secret), profile }))))
}

describe('no failure repeats what signed its request', () => {
  describe.each(VALUES)('%s', (_, secret, value) => {
    it.each(FORMS)('%s', (_form, write) => {
      const echo = write(value)
      const words = told(secret, { message: `rejected: ${echo}, ask again`, code: echo }).toLowerCase()
      // What is left beside the mark is padding or the neighbours' letters.
      for (let at = 0; at + 8 <= echo.length; at += 1) expect(words).not.toContain(echo.slice(at, at + 8).toLowerCase())
      expect(words).toContain('ask again')
    })
  })

  it('nor the token of a header without its scheme, nor what stands in the address', () => {
    expect(told(KEY, { message: 'the token tok_Abcdefgh123 is old' })).toContain('the token [redacted] is old')
    expect(told(KEY, { message: 'POST /v1?subscription-key=QuerySecret1 failed' })).toContain('subscription-key=[redacted] failed')
    expect(told(KEY, { message: 'no such api-version=2024-10-21' })).toContain('api-version=2024-10-21')
  })
})

it.each(['k', 'any', 'work', 'none', 'sk', 'o'])('the key %s, as servers on this machine are given, leaves a failure what it is', (secret) => {
  const failed = failure('network', 'opening', `no ${secret} here`, {
    limit: { kind: 'usage', scope: 'five_hour', binds: 'account' },
    retryAfterMs: 5,
  })
  const told = redacted(failed, secretsOf(requestOf({ secret: new Secret(secret) })))
  expect(told).toMatchObject({ kind: 'network', phase: 'opening', status: null, retryAfterMs: 5, limit: { kind: 'usage', binds: 'account' } })
  expect(told.message).not.toContain(` ${secret} `)
})
