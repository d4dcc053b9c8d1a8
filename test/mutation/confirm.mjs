// Asks the other tests about one mutation after another: who notices it that no scenario can.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What takes so much longer than the sources as they are did, and so long beside, is a loop that the mutation has made. */
const MOST_TIMES = 5
const LEAST_LIMIT_MS = 15_000

export class Confirmation {
  #root
  #places
  #scratch = mkdtempSync(join(tmpdir(), 'relevo-mutation-'))
  #child = null
  #limitMs = Number.POSITIVE_INFINITY

  /** `places`: where tests are looked for. */
  constructor(root, places) {
    this.#root = root
    this.#places = places
  }

  /** Asked first: the first test that fails over the sources as they are, as `file > title`, or null. It also says how long is long. */
  async unsoundness() {
    this.#child ??= await this.#started()
    const startedAt = performance.now()
    const test = await this.noticingTest(null)
    this.#limitMs = LEAST_LIMIT_MS + MOST_TIMES * (performance.now() - startedAt)
    return test
  }

  /** The first test that fails over the mutated file, or null. */
  async noticingTest(mutation) {
    this.#child ??= await this.#started()
    const child = this.#child
    const stuck = new AbortController()
    const timer = Number.isFinite(this.#limitMs) ? setTimeout(() => stuck.abort(), this.#limitMs) : undefined
    const ended = new AbortController()
    const answer = once(child, 'message', { signal: AbortSignal.any([stuck.signal, ended.signal]) })
    const onExit = () => ended.abort()
    child.once('exit', onExit)
    try {
      child.send(mutation)
      const [test] = await answer
      return test
    } catch {
      this.#end()
      return stuck.signal.aborted ? '(a test that does not end)' : '(a test that breaks its process)'
    } finally {
      clearTimeout(timer)
      child.off('exit', onExit)
    }
  }

  close() {
    this.#end()
    rmSync(this.#scratch, { recursive: true, force: true })
  }

  #end() {
    this.#child?.kill('SIGKILL')
    this.#child = null
  }

  async #started() {
    const child = fork(new URL('confirm-worker.mjs', import.meta.url), [join(this.#scratch, 'mutation.json'), ...this.#places], {
      cwd: this.#root,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    await once(child, 'message')
    return child
  }
}
