import { describe, expect, it } from 'vitest'
import { CannotSend } from '../../../src/engines/cannot-send.ts'
import { httpProtocol } from '../../../src/engines/http/registry.ts'
import { profileOf } from './request.ts'

/** Protocols in whose address the model stands. */
const WIRES = [
  ['gemini', 'https://h.example/base', /^\/base\/v1beta\/(?:models|tunedModels)\/[^/]*:generateContent$/],
  ['bedrock-converse', 'https://h.example/base', /^\/base\/model\/[^/]*\/converse$/],
  ['openai-chat', 'https://h.example/?api-version=1', /^\/openai\/deployments\/[^/]*\/chat\/completions$/],
] as const

const MODELS = [
  '..',
  '.',
  'a/../b',
  '../../x',
  'models/..',
  'tunedModels/../../x',
  '%2e%2e',
  '%2F..%2F',
  'x?key=1#y',
  'x\r\nhost: evil.example',
  'a:countTokens',
  '\\..\\..',
  'x//evil.example',
  '@evil.example',
]

describe('R1 the name of a model stays in its place of the address', () => {
  describe.each(WIRES)('%s', (api, endpoint, path) => {
    it.each(MODELS)('%j', (model) => {
      const profile = profileOf({ api, dialect: api === 'openai-chat' ? 'azure' : null, endpoint })
      let address: string
      try {
        address = httpProtocol(api)?.address(endpoint, { model, mode: 'call', profile }) ?? ''
      } catch (error) {
        expect(error).toBeInstanceOf(CannotSend)
        return
      }
      const url = new URL(address)
      expect(url.host).toBe('h.example')
      expect(url.pathname).toMatch(path)
      expect(url.search).toBe(new URL(endpoint).search)
      expect(url.hash).toBe('')
    })
  })
})
