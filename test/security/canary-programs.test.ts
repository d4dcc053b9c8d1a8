import { describe, expect, test } from 'vitest'
import type { KernelConfig } from '../../src/runtime/kernel-door.ts'
import { canary, stage } from './canary-rig.ts'
import { folder, PROGRAMS, programIn } from './cli-rig.ts'

const SILENT = 'and is silent then'

/** Programs that print everything that they were given: their environment and their arguments. */
const SAYS: readonly (readonly [string, string])[] = [
  ['on standard error', 'echo "$@" >&2; env >&2; exit 7'],
  ['on standard output', 'echo "$@"; env; exit 1'],
  ['as an error of JSON', 'printf \'{"type":"error","error":{"type":"%s","message":"refused %s"}}\\n\' "$SAID" "$SAID"; exit 1'],
  ['as a result of JSON', 'printf \'{"type":"result","subtype":"%s","is_error":true,"result":"API Error: 401 %s"}\\n\' "$SAID" "$SAID"; exit 1'],
  ['as a turn that failed', 'printf \'{"type":"turn.failed","error":{"message":"unexpected status 401: %s"}}\\n\' "$SAID"; exit 1'],
  ['as a notice of a limit', 'echo "You have hit your usage limit for $SAID. Try again at 3pm." >&2; echo "429 $SAID"; exit 1'],
  ['in a long line', 'head -c 3000 /dev/zero | tr "\\0" x >&2; echo "$SAID" >&2; exit 1'],
  [SILENT, 'echo "$SAID" >&2; exec sleep 60'],
]

/** Secrets first: how much of it is quoted must not hang on how long the PATH of this machine is. */
const SAID = 'SAID="$(echo "$*" | tr -d "\\042") $(env | tr "\\n\\042" "  ")"\n'

/** What of it a failure quotes. */
const TOLD = {
  claude: ['on standard error', 'as a notice of a limit'],
  codex: ['on standard error', 'as a turn that failed', 'as a notice of a limit'],
  agy: ['on standard error', 'as a notice of a limit'],
  'gemini-cli': ['on standard error', 'as a notice of a limit'],
} as const

const KEY_VARIABLE = { claude: true, codex: true, agy: false, 'gemini-cli': true } as const

describe.each(PROGRAMS)('%s', (family, command) => {
  test('SEC-01 SEC-04 SEC-05 no output of any kind repeats what a program says of what it was given', async () => {
    const directory = folder()
    const witnesses = SAYS.map(async ([how, script], index) => {
      const path = programIn(directory, `${command}-${index}`, `#!/bin/sh\n${SAID}${script}\n`)
      const id = `${family}.x`
      const config: KernelConfig = {
        primary: id,
        profiles: {
          [id]: {
            ...(KEY_VARIABLE[family] ? { apiKey: canary('apiKey') } : {}),
            cli: {
              command: path,
              env: { GATEWAY: canary('variable'), THEIR_HEADERS: `authorization: Bearer ${canary('header')}` },
              args: [`--token=${canary('argument')}`, '--api-key', canary('body'), '-c', `x.auth="${canary('query')}"`],
              stallMs: how === SILENT ? 200 : 20_000,
            },
          },
        },
        reliability: { jitter: 0, providerRetries: 0, onAllHeld: 'fail' },
      }
      const { witness, turn, close } = stage(config, {
        processes: { environment: { PATH: '/usr/bin:/bin', MY_TOKEN: canary('env') }, runs: null },
      })
      const { kind } = await turn()
      await close()
      return { how, kind, leaks: witness.leaks, redactions: witness.redactions }
    })
    const ends = await Promise.all(witnesses)
    for (const { how, kind, leaks } of ends) {
      expect(leaks, how).toEqual([])
      expect(kind, how).toBe(how === 'as a notice of a limit' ? 'all_held' : 'exhausted')
    }
    // What is told at all is told without them; a channel that is told no more would show nothing here.
    expect(ends.filter(({ redactions }) => redactions > 0).map(({ how }) => how)).toEqual(TOLD[family])
  })
})
