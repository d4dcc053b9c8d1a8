import { describe, expect, it } from 'vitest'
import { CannotSend } from '../../../../src/engines/cannot-send.ts'
import { agy } from '../../../../src/engines/cli/agy/program.ts'
import { environmentFor } from '../../../../src/engines/cli/environment.ts'
import type { CliAsk } from '../../../../src/engines/cli/program.ts'

const invoked = (more: Partial<CliAsk> = {}) => agy.invocation({ mode: 'stream', model: null, system: null, prompt: 'Hi', options: {}, ...more })
const BASE = ['--output-format', 'stream-json', '--print-timeout', '8h', '--disable-slash-commands']

describe('cli-engines.md §5 the command line of agy', () => {
  it.each<[string, Partial<CliAsk>, string[]]>([
    ['a stream', {}, ['-p', 'Hi', ...BASE]],
    ['a call is the same: its output is not read otherwise', { mode: 'call' }, ['-p', 'Hi', ...BASE]],
    ['a model', { model: 'gemini-3' }, ['-p', 'Hi', ...BASE, '--model', 'gemini-3']],
    ['effort', { options: { reasoningEffort: 'high' } }, ['-p', 'Hi', ...BASE, '--effort', 'high']],
    ['system text stands in front of the prompt', { system: 'Be brief.' }, ['-p', 'Be brief.\n\nHi', ...BASE]],
  ])('%s', (_what, more, args) => {
    expect(invoked(more)).toEqual({ args, stdin: null })
  })

  it.each(['-p', '--model', '--', '$(x) `y` "z" \\ %A%', '  \r\nx \n', '/help me', '@file', 'é𝄞'.repeat(1000)])(
    'the prompt is the value of -p, byte for byte: %.20j',
    (prompt) => {
      expect(invoked({ prompt }).args.slice(0, 2)).toEqual(['-p', prompt])
    },
  )

  it('runs without its updater and with what its login needs, and sees no key of another', () => {
    const host = { PATH: '/bin', DBUS_SESSION_BUS_ADDRESS: 'unix:x', ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b', AGY_THING: 'c' }
    const environment = environmentFor(host, { variables: agy.variables, fixed: agy.environment, own: {} })
    expect(environment).toMatchObject({ AGY_CLI_DISABLE_AUTO_UPDATE: '1', DBUS_SESSION_BUS_ADDRESS: 'unix:x', AGY_THING: 'c', PATH: '/bin' })
    expect(Object.keys(environment).filter((name) => name.endsWith('_API_KEY'))).toEqual([])
    expect(agy.keyVariable).toBeNull()
  })
})

describe('R17 what agy cannot be asked is refused', () => {
  const fits = 'é'.repeat(65_024)
  it('as much as one argument holds fits, with the system text', () => {
    expect(Buffer.byteLength(invoked({ prompt: fits }).args[1] ?? '')).toBe(127 * 1024)
    expect(() => invoked({ prompt: fits, system: 'a' })).toThrow(CannotSend)
  })
  it.each<[string, Partial<CliAsk>, string]>([
    ['a NUL', { prompt: 'a\0b' }, 'cannot hold a NUL character'],
    ['a NUL in the system text', { system: 'a\0b' }, 'cannot hold a NUL character'],
    ['one byte more than an argument holds', { prompt: `${fits}x` }, 'holds 130048 bytes, and this one has 130049'],
    ['5 MB', { prompt: 'x'.repeat(5_000_000) }, 'this one has 5000000; shorten it'],
    ['a bound on tokens', { options: { maxTokens: 5 } }, '`maxTokens`'],
    ['a forced tool', { options: { toolChoice: 'required' } }, '`toolChoice`'],
    ['an option of its profile', { options: { providerOptions: { agy: { a: 1 } } } }, '`providerOptions.agy`'],
  ])('%s', (_what, more, words) => {
    expect(() => invoked(more)).toThrow(CannotSend)
    expect(() => invoked(more)).toThrow(words)
  })
})
