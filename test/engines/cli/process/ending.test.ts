import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { rig } from './rig.ts'

/** Long enough that a test which has to wait for it fails by its time limit. */
const NEVER_MS = 600_000

const IGNORES_TERM = "process.on('SIGTERM', () => console.log('TERM'))"
const GRANDCHILD = (name: string, more = '') => `
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
writeFileSync(new URL('./grandchild-${name}.mjs', import.meta.url), ${JSON.stringify(`import { comeAs } from './witness.mjs'\n${more}\nawait comeAs('${name}')`)})
const grandchild = spawn(process.execPath, [new URL('./grandchild-${name}.mjs', import.meta.url).pathname], { stdio: 'inherit' })
`

describe('cli-engines.md §5b: stop', () => {
  test('one that hears TERM is gone with it, and nothing is told', async () => {
    const { run, witness } = await rig({ graceMs: NEVER_MS })
    const told = run("import { comeAs } from './witness.mjs'; await comeAs('one')")
    await witness.arrived('one')
    told.running.stop()
    await told.running.gone
    await witness.left('one')
    expect(told.order).toEqual([])
  })

  test('one that ignores TERM is killed after the grace, and not before', async () => {
    const { run, witness } = await rig({ graceMs: 100 })
    const told = run(`import { comeAs } from './witness.mjs'; ${IGNORES_TERM}; await comeAs('deaf')`)
    await witness.arrived('deaf')
    const stoppedAt = Date.now()
    told.running.stop()
    await told.running.gone
    await witness.left('deaf')
    expect(Date.now() - stoppedAt).toBeGreaterThanOrEqual(100)
    expect(told.order).toEqual([])
  })

  test('one that tidies up after TERM may write as much as it likes: it blocks in no full pipe, also where reading had been paused', async () => {
    const { run, witness, directory } = await rig({ graceMs: NEVER_MS })
    const told = run(
      `import { writeFileSync, writeSync } from 'node:fs'; import { comeAs } from './witness.mjs'
      process.on('SIGTERM', () => { for (let n = 0; n < 4000; n++) write(Buffer.alloc(1023, 'x') + '\\n'); writeFileSync('tidied', ''); process.exit(0) })
      function write(text) { for (;;) try { return writeSync(1, text) } catch (error) { if (error.code !== 'EAGAIN') throw error } }
      await comeAs('tidy')`,
      { directory },
    )
    await witness.arrived('tidy')
    told.running.pause()
    told.running.stop()
    await told.running.gone
    expect([told.order, existsSync(join(directory, 'tidied'))]).toEqual([[], true])
  })

  test('in the middle of its output nothing more is told, not even of the same chunk', async () => {
    const { run } = await rig({ graceMs: NEVER_MS })
    const told = run("process.stdout.write('line\\n'.repeat(1000)); setInterval(() => console.log('line'), 1)", {}, ({ lines, running }) => {
      if (lines.length === 3) running.stop()
    })
    await told.running.gone
    expect(told.order).toEqual(['line', 'line', 'line'])
  })

  test('on its last line keeps its end untold', async () => {
    const { run } = await rig({ graceMs: NEVER_MS })
    const told = run("process.stdout.write('first\\nlast')", {}, ({ lines, running }) => {
      if (lines.at(-1)?.text === 'last') running.stop()
    })
    await told.running.gone
    expect(told.order).toEqual(['line', 'line'])
  })

  test('twice is once, and after the end is nothing', async () => {
    const { run, witness } = await rig({ graceMs: NEVER_MS })
    const told = run(`import { comeAs } from './witness.mjs'; let n = 0
      process.on('SIGTERM', () => { n += 1; setImmediate(() => process.exit(n)) }); await comeAs('twice')`)
    await witness.arrived('twice')
    told.running.stop()
    told.running.stop()
    await told.running.gone
    told.running.stop()
    told.running.pause()
    told.running.resume()
    const done = run('')
    await done.end
    done.running.stop()
    await done.running.gone
    expect([told.order, done.order]).toEqual([[], ['end']])
  })

  test('what has not been started has nothing to stop, and tells nothing after it', async () => {
    const { run } = await rig()
    const missing = run('', { path: '/nowhere/program' })
    missing.running.stop()
    const elsewhere = run('', { directory: '/nowhere' })
    elsewhere.running.stop()
    await Promise.all([missing.running.gone, elsewhere.running.gone])
    await run('').end
    expect([missing.order, elsewhere.order]).toEqual([[], []])
  })
})

describe('cli-engines.md §5b: a grandchild', () => {
  test('is reached by TERM with its leader', async () => {
    const { run, witness } = await rig({ graceMs: NEVER_MS })
    const told = run(GRANDCHILD('child'))
    await witness.arrived('child')
    told.running.stop()
    await told.running.gone
    await witness.left('child')
  })

  test('CLI-05 that ignores TERM and survives its leader is killed after the grace: a group is gone when nobody is left in it', async () => {
    const { run, witness } = await rig({ graceMs: 100 })
    const told = run(`${GRANDCHILD('survivor', IGNORES_TERM)}; import { comeAs } from './witness.mjs'; await comeAs('leader')`)
    await Promise.all([witness.arrived('survivor'), witness.arrived('leader')])
    told.running.stop()
    await witness.left('leader')
    await witness.answers('survivor')
    await told.running.gone
    await witness.left('survivor')
  })

  test('CLI-06 that holds stdout open after the exit delays the end by the drain time alone, and is ended with the run', async () => {
    const { run, witness } = await rig({ drainMs: 50, graceMs: NEVER_MS })
    const told = run(`${GRANDCHILD('holder')}; import { comeAs } from './witness.mjs'
      const { go } = await comeAs('leader'); await go; console.log('answer'); process.exit(0)`)
    await Promise.all([witness.arrived('holder'), witness.arrived('leader')])
    await witness.tell('leader')
    expect(await told.end).toEqual({ kind: 'exited', code: 0, signal: null })
    expect(told.text('stdout')).toEqual(['answer'])
    await told.running.gone
    await witness.left('holder')
  })

  test('that holds nothing open is ended too, once its leader has ended', async () => {
    const { run, witness } = await rig({ drainMs: NEVER_MS, graceMs: NEVER_MS })
    const told = run(`${GRANDCHILD('idle').replace("'inherit'", "'ignore'")}; import { comeAs } from './witness.mjs'
      const { go } = await comeAs('leader'); await go; process.exit(0)`)
    await Promise.all([witness.arrived('idle'), witness.arrived('leader')])
    await witness.tell('leader')
    expect(await told.end).toMatchObject({ code: 0 })
    await told.running.gone
    await witness.left('idle')
  })
})

const SETSID = '/usr/bin/setsid'

// Where the first process collects nobody, as in many containers, those that have ended stay in their group for ever.
test.skipIf(!existsSync(SETSID))(
  `a group of which only somebody is left that has ended and is not collected is gone${existsSync(SETSID) ? '' : ` (skipped: this machine has no ${SETSID})`}`,
  async () => {
    const { run, witness } = await rig({ graceMs: NEVER_MS })
    // The shell leaves a child in the group, and becomes a program of another session that never collects it.
    const told = run(`import { spawn } from 'node:child_process'; import { writeFileSync } from 'node:fs'; import { comeAs } from './witness.mjs'
      writeFileSync(new URL('./parent.mjs', import.meta.url), "import { comeAs } from './witness.mjs'; await comeAs('parent')")
      const parent = new URL('./parent.mjs', import.meta.url).pathname
      spawn('/bin/sh', ['-c', 'true & exec ${SETSID} "$0" "$1"', process.execPath, parent], { stdio: 'ignore' })
      const { go } = await comeAs('leader'); await go; process.exit(0)`)
    const [leader] = await Promise.all([witness.arrived('leader'), witness.arrived('parent')])
    await witness.tell('leader')
    expect(await told.end).toMatchObject({ code: 0 })
    await told.running.gone
    expect(process.kill(-leader, 0)).toBe(true)
    await witness.answers('parent')
  },
)

describe('close', () => {
  test('stops every run and resolves when nobody is left, the deaf and the orphans too', async () => {
    const { table, run, witness } = await rig({ graceMs: 100 })
    const runs = [
      run("import { comeAs } from './witness.mjs'; await comeAs('plain')"),
      run(`import { comeAs } from './witness.mjs'; ${IGNORES_TERM}; await comeAs('deaf')`),
      run(GRANDCHILD('child', IGNORES_TERM)),
    ]
    const names = ['plain', 'deaf', 'child']
    await Promise.all(names.map((name) => witness.arrived(name)))
    await table.close()
    await Promise.all(names.map((name) => witness.left(name)))
    expect(runs.map((one) => one.order)).toEqual([[], [], []])
  })

  test('waits for a run that has ended and whose group has not', async () => {
    const { table, run, witness } = await rig({ drainMs: 1, graceMs: 100 })
    const told = run(`${GRANDCHILD('left', IGNORES_TERM)}; import { comeAs } from './witness.mjs'
      const { go } = await comeAs('leader'); await go; process.exit(0)`)
    await Promise.all([witness.arrived('left'), witness.arrived('leader')])
    await witness.tell('leader')
    await told.end
    await table.close()
    await witness.left('left')
  })
})
