import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/model/secret.ts'
import { PROGRAMS, programIn, stage } from './cli-rig.ts'

/** Keys of every engine there is, and what would make a program run code that is not its own. */
const HOST = {
  OPENAI_API_KEY: 'key-of-openai-1',
  ANTHROPIC_API_KEY: 'key-of-anthropic-1',
  GEMINI_API_KEY: 'key-of-gemini-1',
  GOOGLE_API_KEY: 'key-of-google-1',
  GOOGLE_GENAI_USE_VERTEXAI: 'true',
  AWS_ACCESS_KEY_ID: 'key-of-aws-1',
  AWS_SECRET_ACCESS_KEY: 'key-of-aws-2',
  AWS_BEARER_TOKEN_BEDROCK: 'key-of-aws-3',
  AZURE_OPENAI_API_KEY: 'key-of-azure-1',
  MISTRAL_API_KEY: 'key-of-mistral-1',
  GITHUB_TOKEN: 'key-of-github-1',
  DATABASE_URL: 'postgres://u:p@h/d',
  NODE_OPTIONS: '--require /tmp/x.cjs',
  LD_PRELOAD: '/tmp/x.so',
  DYLD_INSERT_LIBRARIES: '/tmp/x.dylib',
  BASH_ENV: '/tmp/x.sh',
  ENV: '/tmp/x.sh',
  GIT_SSH_COMMAND: '/tmp/x.sh',
}

/** What every program sees (platform.md §5), in the words of the check. */
const EVERY = /^(?:PATH|HOME|LANG|LANGUAGE|LC_\w+|TERM|TMPDIR|USER|XDG_\w+|NO_COLOR|TZ|(?:https?|no|all)_proxy)$/i

/** What of the host's an engine names besides: the keys of its own vendor, and which of them it signs in with. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  claude: ['ANTHROPIC_API_KEY'],
  codex: ['OPENAI_API_KEY'],
  agy: ['GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'],
  'gemini-cli': ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'],
}

describe('CLI-03 a program sees no key of another', () => {
  test.each(PROGRAMS)('CLI-03 %s, of an environment full of keys, sees those of its vendor alone', async (family) => {
    for (const [name, value] of Object.entries(HOST)) {
      process.env[`X_${name}`] = value
      onTestFinished(() => void delete process.env[`X_${name}`])
    }
    const { run, directory } = stage({ ...HOST, HOME: '/home/a', LC_ALL: 'C', XDG_CONFIG_HOME: '/c', HTTPS_PROXY: 'http://127.0.0.1:9' })
    const file = join(directory, 'environment')
    const script = `#!${process.execPath}\nrequire('node:fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.env)); process.exit(7)\n`
    const path = programIn(directory, 'environment.cjs', script)
    const seen = async (secret: Secret | null): Promise<Record<string, string>> => {
      expect((await run(family, { secret }, { path })).failure?.code).toBe('exit_7')
      const environment = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
      rmSync(file)
      return environment
    }
    const environment = await seen(null)
    expect(environment).toMatchObject({ HOME: '/home/a', LC_ALL: 'C', XDG_CONFIG_HOME: '/c', HTTPS_PROXY: 'http://127.0.0.1:9' })
    expect(Object.keys(HOST).filter((name) => name in environment)).toEqual(Object.keys(HOST).filter((name) => NAMED[family]?.includes(name)))
    const others = Object.keys(environment).filter((name) => !EVERY.test(name) && !(name in HOST))
    for (const name of others) expect(name, 'fixed by the program').toMatch(OWN[family] ?? /^$/)
    if (family === 'agy') return
    const keyed = await seen(new Secret('key-of-the-profile-1'))
    expect(Object.values(keyed).filter((value) => value === 'key-of-the-profile-1')).toHaveLength(1)
    // With a key of its profile it is given none of the host, nor a switch that would have it sign in as the host.
    expect(Object.keys(HOST).filter((name) => name in keyed)).toEqual(
      [...(NAMED[family] ?? [])].filter((name) => keyed[name] === 'key-of-the-profile-1'),
    )
  })
})

/** What each program is set besides. */
const OWN: Readonly<Record<string, RegExp>> = {
  claude: /^(?:CLAUDE|DISABLE)_/,
  codex: /^CODEX_/,
  agy: /^AGY_/,
  'gemini-cli': /^GEMINI_/,
}
