import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { FakeCall, FakeCliName } from '../../src/testing.ts'
import { ROOT } from '../architecture/source.ts'
import { isAlive, Stage } from './stage.ts'

/** A host that was killed could end nothing; the next kernel finds what it has left behind (platform.md §5). */

interface Host {
  readonly process: ChildProcess
  /** What its turn has started. */
  readonly call: FakeCall
}

/** A process of its own with a kernel as users get it, one turn of which runs until it is killed. */
async function host(stage: Stage, name: FakeCliName): Promise<Host> {
  const profile = `${name}.x`
  const file = join(stage.clis.path, 'host.mjs')
  const config = { primary: profile, profiles: { [profile]: {} } }
  writeFileSync(
    file,
    `import { createKernel } from ${JSON.stringify(join(ROOT, 'dist/index.js'))}
     const kernel = createKernel(${JSON.stringify(config)}, { processes: ${JSON.stringify(stage.processes)} })
     await kernel.turn({ prompt: 'say hello', sinks: ['event'] }).outcome
     process.exit(1)`,
  )
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'ignore', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const early = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`the host exited ${code} before its program began; is dist/ built? (npm run build)`)))
  })
  const call = await Promise.race([stage.took(name), early])
  early.catch(() => {})
  onTestFinished(() => end(call.pid))
  return { process: child, call }
}

/** A killed process of nobody tells no one; it is looked at in every round of the event loop. */
async function ended(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise<void>((resolve) => void setImmediate(resolve))
}

/** Its whole group, where it is still there. */
function end(pid: number): void {
  if (isAlive(pid)) process.kill(-pid, 'SIGKILL')
}

it('what a killed host has left ends with the first attempt of the next kernel, its grandchild too', async () => {
  // It prints nothing, so that it does not notice by itself that nobody reads.
  const stage = await Stage.of({ claude: [{ silence: true, grandchild: true }], codex: [{ text: 'served' }] })
  const { process: dying, call } = await host(stage, 'claude')
  const { pid, grandchild } = call
  const exited = new Promise((resolve) => void dying.once('exit', (_, signal) => resolve(signal)))
  dying.kill('SIGKILL')
  expect(await exited).toBe('SIGKILL')
  expect([isAlive(pid), isAlive(grandchild ?? 0)]).toEqual([true, true])
  expect(readdirSync(stage.runs)).toEqual([`${pid}.json`])

  const kernel = stage.kernel({ primary: 'codex.x', profiles: { 'codex.x': {} } })
  // Making a kernel starts no program and ends none.
  expect(isAlive(pid)).toBe(true)
  expect(await kernel.turn({ prompt: 'say hello', sinks: ['event'] }).outcome).toMatchObject({ kind: 'ok', text: 'served' })
  await Promise.all([ended(pid), ended(grandchild ?? 0)])
  await stage.gone()
})

it('what another living host runs is left alone', async () => {
  const stage = await Stage.of({ agy: [{ silence: true }], codex: [{ text: 'served' }] })
  const { pid } = (await host(stage, 'agy')).call
  const kernel = stage.kernel({ primary: 'codex.x', profiles: { 'codex.x': {} } })
  expect((await kernel.turn({ prompt: 'say hello', sinks: ['event'] }).outcome).kind).toBe('ok')
  expect(isAlive(pid)).toBe(true)
  expect(readdirSync(stage.runs)).toContain(`${pid}.json`)
})
