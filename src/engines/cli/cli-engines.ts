import { Observable } from 'rxjs'
import type { Profile } from '../../model/settings.ts'
import type { Engine } from '../contract.ts'
import { agy } from './agy/program.ts'
import { CliAttempt, type CliHost } from './attempt.ts'
import { claude } from './claude/program.ts'
import { codex } from './codex/program.ts'
import { findProgram, isInWorkFolder } from './find-program.ts'
import { geminiCli } from './gemini-cli/program.ts'
import { machineClock } from './machine-clock.ts'
import { ProcessTable } from './process/process-table.ts'
import type { CliProgram } from './program.ts'
import type { CliEngineResolver, CliOptions } from './resolver.ts'
import { runsDirectory } from './runs-directory.ts'

/** One line a program. */
const PROGRAMS: readonly CliProgram[] = [claude, codex, agy, geminiCli]

/** The engines of all coding-agent CLIs on this machine. Runs that a killed host has left are ended when the first one is asked for. */
export function resolveCliEngine(options: CliOptions): CliEngineResolver {
  const environment = options.environment ?? process.env
  const processes = new ProcessTable({
    clock: machineClock(options.clock),
    runs: options.runs === undefined ? runsDirectory(environment) : options.runs,
  })
  let swept = false
  const sweepOnce = (): void => {
    if (swept) return
    swept = true
    processes.sweep()
  }
  const engines = new Map<string, Engine>(PROGRAMS.map((program) => [program.family, engineOver(program, { environment, processes }, sweepOnce)]))
  return Object.assign((profile: Profile) => (profile.cli === null ? undefined : engines.get(profile.family)), {
    locate: (profile: Profile) => locate(profile, environment),
    sweep: sweepOnce,
    close: () => processes.close(),
  })
}

function locate({ cli, family }: Profile, { PATH: path, HOME: home }: CliHost['environment']): ReturnType<CliEngineResolver['locate']> {
  const program = PROGRAMS.find((one) => one.family === family)
  if (cli === null || program === undefined) return undefined
  const command = cli.command ?? program.command
  const folder = cli.directory ?? process.cwd()
  const found = findProgram(command, path, (directory) => isInWorkFolder(directory, folder, home))
  if (found !== null) return { path: found, takesKey: program.keyVariable !== null }
  const passedOver = findProgram(command, path)
  const why = passedOver === null ? '' : ` (${passedOver} is passed over: it lies in ${folder}, where the program would work)`
  return { command, install: `${program.install}${why}` }
}

function engineOver(program: CliProgram, host: CliHost, begun: () => void): Engine {
  return {
    attempt: (request) =>
      new Observable((subscriber) => {
        begun()
        const attempt = new CliAttempt(program, request, subscriber)
        subscriber.add(() => attempt.cancel())
        attempt.begin(host)
      }),
  }
}
