import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import type { Diagnostic } from '../../src/model/plan.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import { type SettingsWatchOptions, watchSettings } from '../../src/runtime/settings-watch.ts'
import { folderOf } from '../faces/console.ts'

/** Short, so that a test does not wait; long enough for the events of one write to come together. */
const QUIET_MS = 25

export function settings(model: string, more = ''): string {
  return `primary: ollama.here\nprofiles:\n  ollama.here: { model: ${model} }\n${more}`
}

/** What a watch told, in order; `next` waits for what has not been waited for yet. */
export class Watched {
  readonly told: (string | readonly Diagnostic[])[] = []
  #asked = 0
  #wake: (() => void) | null = null

  constructor(path: string, options: Partial<SettingsWatchOptions> = {}) {
    const keyFolder = options.keyFolder ?? '/nowhere'
    const secrets = { env: () => undefined, file: (name: string) => textOf(join(keyFolder, name)) }
    const kernel = createKernel({ primary: 'ollama.here', profiles: { 'ollama.here': { model: 'm0' } } }, { secrets })
    let model = ''
    const reload = (written: unknown): void => {
      kernel.reload(written)
      model = kernel.plan().entries[0]?.model ?? ''
    }
    const watch = watchSettings(path, {
      reload,
      onReloaded: () => this.#tell(model),
      onRefused: (problems) => this.#tell(problems),
      quietMs: QUIET_MS,
      ...options,
    })
    onTestFinished(() => {
      watch.close()
      return kernel.stop()
    })
  }

  async next(): Promise<string | readonly Diagnostic[]> {
    const n = this.#asked++
    while (this.told.length <= n) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.told[n] as string | readonly Diagnostic[]
  }

  #tell(what: string | readonly Diagnostic[]): void {
    this.told.push(what)
    this.#wake?.()
  }
}

/** Time by hand, for what must not happen: the system tells of files in its own time, and nothing else does. */
export class ByHand {
  constructor() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
  }

  /** Resolves when the system has told of a change. */
  async heard(): Promise<void> {
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve))
  }

  /** What is due so far is done. */
  pass(quietTimes: number): void {
    vi.advanceTimersByTime(quietTimes * QUIET_MS)
  }
}

export function codesOf(told: string | readonly Diagnostic[]): readonly string[] | string {
  return typeof told === 'string' ? told : told.map(({ code, path }) => `${code} ${path.replace(/.*[/\\]/, '')}`)
}

/** The ways in which programs write a file. */
export function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

export function replaceMoved(path: string, text: string): void {
  renameSync(path, `${path}~`)
  replace(path, text)
}

export function rewrite(path: string, text: string): void {
  unlinkSync(path)
  writeFileSync(path, text)
}

export function inPieces(path: string, text: string): void {
  writeFileSync(path, '')
  for (const line of text.split(/(?<=\n)/)) appendFileSync(path, line)
}

export function burst(path: string, text: string): void {
  for (let n = 0; n < 20; n++) writeFileSync(path, settings(`n${n}`))
  writeFileSync(path, text)
}

export function folderMadeAnew(path: string, text: string): void {
  rmSync(dirname(path), { recursive: true })
  mkdirSync(dirname(path))
  writeFileSync(path, text)
}

export function folderReplaced(path: string, text: string): void {
  renameSync(dirname(path), join(folderOf({}), 'aside'))
  mkdirSync(dirname(path))
  writeFileSync(path, text)
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
