import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../architecture/source.ts'
import { Console } from './console.ts'

async function relevo(...argv: string[]) {
  const shell = new Console()
  return { code: await shell.run(...argv), shell }
}

const COMMANDS = ['demo', 'turn', 'check', 'plan', 'simulate', 'ledger', 'machines', 'read', 'read failure', 'read notice', 'read stream']

describe('relevo', () => {
  it.each(COMMANDS)('%s --help', async (command) => {
    const { code, shell } = await relevo(...command.split(' '), '--help')
    expect([code, shell.err]).toEqual([0, ''])
    expect(shell.outLines[0]).toMatch(new RegExp(`^Usage: relevo ${command}\\b`))
    expect(shell.out).toContain('--config <file>')
  })

  it('--help names every command, and --version is that of the package', async () => {
    const { shell } = await relevo('--help')
    for (const command of COMMANDS) expect(shell.out).toMatch(new RegExp(`^ {2}${command.split(' ')[0]}\\b`, 'm'))
    const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
    expect((await relevo('--version')).shell.out).toBe(`${version}\n`)
  })

  it.each([
    [['plam'], 'Did you mean plan?'],
    [['read', 'strem'], 'Did you mean stream?'],
    [['turn', '--modle', 'x'], 'Did you mean --model?'],
    [['turn', '--sinks', 'both'], 'event, draft'],
    [['--log-level', 'loud', 'check'], 'debug, info, warn, error, silent'],
    [['check', 'a', 'b'], 'arguments'],
    [['turn', '-v'], "unknown option '-v'. See relevo --help."],
  ])('%j exits 2 with one line that helps', async (argv, words) => {
    const { code, shell } = await relevo(...argv)
    expect([code, shell.out]).toEqual([2, ''])
    expect(shell.errLines).toEqual([expect.stringContaining(words)])
  })

  it('without a command shows its help on stderr and exits 2', async () => {
    const { code, shell } = await relevo()
    expect([code, shell.out]).toEqual([2, ''])
    expect(shell.err).toContain('Usage: relevo')
  })
})
