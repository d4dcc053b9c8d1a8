import { accessSync, constants, existsSync, statSync } from 'node:fs'
import type { ProcessEnd, ProcessFault, ProcessRequest } from './process.ts'

type Failed = Extract<ProcessEnd, { kind: 'failed' }>

export function failed(reason: ProcessFault, message: string): Failed {
  return { kind: 'failed', reason, message }
}

/**
 * What is wrong with the directory of a run, or null. Looked at before the start, because the system tells a missing directory as a missing
 * program.
 */
export function directoryFault({ path, directory }: ProcessRequest): Failed | null {
  if (directory === null) return null
  const because = (what: string): Failed => failed('no_directory', `${path} was not started: its directory ${directory} ${what}`)
  try {
    if (!statSync(directory).isDirectory()) return because('is no directory; name one')
    accessSync(directory, constants.X_OK)
    return null
  } catch (error) {
    return because(codeOf(error) === 'EACCES' ? 'may not be entered; give this user the right to' : 'does not exist; make it or name another')
  }
}

/** Why the system started nothing. By its code alone: messages of the platform quote arguments and variables, and those hold secrets. */
export function startFault(request: ProcessRequest, error: unknown): Failed {
  const { path } = request
  const code = codeOf(error)
  switch (code) {
    case 'E2BIG':
      return failed(
        'too_long',
        `${path} was not started: ${lengthsOf(request)} are more than this system takes (E2BIG); send less, or by standard input`,
      )
    case 'ENOENT':
    case 'ENOTDIR':
      return directoryFault(request) ?? notThere(path)
    case 'EACCES':
    case 'EPERM':
      return failed('not_started', `${path} was not started: this user may not execute it (${code}); check its mode and its directories`)
    case 'ERR_INVALID_ARG_VALUE':
      return failed('not_started', `${path} was not started: an argument or a variable holds a NUL byte, which no process can be given; take it out`)
    case 'EAGAIN':
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOMEM':
      return failed('not_now', `${path} was not started: this system has no room for another process (${code}); run fewer at once`)
    case 'ETXTBSY':
      return failed('not_now', `${path} was not started: it is being written at this moment (${code}); try again when it is installed`)
    default:
      return failed('not_started', `${path} was not started: the system refused (${code}); start it by hand to see why`)
  }
}

/** A file that is there and yet is not found is a script: what is missing is the program that its first line names. */
function notThere(path: string): Failed {
  if (!existsSync(path)) return failed('not_started', `${path} was not started: there is no such file; install it, or set its path`)
  return failed('not_started', `${path} was not started: the interpreter that its first line names is missing; install that`)
}

function lengthsOf({ args, environment }: ProcessRequest): string {
  let argumentBytes = 0
  for (const argument of args) argumentBytes += Buffer.byteLength(argument) + 1
  let environmentBytes = 0
  for (const [name, value] of Object.entries(environment)) environmentBytes += Buffer.byteLength(name) + Buffer.byteLength(value) + 2
  return `${argumentBytes} bytes of arguments and ${environmentBytes} of environment`
}

function codeOf(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'no code'
}
