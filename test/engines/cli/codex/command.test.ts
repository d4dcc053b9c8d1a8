import { describe, expect, it } from 'vitest'
import { CannotSend } from '../../../../src/engines/cannot-send.ts'
import { codex } from '../../../../src/engines/cli/codex/program.ts'
import { environmentFor } from '../../../../src/engines/cli/environment.ts'
import type { CliAsk } from '../../../../src/engines/cli/program.ts'

const invoked = (more: Partial<CliAsk> = {}) => codex.invocation({ mode: 'stream', model: null, system: null, prompt: 'Hi', options: {}, ...more })
const BASE = ['exec', '--json', '--skip-git-repo-check']

describe('cli-engines.md §3 the command line of codex', () => {
  it.each<[string, Partial<CliAsk>, string[], string]>([
    ['nothing more', {}, BASE, 'Hi'],
    ['a call is no other', { mode: 'call' }, BASE, 'Hi'],
    ['a model', { model: 'gpt-5.4' }, [...BASE, '-m', 'gpt-5.4'], 'Hi'],
    ['effort', { options: { reasoningEffort: 'high' } }, [...BASE, '-c', 'model_reasoning_effort="high"'], 'Hi'],
    ['system text in front of the prompt', { system: 'Be brief.' }, BASE, 'Be brief.\n\nHi'],
  ])('%s', (_what, more, args, stdin) => {
    expect(invoked(more)).toEqual({ args, last: ['-'], stdin })
  })

  it.each(['-', '--help', '/review', 'a\0b', '$(x) `y` "z" \\ %A%', '  \r\nx \n', 'x'.repeat(1_048_576), '😀'.repeat(1_048_576)])(
    'the prompt is standard input, byte for byte: %.20j',
    (prompt) => {
      expect(invoked({ prompt }).stdin === prompt).toBe(true)
    },
  )

  it.each<[string, Partial<CliAsk>, string]>([
    ['more than it reads', { prompt: 'x'.repeat(1_048_577) }, 'at most 1048576 characters of a prompt and this one has 1048577'],
    ['more with its system text', { system: 'ab', prompt: 'x'.repeat(1_048_573) }, 'this one has 1048577'],
    ['more characters of two halves', { prompt: `${'😀'.repeat(1_048_576)}x` }, 'this one has 1048577'],
    ['a temperature', { options: { temperature: 0 } }, '`temperature`'],
    ['an option of its family', { options: { providerOptions: { codex: { a: 1 } } } }, '`providerOptions.codex`'],
  ])('R17 what codex would not take is refused: %s', (_what, more, words) => {
    expect(() => invoked(more)).toThrow(CannotSend)
    expect(() => invoked(more)).toThrow(words)
  })

  it('it sees its own variables and no other, and takes a credential where `codex exec` reads one', () => {
    const own = { CODEX_HOME: 'a', OPENAI_BASE_URL: 'b' }
    const env = environmentFor({ ...own, ANTHROPIC_API_KEY: 'x' }, { variables: codex.variables, fixed: codex.environment, own: {} })
    expect(env).toMatchObject(own)
    expect(env).not.toHaveProperty('ANTHROPIC_API_KEY')
    expect(codex).toMatchObject({ family: 'codex', provider: 'codex', command: 'codex', keyVariable: 'CODEX_API_KEY' })
    expect(codex.install).toContain('@openai/codex')
  })
})
