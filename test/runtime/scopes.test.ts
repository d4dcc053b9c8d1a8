import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KernelConfig, KernelPorts } from '../../src/index.ts'
import { choiceOf } from '../../src/plan/choice.ts'
import { rig } from './rig.ts'

const ROUTED: KernelConfig = {
  primary: 'cloud.main',
  profiles: { 'cloud.main': { model: 'big', apiKey: 'k' }, 'ollama.home': { model: 'small' }, 'other.main': { model: 'm', apiKey: 'k' } },
  modelRoutes: [
    { hint: 'home', modelProvider: 'ollama.home', model: 'small' },
    { hint: 'away', modelProvider: 'cloud.main', model: 'big' },
    { hint: 'other', modelProvider: 'other.main', model: 'm' },
  ],
  effortRouting: { localHint: 'home', cloudHint: 'away', escalation: 'auto' },
}
const COMPLEX = 'Explain why, step by step, and compare.'
const kernelOf = (ports: KernelPorts = {}) => rig({ config: ROUTED, ports }).kernel

describe('R40 whose choice counts', () => {
  test.each<[string, string | null | undefined, (string | undefined)[], string | null]>([
    ['nobody has chosen', null, [undefined, undefined], null],
    ['the call', 'm', ['hint:home'], 'm'],
    ['a blank call is none', ' ', ['hint:home'], 'hint:home'],
    ['the session, before its channel', undefined, ['hint:home', 'hint:away'], 'hint:home'],
    ['the channel, where the session has none', undefined, [undefined, 'hint:away'], 'hint:away'],
    ['auto of the session, whatever the channel has', undefined, ['auto', 'hint:away'], 'auto'],
    ['auto of the call', 'auto', ['hint:home'], 'auto'],
  ])('%s', (_, call, scopes, expected) => {
    expect(choiceOf(call, scopes)).toBe(expected)
  })
})

describe('R40 scopes of a kernel', () => {
  const targetOf = (kernel: ReturnType<typeof kernelOf>, scope: string | string[] | undefined, prompt = COMPLEX, model?: string) =>
    kernel.plan({ scope, prompt, model }).target

  test('an explicit choice turns the automatic step off there and nowhere else; auto turns it on again', () => {
    const kernel = kernelOf()
    kernel.chooseModel('session-7', 'hint:other')
    expect(targetOf(kernel, 'session-7')).toBe('other.main')
    expect(targetOf(kernel, 'session-8')).toBe('cloud.main')
    kernel.chooseModel('session-7', 'auto')
    expect([targetOf(kernel, 'session-7'), targetOf(kernel, 'session-7', 'hi')]).toEqual(['cloud.main', 'ollama.home'])
  })

  test('a session decides before its channel, and a call before both', () => {
    const kernel = kernelOf()
    kernel.chooseModel('channel-ops', 'hint:other')
    const scope = ['session-7', 'channel-ops']
    expect(targetOf(kernel, scope)).toBe('other.main')
    kernel.chooseModel('session-7', 'auto')
    expect(targetOf(kernel, scope, 'hi')).toBe('ollama.home')
    expect(targetOf(kernel, scope, 'hi', 'hint:other')).toBe('other.main')
    kernel.chooseModel('session-7', null)
    expect(targetOf(kernel, scope)).toBe('other.main')
    expect(kernel.chosenModel('session-7')).toBeNull()
  })

  test('a choice outlives a reload, and is read when the turn starts', () => {
    const kernel = kernelOf()
    kernel.chooseModel('s', 'hint:other')
    kernel.reload(ROUTED)
    expect(targetOf(kernel, 's')).toBe('other.main')
  })

  test.each([
    ['no scope', '', 'm'],
    ['no text', 's', 7],
  ])('%s is refused', (_, scope, model) => {
    expect(() => kernelOf().chooseModel(scope, model as string)).toThrow(/invalid_request/)
  })
})

describe('R38 an estimator of the host', () => {
  test('classes instead of that of the settings', () => {
    const kernel = kernelOf({ estimate: (prompt) => (prompt === 'hi' ? 'complex' : 'simple') })
    expect([kernel.plan({ prompt: 'hi' }).target, kernel.plan({ prompt: COMPLEX }).target]).toEqual(['cloud.main', 'ollama.home'])
  })

  test('one that rejects later keeps the prompt local, and ends no process', async () => {
    const rejections: unknown[] = []
    const hear = (reason: unknown): void => void rejections.push(reason)
    process.on('unhandledRejection', hear)
    const kernel = kernelOf({ estimate: (() => Promise.reject(new Error('no model today'))) as never })
    expect(kernel.plan({ prompt: COMPLEX }).target).toBe('ollama.home')
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', hear)
    expect(rejections).toEqual([])
  })

  test('R39 one that throws, or says anything but complex, keeps the prompt local', () => {
    fc.assert(
      fc.property(fc.anything(), fc.boolean(), (said, throws) => {
        const kernel = kernelOf({
          estimate: () => {
            if (throws) throw said
            return said as never
          },
        })
        expect(kernel.plan({ prompt: COMPLEX }).target).toBe(!throws && said === 'complex' ? 'cloud.main' : 'ollama.home')
      }),
      { numRuns: 40 },
    )
  })
})
