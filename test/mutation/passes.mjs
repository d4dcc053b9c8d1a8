// One thread for passes, replaced when a mutation does not come to an end or uses the memory up.
import { Worker } from 'node:worker_threads'

const WATCH_EVERY_MS = 200

export class Passes {
  #data
  #limitMs
  #worker = null

  /** `limitMs`: how long one document may take before its mutation counts as one that never ends. */
  constructor(root, sources, documents, limitMs) {
    this.#data = { root, sources, documents, progress: new Int32Array(new SharedArrayBuffer(8)) }
    this.#limitMs = limitMs
  }

  /** Who notices the change first, in the given order of places; null when nobody does. */
  async run(changed, order) {
    this.#worker ??= await started(this.#data)
    const worker = this.#worker
    const result = await new Promise((resolve) => {
      const settle = (value) => {
        clearInterval(watch)
        worker.off('message', settle).off('error', onError)
        resolve(value)
      }
      const onError = (error) =>
        settle(this.#ended(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'uses up the memory' : `breaks the thread: ${error.message}`))
      const watch = setInterval(
        this.#watcher(() => settle(this.#ended('does not end'))),
        WATCH_EVERY_MS,
      )
      worker.on('message', settle).on('error', onError)
      worker.postMessage({ changed, order })
    })
    if (result?.ended) await this.close()
    return result
  }

  async close() {
    await this.#worker?.terminate()
    this.#worker = null
  }

  #ended(how) {
    return { id: this.#data.documents[this.#data.progress[1]].id, how, ended: true }
  }

  /** Called at intervals; calls `onStuck` once the same document has been in hand for too long. */
  #watcher(onStuck) {
    let seen = -1
    let since = 0
    return () => {
      const now = Atomics.load(this.#data.progress, 0)
      if (now !== seen) {
        seen = now
        since = performance.now()
      } else if (performance.now() - since > this.#limitMs) onStuck()
    }
  }
}

function started(data) {
  const worker = new Worker(new URL('pass-worker.mjs', import.meta.url), { workerData: data, resourceLimits: { maxOldGenerationSizeMb: 512 } })
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', () => {
      worker.off('error', reject)
      resolve(worker)
    })
  })
}
