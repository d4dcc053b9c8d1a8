import { describe, expect, it } from 'vitest'
import { CannotSend } from '../../../../src/engines/cannot-send.ts'
import { environmentFor } from '../../../../src/engines/cli/environment.ts'
import { geminiCli } from '../../../../src/engines/cli/gemini-cli/program.ts'
import type { CliAsk } from '../../../../src/engines/cli/program.ts'

const invoked = (more: Partial<CliAsk> = {}) =>
  geminiCli.invocation({ mode: 'stream', model: null, system: null, prompt: 'Hi', options: {}, ...more })
const BASE = ['-o', 'stream-json', '--skip-trust']

describe('cli-engines.md §4 the command line of the Gemini CLI', () => {
  it.each<[string, Partial<CliAsk>, string[], string]>([
    ['a stream', {}, BASE, 'Hi'],
    ['a call', { mode: 'call' }, BASE, 'Hi'],
    ['a model', { model: 'gemini-2.5-pro' }, [...BASE, '-m', 'gemini-2.5-pro'], 'Hi'],
    ['system text stands in front of the prompt', { system: 'Be brief.' }, BASE, 'Be brief.\n\nHi'],
    ['and has a slash behind it begin no command', { system: 'Be brief.', prompt: '/help' }, BASE, 'Be brief.\n\n/help'],
  ])('%s', (_what, more, args, stdin) => {
    expect(invoked(more)).toEqual({ args, stdin })
  })

  it.each([
    '-p',
    '--help',
    'a\0b',
    '$(x) `y` "z" \\ %A%',
    '  \r\nx \n',
    '// a comment',
    '/* and another */',
    ' /help',
    '@file',
    'x'.repeat(5_000_000),
  ])('the prompt is standard input, byte for byte: %.20j', (prompt) => {
    expect(invoked({ prompt }).stdin === prompt).toBe(true)
  })

  it('sees its own variables and no key of another', () => {
    const host = { GOOGLE_CLOUD_PROJECT: 'p', GEMINI_CLI_HOME: '/h', ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b' }
    const environment = environmentFor(host, { variables: geminiCli.variables, fixed: geminiCli.environment, own: { GEMINI_API_KEY: 'k' } })
    expect(environment).toMatchObject({ GOOGLE_CLOUD_PROJECT: 'p', GEMINI_CLI_HOME: '/h', GEMINI_API_KEY: 'k' })
    expect(Object.keys(environment).filter((name) => name.endsWith('_API_KEY'))).toEqual(['GEMINI_API_KEY'])
    expect(geminiCli.keyVariable).toBe('GEMINI_API_KEY')
  })
})

describe('R17 what the Gemini CLI would not hand to its model is refused', () => {
  const fits = 'é'.repeat(4 * 1024 * 1024)
  it('as much as it reads is taken', () => {
    expect(invoked({ prompt: fits }).stdin?.length).toBe(fits.length)
  })
  it.each<[string, Partial<CliAsk>, string]>([
    ['a command of its own', { prompt: '/help' }, 'begins with `/`'],
    ['what may be one', { prompt: '/etc/hosts says what?' }, 'put something in front of it'],
    ['more than it reads', { prompt: `${fits}x` }, 'reads 8388608 bytes of a prompt, and this one has 8388609'],
    ['more than it reads, with the system text', { prompt: fits, system: 'a' }, 'this one has 8388611'],
    ['effort', { options: { reasoningEffort: 'low' } }, '`reasoningEffort`'],
    ['a bound on tokens', { options: { maxTokens: 5 } }, '`maxTokens`'],
    ['an option of its profile', { options: { providerOptions: { 'gemini-cli.main': { a: 1 } } } }, '`providerOptions.gemini-cli.main`'],
  ])('%s', (_what, more, words) => {
    expect(() => invoked(more)).toThrow(CannotSend)
    expect(() => invoked(more)).toThrow(words)
  })
})
