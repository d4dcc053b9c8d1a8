// Asks the other tests about one mutation after another: who notices it that no scenario can.
import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A test that takes longer than all of them do over sound sources is in a loop of the mutation. */
const LIMIT_MS = 180_000

export class Confirmation {
  #root
  #places
  #child = null

  /** `places`: where tests are looked for. */
  constructor(root, places) {
    this.#root = root
    this.#places = places
  }

  /** The first test that fails over the mutated file, as `file > title`, or null. Null instead of a mutation: over the sources as they are. */
  async noticingTest(mutation) {
    this.#child ??= await this.#started()
    const child = this.#child
    const stuck = new AbortController()
    const timer = setTimeout(() => stuck.abort(), LIMIT_MS)
    const ended = new AbortController()
    const answer = once(child, 'message', { signal: AbortSignal.any([stuck.signal, ended.signal]) })
    const onExit = () => ended.abort()
    child.once('exit', onExit)
    try {
      child.send(mutation)
      const [test] = await answer
      return test
    } catch {
      this.close()
      return stuck.signal.aborted ? '(a test that does not end)' : '(a test that breaks its process)'
    } finally {
      clearTimeout(timer)
      child.off('exit', onExit)
    }
  }

  close() {
    this.#child?.kill('SIGKILL')
    this.#child = null
  }

  async #started() {
    const child = fork(new URL('confirm-worker.mjs', import.meta.url), this.#places, {
      cwd: this.#root,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    await once(child, 'message')
    return child
  }
}
