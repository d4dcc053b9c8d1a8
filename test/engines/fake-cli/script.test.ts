import { describe, expect, test } from 'vitest'
import { installFakeClis } from '../../../src/engines/fake-cli/install.ts'
import { fakeScriptProblems } from '../../../src/engines/fake-cli/script-problems.ts'

describe('a script', () => {
  test('of every run there is has no problem', () => {
    const runs = [
      { text: 'hi', reasoning: 'hm', tools: [{ name: 'read', arguments: { path: 'a' }, output: '', isError: true }], usage: { input: 0, output: 1 } },
      { text: 'hi', stall: true, afterMs: 5, ignoreTerm: true, grandchild: true, exit: 0 },
      { text: 'hi', cut: true, stall: false },
      { text: [], usage: null, late: 'more' },
      { text: ['a', { text: 'b', afterMs: 5 }], stall: true },
      { limit: {} },
      { limit: { resetAt: '2026-12-05T08:17:30+01:00', scope: 'seven_day' } },
      { limit: { resetAt: 1_796_000_000_000 } },
      { limit: { resetInMs: 1 } },
      { throttle: true },
      { overloaded: true },
      { auth: true },
      { auth: { said: 'no such key' }, after: ['a ', { text: 'b' }] },
      { server: true },
      { says: 'a new thing' },
      { busy: true, afterMs: 5 },
      { spend: true },
      { context: true },
      { model: true },
      { network: 'down' },
      { crash: { exit: 134, stderr: 'oh' } },
      { silence: true },
      { flood: 1 },
      { raw: {} },
      { raw: { stdout: ['a'], stderr: ['b'], exit: 3 } },
    ]
    expect(fakeScriptProblems({ claude: [...runs, { text: 'a', finish: 'length', costUsd: 0.5 }], 'agy:gemini-3:pro/x': runs })).toEqual([])
  })

  test.each([
    [null, 'script: give an object of lists, such as { "claude": [{ "text": "hello" }] }'],
    [[], 'script: give an object of lists, such as { "claude": [{ "text": "hello" }] }'],
    [{ cursor: [{ text: 'hi' }] }, 'cursor: no fake CLI has this name; there are claude, codex, agy, gemini'],
    [{ 'gemini-cli': [{ text: 'hi' }] }, 'gemini-cli: no fake CLI has this name; there are claude, codex, agy, gemini'],
    [{ 'claude:': [{ text: 'hi' }] }, 'claude:: names no model; write "claude" for any, or the model behind the colon'],
    [{ claude: [] }, 'claude: give a list of runs, at least one; the last one repeats'],
    [{ claude: { text: 'hi' } }, 'claude: give a list of runs, at least one; the last one repeats'],
    [{ claude: [null] }, /^claude\[0\]: needs exactly one of text, limit, .*; it has none$/],
    [{ claude: [{ text: 'hi', auth: true }] }, /^claude\[0\]: needs exactly one of .*; it has text and auth$/],
    [{ claude: [{ text: 'hi' }, { text: 'hi', stal: true }] }, /^claude\[1\]: .*stal/],
    [{ claude: [{ text: '' }] }, /^claude\[0\]\.text: /],
    [{ claude: [{ text: 'hi', stall: true, cut: true }] }, 'claude[0].cut: stall and cut are two ends of one answer; give one'],
    [{ claude: [{ auth: true, text: undefined, usage: { input: 1 } }] }, /it has text and auth$/],
    [{ claude: [{ auth: false }] }, /^claude\[0\]\.auth: /],
    [{ claude: [{ text: ['a', ''] }] }, /^claude\[0\]\.text(\[1\])?: /],
    [{ claude: [{ text: 'a', finish: 'stop' }] }, /^claude\[0\]\.finish: /],
    [{ claude: [{ text: 'a', costUsd: -1 }] }, /^claude\[0\]\.costUsd: /],
    [{ agy: [{ text: 'a', costUsd: 1 }] }, 'agy[0].costUsd: agy does not say what a run cost; only claude does'],
    [{ codex: [{ text: 'a', finish: 'length' }] }, 'codex[0].finish: codex does not say why an answer ended; only claude does'],
    [{ claude: [{ says: '' }] }, /^claude\[0\]\.says: /],
    [{ claude: [{ crash: { exit: 1 }, after: ['a'] }] }, /^claude\[0\]: .*after/],
    [{ claude: [{ network: 'slow' }] }, /^claude\[0\]\.network: /],
    [{ claude: [{ limit: { resetAt: 'tomorrow' } }] }, 'claude[0].limit.resetAt: expected an ISO 8601 instant with its offset, or epoch ms'],
    [{ claude: [{ limit: { resetAt: -1 } }] }, /^claude\[0\]\.limit\.resetAt: /],
    [{ claude: [{ limit: { resetAt: 1, resetInMs: 1 } }] }, 'claude[0].limit.resetInMs: resetAt and resetInMs say the same; give one'],
    [{ claude: [{ text: 'hi', tools: [{ name: 'read' }] }] }, /^claude\[0\]\.tools\[0\]\.output: /],
    [{ claude: [{ crash: { exit: 256 } }] }, /^claude\[0\]\.crash\.exit: /],
    [{ claude: [{ flood: 0 }] }, /^claude\[0\]\.flood: /],
    [{ claude: [{ raw: { stdout: ['a\nb'] } }] }, 'claude[0].raw.stdout[0]: a line holds no line feed; give two'],
    [{ claude: [{ silence: true, afterMs: -1 }] }, /^claude\[0\]\.afterMs: /],
  ])('%j is refused with its place', (script, problem) => {
    expect(fakeScriptProblems(script)).toEqual([typeof problem === 'string' ? problem : expect.stringMatching(problem)])
  })

  test('with problems is not installed; all of them are told in one line', async () => {
    const script = { claude: [{ auth: true }, { texts: 'hi' }], codex: [] } as never
    const error = await installFakeClis({ directory: '/nowhere/at/all', script }).catch((reason: Error) => reason)
    expect(error).toBeInstanceOf(TypeError)
    expect((error as Error).message).toMatch(/^the script of the fake CLIs cannot be played: claude\[1\]: .*; codex: give a list of runs[^\n]*$/)
  })
})
