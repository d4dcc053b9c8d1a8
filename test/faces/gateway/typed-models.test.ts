import { expect, test } from 'vitest'
import { BadRequest } from '../../../src/faces/gateway/problem.ts'
import { TypedModels } from '../../../src/faces/gateway/typed-models.ts'
import { createKernel } from '../../../src/index.ts'

const kernel = createKernel(
  {
    primary: 'claude.main',
    profiles: { 'claude.main': { cli: { command: process.execPath }, fallbackModels: ['opus'] }, 'openai.b': { model: 'm', apiKey: 'k' } },
  },
  { processes: { environment: {}, runs: null } },
)

test('GW-06 a key asks CLIs for so many models that no setting names, and takes none of what others may', () => {
  const typed = new TypedModels(2)
  const ask = (caller: string | null, model: string) => () => typed.checked(kernel, caller, { targets: [{ profile: 'claude.main', model }] })
  for (const model of ['a', 'b', 'a', 'opus']) expect(ask('one', model)).not.toThrow()
  expect(ask('one', 'c')).toThrow(BadRequest)
  expect(ask('other', 'c')).not.toThrow()
  expect(ask(null, 'c')).not.toThrow()
})

test('GW-06 a plain model counts where the default domain is a CLI, and one of another engine never', () => {
  const typed = new TypedModels(1)
  expect(() => typed.checked(kernel, null, { model: 'auto' })).not.toThrow()
  expect(() => typed.checked(kernel, null, { model: 'a' })).not.toThrow()
  expect(() => typed.checked(kernel, null, { model: 'b' })).toThrow(BadRequest)
  for (const model of ['x', 'y', 'z']) expect(() => typed.checked(kernel, null, { targets: [{ profile: 'openai.b', model }] })).not.toThrow()
  expect(() => typed.checked(kernel, null, { model: 'hint:x' })).not.toThrow()
})
