import { expect, test } from 'vitest'
import { modelNames } from '../../../src/faces/gateway/models.ts'
import { createKernel } from '../../../src/index.ts'

test('what would be refused as it is asked for is not listed: a profile without a key', () => {
  const kernel = createKernel({
    primary: 'openai.a',
    profiles: { 'openai.a': { model: 'm1', apiKey: 'k' }, 'openai.keyless': { model: 'm2' }, 'ollama.b': { model: 'm3' } },
  })
  expect(modelNames(kernel, null)).toEqual(['openai.a', 'openai.a/m1', 'ollama.b', 'ollama.b/m3', 'm1'])
})
