import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Console, folderOf } from '../faces/console.ts'
import { PROGRAMS, type Program, Stage } from './stage.ts'

/** A prompt reaches the program byte for byte, or is refused with a reason: from the command line to what a real process was given. */

interface Asked {
  readonly shell: Console
  readonly stage: Stage
  readonly code: number
}

/** `relevo turn` on these engines, all installed, which answer `heard`. */
async function ask(engines: string, prompt: { readonly stdin: string | Uint8Array } | { readonly argument: string }): Promise<Asked> {
  const stage = await Stage.of(Object.fromEntries(PROGRAMS.map(({ name }) => [name, [{ text: 'heard' }]])))
  const cwd = folderOf({})
  const stdin = 'stdin' in prompt ? [typeof prompt.stdin === 'string' ? Buffer.from(prompt.stdin) : prompt.stdin] : ''
  const shell = new Console({ stdin, cwd, env: { PATH: stage.clis.path, XDG_STATE_HOME: stage.runs } })
  // What begins with `-` stands behind `--`, as for every program.
  const code = await shell.run('turn', '--engine', engines, ...('argument' in prompt ? ['--', prompt.argument] : []))
  return { shell, stage, code }
}

/** What the program was given as its prompt: agy as an argument, the others on standard input. */
async function heard(stage: Stage, { name }: Program): Promise<{ readonly sha256: string; readonly bytes: number; readonly n: number }> {
  const calls = await stage.calls(name)
  const call = calls[0]
  const given = name === 'agy' ? Buffer.from(call?.args[call.args.indexOf('-p') + 1] ?? '') : null
  const { sha256 = '', bytes = 0 } = given === null ? (call?.stdin ?? {}) : { sha256: digest(given), bytes: given.length }
  return { sha256, bytes, n: calls.length }
}

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const asGiven = (prompt: string) => ({ sha256: digest(Buffer.from(prompt)), bytes: Buffer.byteLength(prompt), n: 1 })

const SHELL = "$(touch x); `touch y` && touch z | cat > w; \"' \\ $HOME %PATH% !! ~ * ? [a] # \t$'\\n'"

/** Where the command line itself could make another prompt of it, it is given there too. */
const ON_A_COMMAND_LINE = [
  ['a leading -', '-rf / --output-format json'],
  ['only a -', '-'],
  ['flags that the program has', '-p -m --model=x --json'],
  ['a flag that is all of it', '--help'],
  ['shell characters', SHELL],
] as const

const EVERYWHERE: readonly (readonly [what: string, prompt: string])[] = [
  ...ON_A_COMMAND_LINE,
  ['line ends of Windows, blanks at both ends', '  \r\n first\r\n\r\nsecond \r\n'],
  ['characters that end a line for some', 'a\u0085b\u2028c\u2029d\u000be\u000cf'],
  ['every plane of Unicode', 'é 漢字 😀 👩‍👩‍👧 \u{10ffff} \u200f\u202e'],
  ['120 000 bytes', 'ñ'.repeat(60_000)],
]

it.each(EVERYWHERE)('arrives byte for byte: %s', async (_, prompt) => {
  const argument = ON_A_COMMAND_LINE.some(([, one]) => one === prompt) ? [{ argument: prompt }] : []
  const all = PROGRAMS.flatMap((program) =>
    [{ stdin: prompt }, ...argument].map(async (given) => {
      const { stage, shell, code } = await ask(program.family, given)
      expect([program.family, code, shell.out, await heard(stage, program)]).toEqual([program.family, 0, 'heard\n', asGiven(prompt)])
      // No shell has seen it.
      for (const folder of [shell.io.cwd, stage.clis.path]) for (const file of 'wxyz') expect(existsSync(`${folder}/${file}`)).toBe(false)
    }),
  )
  await Promise.all(all)
})

const NUL = 'before\0after'
const BOM = '\ufeffwith a byte order mark'
const FIVE_MB = `begin ${'lorem ipsum '.repeat(5_000_000 / 12)} end`

describe('arrives byte for byte where the program can take it', () => {
  it.each([
    ['claude', NUL],
    ['codex', NUL],
    ['gemini-cli', NUL],
    ['claude', FIVE_MB],
    ['gemini-cli', FIVE_MB],
    ['claude', BOM],
    ['codex', `/help ${SHELL}`],
    ['agy', '/help me'],
    ['claude', '/etc/hosts is a file'],
  ])('%s %#', async (family, prompt) => {
    const program = PROGRAMS.find((one) => one.family === family) as Program
    const { stage, code } = await ask(family, { stdin: prompt })
    expect([code, await heard(stage, program)]).toEqual([0, asGiven(prompt)])
  })
})

describe('is refused with a reason, and nothing is started', () => {
  it.each([
    ['agy', NUL, 'agy takes its prompt as an argument, which cannot hold a NUL character; take it out'],
    ['agy', FIVE_MB, `agy takes its prompt as an argument, which holds 130048 bytes, and this one has ${FIVE_MB.length}; shorten it`],
    ['codex', FIVE_MB, `codex reads at most 1048576 characters of a prompt and this one has ${FIVE_MB.length}; shorten it`],
    ['gemini-cli', FIVE_MB + FIVE_MB, `gemini reads 8388608 bytes of a prompt, and this one has ${2 * FIVE_MB.length}; shorten it`],
    [
      'claude',
      FIVE_MB + FIVE_MB + FIVE_MB,
      `claude reads at most 10485760 characters of a prompt and this one has ${3 * FIVE_MB.length}; shorten it`,
    ],
    ['claude', '/help me', 'claude takes a prompt that begins with `/` and a word for a command of its own; put something in front of it'],
    ['gemini-cli', '/help me', 'gemini takes a prompt that begins with `/` for a command of its own; put something in front of it'],
  ])('%s: %#', async (family, prompt, reason) => {
    const { stage, shell, code } = await ask(family, { stdin: prompt })
    expect([code, shell.out]).toEqual([2, ''])
    expect(shell.errLines.at(-1)).toMatch(/^error: nothing was sent: .* \(exhausted\)$/)
    expect(shell.errLines.at(-1)).toContain(reason)
    for (const { name } of PROGRAMS) expect(await stage.calls(name)).toHaveLength(0)
    // Nothing ran, so nothing was written down either.
    expect(readdirSync(stage.runs)).toEqual([])
  })

  it('bytes that are no text are no prompt', async () => {
    const { stage, shell, code } = await ask('claude', { stdin: Uint8Array.of(0x68, 0x69, 0xff, 0xfe, 0x0a) })
    expect(code).toBe(2)
    expect(shell.errLines).toEqual([expect.stringMatching(/^error: standard input: .*UTF-8.*\. .+\.$/)])
    expect(await stage.calls('claude')).toHaveLength(0)
  })

  it('the next engine of the chain takes what the first one cannot', async () => {
    const { stage, shell, code } = await ask('agy,codex,claude', { stdin: FIVE_MB })
    expect([code, shell.out]).toEqual([0, 'heard\n'])
    const [, , claude] = [await stage.calls('agy'), await stage.calls('codex'), await stage.calls('claude')]
    expect(claude?.map(({ stdin }) => stdin?.sha256)).toEqual([asGiven(FIVE_MB).sha256])
    expect([...(await stage.calls('agy')), ...(await stage.calls('codex'))]).toHaveLength(0)
  })
})
