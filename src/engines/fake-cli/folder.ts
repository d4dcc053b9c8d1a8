import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FakeCliName, FakeCliScript } from './script.ts'

/**
 * What fake CLIs keep beside their executables: the script, what of it was used, and a record of every call.
 *
 * 1. Two that run at once never take the same run nor the same record: a number belongs to the process that could create its file.
 * 2. A record that can be read is whole: it is written beside and then moved into its place.
 */
const KEEP = 'fake-cli'

/** One call of a fake CLI, recorded by itself. */
export interface FakeCall {
  /** Number of the call among those of this CLI, from 1. */
  readonly n: number
  readonly args: readonly string[]
  readonly directory: string
  readonly pid: number
  /** The `TZ` it was given; null without one. */
  readonly zone: string | null
  /** Names of the variables it was given, sorted; no values. */
  readonly environment: readonly string[]
  /** What came on standard input, once that was read to its end; null when it was not. `text` is null where it is over 64 KiB. */
  readonly stdin: { readonly bytes: number; readonly sha256: string; readonly text: string | null } | null
  /** The run that it took, such as `claude:opus[0]`; null when it took none. */
  readonly run: string | null
  /** Pid of the process that it left behind; null without one. */
  readonly grandchild: number | null
  /** It has said all that it has to say, and stays. */
  readonly stays: boolean
  /** Bytes that it had printed when it last began to wait for good, gave a sign of life, or exited. */
  readonly bytes: number
  /** What it exited with by itself; null as long as it runs, and where a signal ended it. */
  readonly exit: number | null
}

export function writeScript(directory: string, script: FakeCliScript): void {
  mkdirSync(join(directory, KEEP), { recursive: true })
  replace(join(directory, KEEP, 'script.json'), JSON.stringify(script, null, 2))
}

export function readScript(directory: string): FakeCliScript {
  return JSON.parse(readFileSync(join(directory, KEEP, 'script.json'), 'utf8')) as FakeCliScript
}

/** The place of a new record; its number is `n`. */
export function claimCall(directory: string, name: FakeCliName): { readonly path: string; readonly n: number } {
  const folder = join(directory, KEEP, 'calls', name)
  const n = claim(folder) + 1
  return { path: join(folder, String(n - 1)), n }
}

export function writeCall(path: string, call: FakeCall): void {
  replace(path, JSON.stringify(call))
}

/** Index of the run that is next in a list, which from then on is taken. */
export function claimRun(directory: string, queue: string): number {
  return claim(join(directory, KEEP, 'used', encodeURIComponent(queue)))
}

/** The calls of one CLI, in the order in which they began. */
export function readCalls(directory: string, name: FakeCliName): FakeCall[] {
  const folder = join(directory, KEEP, 'calls', name)
  return numbersIn(folder).flatMap((number) => {
    const text = readFileSync(join(folder, String(number)), 'utf8')
    // A number that was taken a moment ago has no record yet.
    return text === '' ? [] : [JSON.parse(text) as FakeCall]
  })
}

function claim(folder: string): number {
  mkdirSync(folder, { recursive: true })
  for (let number = numbersIn(folder).length; ; number += 1) {
    try {
      closeSync(openSync(join(folder, String(number)), 'wx'))
      return number
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function numbersIn(folder: string): number[] {
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch {
    // Nothing was called yet.
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
}

function replace(path: string, text: string): void {
  const beside = `${path}.${process.pid}.new`
  writeFileSync(beside, text)
  renameSync(beside, path)
}
