import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastValueFrom, toArray } from 'rxjs'
import { onTestFinished } from 'vitest'
import { resolveCliEngine } from '../../src/engines/cli/cli-engines.ts'
import type { AttemptRequest } from '../../src/engines/contract.ts'
import type { CliSettings } from '../../src/model/cli.ts'
import type { Failure } from '../../src/model/failure.ts'
import type { ProviderEvent } from '../../src/model/provider-event.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { profileOf, requestOf } from '../engines/http/request.ts'

/** The coding-agent CLIs by family, with the name of their executable. */
export const PROGRAMS = [
  ['claude', 'claude'],
  ['codex', 'codex'],
  ['agy', 'agy'],
  ['gemini-cli', 'gemini'],
] as const
export type Family = (typeof PROGRAMS)[number][0]

export function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'relevo-security-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A program that anybody may run, made of a script. */
export function programIn(directory: string, name: string, script: string): string {
  const path = join(directory, name)
  writeFileSync(path, script)
  chmodSync(path, 0o755)
  return path
}

/** Puts down what it was given, byte for byte, and exits 7. */
const recorder = (directory: string): string => `#!/bin/sh
printf '%s\\0' "$@" > '${directory}/arguments'
cat > '${directory}/input'
exit 7
`

export interface Given {
  readonly args: readonly string[]
  readonly stdin: string
}

export interface Run {
  readonly events: readonly ProviderEvent[]
  readonly failure: Failure | null
}

export interface Stage {
  readonly directory: string
  /** Runs this program, or the recorder, as the one of the family. */
  run(family: Family, request?: Partial<AttemptRequest>, cli?: Partial<CliSettings>): Promise<Run>
  /** What the recorder was given since this was last asked; null when it did not run. */
  given(): Given | null
}

/** The engines that are shipped, over programs of a folder. */
export function stage(environment: Readonly<Record<string, string>> = {}): Stage {
  const directory = folder()
  const engines = resolveCliEngine({ clock: systemClock(), environment: { PATH: process.env['PATH'], ...environment }, runs: null })
  onTestFinished(() => engines.close())
  const path = programIn(directory, 'recorder', recorder(directory))
  return {
    directory,
    run: async (family, request, cli) => {
      const settings = { command: null, args: [], directory: null, env: {}, stallMs: null, path, absent: false, ...cli }
      const profile = profileOf({ id: `${family}.x`, family, api: null, endpoint: null, cli: settings })
      const engine = engines(profile)
      if (engine === undefined) throw new Error(`no engine of ${family}`)
      const attempt = engine.attempt(requestOf({ profile, model: 'default', clock: systemClock(), ...request }))
      const events = await lastValueFrom(attempt.pipe(toArray()))
      const last = events.at(-1)
      return { events, failure: last?.type === 'failed' ? last.failure : null }
    },
    given: () => {
      const [args, stdin] = [join(directory, 'arguments'), join(directory, 'input')]
      if (!existsSync(args)) return null
      const given = { args: readFileSync(args, 'utf8').split('\0').slice(0, -1), stdin: readFileSync(stdin, 'utf8') }
      for (const file of [args, stdin]) rmSync(file)
      return given
    },
  }
}

/** The prompt where each program takes it. */
export function promptIn(family: Family, { args, stdin }: Given): string {
  return family === 'agy' ? (args[args.indexOf('-p') + 1] ?? '') : stdin
}
