import { describe, expect, it } from 'vitest'
import { CannotSend } from '../../../../src/engines/cannot-send.ts'
import { claude } from '../../../../src/engines/cli/claude/program.ts'
import { environmentFor } from '../../../../src/engines/cli/environment.ts'
import type { CliAsk } from '../../../../src/engines/cli/program.ts'

const ask = (more: Partial<CliAsk> = {}): CliAsk => ({ mode: 'stream', model: null, system: null, prompt: 'Hi', options: {}, ...more })
const invoked = (more: Partial<CliAsk> = {}) => claude.invocation(ask(more))
const BASE = ['-p', '--output-format', 'stream-json', '--verbose']

describe('cli-engines.md §2 the command line of claude', () => {
  it.each<[string, Partial<CliAsk>, string[]]>([
    ['a stream has partial messages', {}, [...BASE, '--include-partial-messages']],
    ['a call has none', { mode: 'call' }, BASE],
    ['a model', { mode: 'call', model: 'opus' }, [...BASE, '--model', 'opus']],
    ['system text, also one that begins with a dash', { mode: 'call', system: '-be brief' }, [...BASE, '--append-system-prompt', '-be brief']],
    ['effort', { mode: 'call', options: { reasoningEffort: 'low' } }, [...BASE, '--effort', 'low']],
  ])('%s', (_what, more, args) => {
    expect(invoked(more)).toEqual({ args, stdin: 'Hi' })
  })

  it.each([
    '-p',
    '--help',
    'a\0b',
    '$(x) `y` "z" \\ %A%',
    '  \r\nx \n',
    '/etc/hosts says what?',
    ' /help',
    '/',
    '/ x',
    '/x.y z',
    'x'.repeat(5_000_000),
  ])('the prompt is standard input, byte for byte: %.20j', (prompt) => {
    expect(invoked({ prompt }).stdin === prompt).toBe(true)
  })

  it('system text that fits no argument stands in front of the prompt', () => {
    const fits = 'é'.repeat(50_000)
    expect(invoked({ system: fits })).toMatchObject({ args: expect.arrayContaining([fits]), stdin: 'Hi' })
    for (const system of [`${fits}é`, 'a\0b']) {
      const { args, stdin } = invoked({ system })
      expect(args).not.toContain('--append-system-prompt')
      expect(stdin === `${system}\n\nHi`).toBe(true)
    }
  })
})

describe('R17 what claude would not hand to its model is refused', () => {
  it.each<[string, Partial<CliAsk>, string]>([
    ['a command of its own', { prompt: '/help' }, 'begins with `/`'],
    ['one with words behind it', { prompt: '/update-config\nplease' }, 'begins with `/`'],
    ['one of a plugin', { prompt: '/a:b c' }, 'begins with `/`'],
    ['more than it reads', { prompt: 'x'.repeat(10 * 1024 * 1024 + 1) }, 'at most 10485760 characters'],
    ['a bound on tokens', { options: { maxTokens: 5 } }, '`maxTokens`'],
    ['an option of its profile', { options: { providerOptions: { 'claude.main': { a: 1 } } } }, '`providerOptions.claude.main`'],
  ])('%s', (_what, more, words) => {
    expect(() => invoked(more)).toThrow(CannotSend)
    expect(() => invoked(more)).toThrow(words)
  })
})

describe('the environment of claude', () => {
  const seen = (host: Record<string, string>) => environmentFor(host, { variables: claude.variables, fixed: claude.environment, own: {} })

  it('R23 it retries nothing and sends nothing again, whatever the host has set', () => {
    expect(seen({ CLAUDE_CODE_MAX_RETRIES: '9', CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '0' })).toMatchObject({
      CLAUDE_CODE_MAX_RETRIES: '0',
      CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
    })
  })

  it('R11 with a key it is given no other way to sign in, but its server', () => {
    const host = { ANTHROPIC_AUTH_TOKEN: 't', CLAUDE_CODE_OAUTH_TOKEN: 't', CLAUDE_CODE_USE_VERTEX: '1', ANTHROPIC_BASE_URL: 'http://127.0.0.1' }
    const lists = { variables: claude.variables, withheld: claude.signIn, fixed: {}, own: { ANTHROPIC_API_KEY: 'k' } }
    const names = Object.keys(environmentFor(host, lists)).filter((name) => /^(?:ANTHROPIC|CLAUDE)_/.test(name))
    expect(names.sort()).toEqual(['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'])
  })

  it('it sees its own variables and those of the clouds that it signs in to, and no other', () => {
    const own = {
      ANTHROPIC_BASE_URL: 'a',
      CLAUDE_CODE_OAUTH_TOKEN: 'b',
      CLAUDE_CONFIG_DIR: 'c',
      AWS_PROFILE: 'd',
      CLOUD_ML_REGION: 'e',
      VERTEX_REGION_CLAUDE_4: 'f',
    }
    const env = seen({ ...own, OPENAI_API_KEY: 'x', CLAUDECODE: '1', AWS_LAMBDA_FUNCTION_NAME: 'x', NODE_OPTIONS: 'x' })
    expect(env).toMatchObject(own)
    for (const name of ['OPENAI_API_KEY', 'CLAUDECODE', 'AWS_LAMBDA_FUNCTION_NAME', 'NODE_OPTIONS']) expect(env).not.toHaveProperty(name)
  })

  it.each([
    ['CLAUDE_CODE_USE_BEDROCK', 'AWS_SECRET_ACCESS_KEY'],
    ['CLAUDE_CODE_USE_BEDROCK', 'AWS_BEARER_TOKEN_BEDROCK'],
    ['CLAUDE_CODE_USE_FOUNDRY', 'AZURE_CLIENT_SECRET'],
  ])('R1 only %s lets it see %s of the host', (mode, name) => {
    const lists = { variables: claude.variables, switched: claude.switched, fixed: {}, own: {} }
    for (const off of [{}, { [mode]: '0' }, { [mode]: 'false' }, { [mode]: '' }])
      expect(environmentFor({ ...off, [name]: 'key' }, lists)).not.toHaveProperty(name)
    expect(environmentFor({ [mode]: '1', [name]: 'key' }, lists)).toHaveProperty(name, 'key')
    expect(environmentFor({ [name]: 'key' }, { ...lists, own: { [mode]: 'true' } })).toHaveProperty(name, 'key')
    expect(environmentFor({ [mode]: '1', [name]: 'key' }, { ...lists, own: { [mode]: '0' } })).not.toHaveProperty(name)
    // The mode of the host is off for a profile that has a key of its own.
    expect(environmentFor({ [mode]: '1', [name]: 'key' }, { ...lists, withheld: claude.signIn })).not.toHaveProperty(name)
  })

  it('takes a profile’s credential as an API key, and says how it is got', () => {
    expect(claude).toMatchObject({ family: 'claude', provider: 'claude', command: 'claude', keyVariable: 'ANTHROPIC_API_KEY' })
    expect(claude.install).toContain('@anthropic-ai/claude-code')
  })
})
