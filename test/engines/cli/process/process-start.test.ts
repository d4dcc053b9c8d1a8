import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { processStart } from '../../../../src/engines/cli/process/process-start.ts'
import { deadPid, STAYS, stranger } from './processes.ts'
import { rig } from './rig.ts'
import { kill } from './witness.ts'

describe('which process a pid means', () => {
  test('the same while it lives, another for another, and null for nobody', async () => {
    const { directory, witness } = await rig()
    const pid = await stranger(directory, witness, 'one')
    const start = processStart(pid)
    expect(start).not.toBe(null)
    expect(processStart(pid)).toBe(start)
    expect(processStart(process.pid)).not.toBe(start)
    expect(processStart(await deadPid())).toBe(null)
    kill(pid)
  })

  test('a program may be named so that its line in /proc misleads', async () => {
    const { directory, witness } = await rig()
    writeFileSync(join(directory, 'odd.mjs'), `process.title = 'a) Z 1 1 (b'; ${STAYS('odd')}`)
    const child = spawn(process.execPath, [join(directory, 'odd.mjs')], { stdio: 'ignore', env: { WITNESS: witness.path } })
    onTestFinished(() => void child.kill('SIGKILL'))
    const pid = await witness.arrived('odd')
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
    expect(processStart(pid)?.split(' ')[0]).toBe(fields?.[19])
    expect(fields?.[19]).toMatch(/^\d+$/)
  })

  test.skipIf(!existsSync('/bin/ps'))(
    `elsewhere it is asked of ps${existsSync('/bin/ps') ? '' : ' (skipped: this machine has no /bin/ps)'}`,
    async () => {
      const start = processStart(process.pid, 'darwin')
      expect(start).toMatch(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/)
      expect(processStart(await deadPid(), 'darwin')).toBe(null)
      expect(processStart(process.pid, 'win32')).toBe(null)
    },
  )
})
