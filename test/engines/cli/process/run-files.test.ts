import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { processGroup } from '../../../../src/engines/cli/process/process-group.ts'
import { processStart } from '../../../../src/engines/cli/process/process-start.ts'
import { ProcessTable } from '../../../../src/engines/cli/process/process-table.ts'
import { runOf } from '../../../../src/engines/cli/process/run-files.ts'
import { systemClock } from '../../../../src/runtime/system-clock.ts'
import { bundleHost } from './host-bundle.ts'
import { deadPid, STAYS, stranger } from './processes.ts'
import { directoryOf, rig } from './rig.ts'

function runsIn(directory: string): string {
  return join(directory, 'below', 'runs')
}

function tableOn(runs: string): ProcessTable {
  return new ProcessTable({ runs, clock: systemClock() })
}

/** Of a directory that others may list, enter or write to. */
const LOOSE = [0o755, 0o750, 0o701, 0o777] as const

function writeRun(runs: string, name: string, content: unknown): string {
  mkdirSync(runs, { recursive: true, mode: 0o700 })
  const path = join(runs, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
  return path
}

describe('platform.md §5: a run is written down while it runs', () => {
  test('with pid and start of it and of its host, for nobody else to read, and gone with its group', async () => {
    const runs = runsIn(directoryOf())
    const { run, witness } = await rig({ runs })
    const told = run(STAYS('one'))
    const pid = await witness.arrived('one')
    expect(readdirSync(runs)).toEqual([`${pid}.json`])
    expect(JSON.parse(readFileSync(join(runs, `${pid}.json`), 'utf8'))).toEqual({
      pid,
      startedAt: processStart(pid),
      host: { pid: process.pid, startedAt: processStart(process.pid) },
      program: process.execPath,
    })
    expect([statSync(runs).mode & 0o777, statSync(join(runs, `${pid}.json`)).mode & 0o777]).toEqual([0o700, 0o600])
    told.running.stop()
    await told.running.gone
    expect(readdirSync(runs)).toEqual([])
  })

  test('what could not be started is not', async () => {
    const runs = runsIn(directoryOf())
    const { run } = await rig({ runs })
    await run('', { path: '/nowhere/program' }).end
    expect(existsSync(runs)).toBe(false)
  })

  test('FS-06 a directory that cannot be trusted is refused with its path, once, and done without: a link, one that others may open, a file, one that cannot be made', async () => {
    const directory = directoryOf({ file: '' })
    mkdirSync(join(directory, 'real'), { mode: 0o700 })
    symlinkSync(join(directory, 'real'), join(directory, 'link'))
    for (const [name, mode] of [...LOOSE].map((mode) => [`open-${mode.toString(8)}`, mode] as const)) {
      mkdirSync(join(directory, name))
      chmodSync(join(directory, name), mode)
    }
    const refused = ['link', ...LOOSE.map((mode) => `open-${mode.toString(8)}`), 'file', 'file/below', 'a\0b']
    for (const runs of refused.map((name) => join(directory, name))) {
      const warnings: string[] = []
      const { run, table } = await rig({ runs, warn: (message) => void warnings.push(message) })
      table.sweep()
      for (let n = 0; n < 2; n++) expect(await run('', { path: '/bin/sh' }).end).toMatchObject({ kind: 'exited', code: 0 })
      expect(warnings).toEqual([expect.stringContaining(`${runs}: `)])
      expect(warnings[0]).toMatch(
        /: (?:it is no directory|others may open it \(mode 07\d\d\)|it cannot be used \(E\w+\)); runs are not written down, .*\.$/,
      )
    }
    for (const name of ['real', ...LOOSE.map((mode) => `open-${mode.toString(8)}`)]) expect(readdirSync(join(directory, name))).toEqual([])
    expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('')
  })

  test('FS-06 whatever the mask, nobody else may read a run', async () => {
    const before = process.umask(0o022)
    onTestFinished(() => void process.umask(before))
    for (const mask of [0o022, 0]) {
      process.umask(mask)
      const runs = runsIn(directoryOf())
      const { run, witness } = await rig({ runs })
      const told = run(STAYS('one'))
      const pid = await witness.arrived('one')
      expect([statSync(dirname(runs)), statSync(runs), statSync(join(runs, `${pid}.json`))].map(({ mode }) => mode & 0o777)).toEqual([
        0o700, 0o700, 0o600,
      ])
      told.running.stop()
      await told.running.gone
    }
  })
})

describe('platform.md §5: the end of a host', () => {
  const HOST = (ending: string) => `
import { comeAs } from './witness.mjs'
import { ProcessTable, systemClock } from './host.mjs'
const [, , path, program, runs] = process.argv
const table = new ProcessTable({ runs, clock: systemClock() })
const request = { path, args: [program], directory: null, environment: { WITNESS: process.env.WITNESS }, stdin: null }
table.start(request, { onLine() {}, onEnd() {} })
const { go } = await comeAs('host')
${ending}
`

  /** A host in a process of its own, with one run that ignores TERM. */
  async function host(ending: string) {
    const { directory, witness } = await rig()
    await bundleHost(directory)
    const runs = runsIn(directory)
    writeFileSync(join(directory, 'child.mjs'), `process.on('SIGTERM', () => {}); ${STAYS('child')}`)
    writeFileSync(join(directory, 'run-host.mjs'), HOST(ending))
    const started = spawn(process.execPath, [join(directory, 'run-host.mjs'), process.execPath, join(directory, 'child.mjs'), runs], {
      stdio: 'inherit',
      env: { WITNESS: witness.path },
    })
    const ended = once(started, 'exit')
    const pid = await witness.arrived('host')
    const child = await witness.arrived('child')
    return { directory, witness, runs, pid, child, ended }
  }

  test('CLI-07 that is killed leaves its run, and the next sweep ends it', async () => {
    const { witness, runs, pid, child, ended } = await host('await go')
    tableOn(runs).sweep()
    await witness.answers('child')
    expect(readdirSync(runs)).toEqual([`${child}.json`])
    process.kill(pid, 'SIGKILL')
    await ended
    await witness.answers('child')
    tableOn(runs).sweep()
    await witness.left('child')
    expect(readdirSync(runs)).toEqual([])
  })

  test('that exits while something runs takes it along', async () => {
    const { witness, runs, ended } = await host('await go; process.exit(7)')
    await witness.tell('host')
    expect(await ended).toEqual([7, null])
    await witness.left('child')
    expect(readdirSync(runs)).toEqual([])
  })

  test('by an error that nobody caught takes it along too', async () => {
    const { witness, ended } = await host("process.on('uncaughtException', () => process.exit(9)); await go; throw new Error('x')")
    await witness.tell('host')
    expect(await ended).toEqual([9, null])
    await witness.left('child')
  })
})

describe('platform.md §5: a sweep ends what was written down and nothing else', () => {
  test('CLI-08 a pid that is another process by now is left alone', async () => {
    const { directory, witness } = await rig()
    const pid = await stranger(directory, witness, 'stranger')
    const runs = runsIn(directory)
    const dead = { pid: await deadPid(), startedAt: '1' }
    writeRun(runs, `${pid}.json`, { pid, startedAt: `${Number.parseInt(processStart(pid) ?? '', 10) - 1}`, host: dead, program: '/p' })
    tableOn(runs).sweep()
    await witness.answers('stranger')
    expect(readdirSync(runs)).toEqual([])
  })

  test('CLI-08 a signal to a group of which nobody is left reaches nobody, and is no error', async () => {
    const group = processGroup(await deadPid())
    expect(group.isLeft()).toBe(false)
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) expect(() => group.signal(signal)).not.toThrow()
  })

  test.each([0o640, 0o622])('FS-06 a file of mode %o is not believed: nobody is ended for it, and it stays', async (mode) => {
    const { directory, witness } = await rig()
    const pid = await stranger(directory, witness, 'stranger')
    const runs = runsIn(directory)
    const path = writeRun(runs, `${pid}.json`, { pid, startedAt: processStart(pid), host: { pid: await deadPid(), startedAt: '1' }, program: '/p' })
    chmodSync(path, mode)
    const warnings: string[] = []
    const table = new ProcessTable({ runs, clock: systemClock(), warn: (message) => void warnings.push(message) })
    table.sweep()
    table.sweep()
    await witness.answers('stranger')
    expect(readdirSync(runs)).toEqual([`${pid}.json`])
    expect(warnings).toEqual([
      `${path}: others may open it (mode 0${mode.toString(8)}); nothing is ended that it names. Delete it, or give it mode 0600.`,
    ])
    chmodSync(path, 0o600)
    table.sweep()
    await witness.left('stranger')
  })

  test('one whose host lives is left alone; a host whose pid is another process by now is dead', async () => {
    const { directory, witness } = await rig()
    const runs = runsIn(directory)
    const [kept, swept] = [await stranger(directory, witness, 'kept'), await stranger(directory, witness, 'swept')]
    const self = { pid: process.pid, startedAt: processStart(process.pid) }
    writeRun(runs, `${kept}.json`, { pid: kept, startedAt: processStart(kept), host: self, program: '/p' })
    writeRun(runs, `${swept}.json`, { pid: swept, startedAt: processStart(swept), host: { ...self, startedAt: '1 other' }, program: '/p' })
    tableOn(runs).sweep()
    await witness.left('swept')
    await witness.answers('kept')
    expect(readdirSync(runs)).toEqual([`${kept}.json`])
  })

  test.skipIf(process.platform !== 'linux')(
    'a host that has ended and that nobody collects is dead (skipped but on Linux, where /proc says so)',
    async () => {
      const { directory, witness } = await rig()
      const runs = runsIn(directory)
      const parent = spawn('/bin/sh', ['-c', 'sh -c "echo \\$\\$ >&3" & exec cat 3>&-'], { stdio: ['pipe', 'ignore', 'ignore', 'pipe'] })
      onTestFinished(() => void parent.kill('SIGKILL'))
      const pid = Number(await text(parent.stdio[3] as Readable))
      while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await new Promise<void>((resolve) => void setImmediate(resolve))
      const orphan = await stranger(directory, witness, 'orphan')
      const host = { pid, startedAt: processStart(pid) }
      writeRun(runs, `${orphan}.json`, { pid: orphan, startedAt: processStart(orphan), host, program: '/p' })
      writeRun(runs, `${pid}.0000-ab.begun`, '{')
      tableOn(runs).sweep()
      await witness.left('orphan')
      expect(readdirSync(runs)).toEqual([])
    },
  )

  // Read and not swept: where the bound were broken, a sweep would end every process of this machine.
  test.each([
    ['everybody', -1],
    ['our own group', 0],
    ['the first process, and as a group everybody', 1],
    ['no number', '77'],
    ['a fraction', 77.5],
    ['a number past all numbers', 1e300],
    ['nothing', null],
  ])('a file that names %s is no run', (_, pid) => {
    const run = { pid: 77, startedAt: '1', host: { pid: 78, startedAt: '2' }, program: '/p' }
    expect(runOf(JSON.stringify(run))).toEqual(run)
    expect(runOf(JSON.stringify({ ...run, pid }))).toBe(null)
    expect(runOf(JSON.stringify({ ...run, host: { ...run.host, pid } }))).toBe(null)
  })

  test('torn files and begun ones of dead hosts are removed, foreign ones and directories ignored', async () => {
    const directory = directoryOf()
    const runs = runsIn(directory)
    const torn = ['', '{', 'null', '[]', '7', '"x"', '{"pid":12', '{"pid":{},"host":7}', '\0\0', `{"pid":${'9'.repeat(400)}}`, 'x'.repeat(100_000)]
    torn.forEach((content, n) => void writeRun(runs, `${n + 2}.json`, content))
    writeRun(runs, `${await deadPid()}.0000-ab.begun`, '{')
    const keeps = [`${process.pid}.0000-ab.begun`, 'README', 'a.json', '1.json.bak', '.json']
    for (const name of keeps) writeRun(runs, name, '{')
    mkdirSync(join(runs, '99999.json'))
    const outside = join(directory, 'outside')
    writeFileSync(outside, 'kept')
    symlinkSync(outside, join(runs, '77.json'))
    tableOn(runs).sweep()
    expect(readdirSync(runs).sort()).toEqual([...keeps, '99999.json'].sort())
    expect(readFileSync(outside, 'utf8')).toBe('kept')
  })

  test('a directory that is not there is not made, and no directory at all is no sweep', () => {
    const runs = runsIn(directoryOf())
    tableOn(runs).sweep()
    new ProcessTable({ runs: null, clock: systemClock() }).sweep()
    expect(existsSync(dirname(runs))).toBe(false)
  })
})
