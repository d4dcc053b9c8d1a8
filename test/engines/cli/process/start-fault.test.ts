import { chmodSync, closeSync, copyFileSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startFault } from '../../../../src/engines/cli/process/start-fault.ts'
import { directoryOf, rig } from './rig.ts'

const REQUEST = { path: '/usr/bin/program', args: ['one', 'two'], directory: null, environment: { NAME: 'value' }, stdin: null }

describe('what cannot be started is a typed failure that says what to do', () => {
  test('CLI-11 a missing directory is told as such, not as a missing program', async () => {
    const { run } = await rig()
    const told = run('', { directory: '/nowhere/at/all' })
    expect(await told.end).toEqual({
      kind: 'failed',
      reason: 'no_directory',
      message: `${process.execPath} was not started: its directory /nowhere/at/all does not exist; make it or name another`,
    })
    await told.running.gone
    expect(told.order).toEqual(['end'])
  })

  test('a file is no directory', async () => {
    const { run } = await rig()
    const file = join(directoryOf({ file: '' }), 'file')
    expect(await run('', { directory: file }).end).toMatchObject({
      reason: 'no_directory',
      message: expect.stringContaining(`${file} is no directory`),
    })
  })

  test('a missing program', async () => {
    const { run } = await rig()
    const told = run('', { path: '/nowhere/claude', stdin: 'a prompt' })
    expect(await told.end).toEqual({
      kind: 'failed',
      reason: 'not_started',
      message: '/nowhere/claude was not started: there is no such file; install it, or set its path',
    })
    await told.running.gone
    expect(told.order).toEqual(['end'])
  })

  test('a file that may not be executed', async () => {
    const { run } = await rig()
    const path = join(directoryOf({ program: '#!/bin/sh\necho hello\n' }), 'program')
    expect(await run('', { path }).end).toMatchObject({ reason: 'not_started', message: expect.stringMatching(/may not execute it \(EACCES\)/) })
  })

  test('a script whose interpreter is missing is not told as missing itself', async () => {
    const { run } = await rig()
    const path = join(directoryOf({ program: '#!/nowhere/interpreter\n' }), 'program')
    chmodSync(path, 0o755)
    expect(await run('', { path }).end).toMatchObject({
      reason: 'not_started',
      message: expect.stringMatching(/interpreter that its first line names/),
    })
  })

  test('CLI-10 an argument that is too long (E2BIG) is a typed failure', async () => {
    const { run } = await rig()
    const told = run('', { args: ['x'.repeat(140_000)] })
    const end = await told.end
    expect(end).toMatchObject({ kind: 'failed', reason: 'too_long' })
    expect(end.kind === 'failed' && end.message).toMatch(
      / 14\d{4} bytes of arguments and \d+ of environment .*\(E2BIG\); send less, or by standard input$/,
    )
    expect(end.kind === 'failed' && end.message.includes('xxx')).toBe(false)
    await told.running.gone
  })

  test('an environment that is too long', async () => {
    const { run } = await rig()
    const environment = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`V${n}`, 'x'.repeat(100_000)]))
    expect(await run('', { environment }).end).toMatchObject({ reason: 'too_long' })
  })

  test('CLI-10 a NUL byte, which the platform would quote with the value that holds it, is refused without it', async () => {
    const { run } = await rig()
    const ends = [await run('', { args: ['secret\0'] }).end, await run('', { environment: { KEY: 'secret\0' } }).end]
    for (const end of ends) {
      expect(end).toMatchObject({ kind: 'failed', reason: 'not_started', message: expect.stringContaining('NUL') })
      expect(JSON.stringify(end)).not.toContain('secret')
    }
  })

  test.each([
    'E2BIG',
    'ENOENT',
    'ENOTDIR',
    'EACCES',
    'EPERM',
    'EAGAIN',
    'EMFILE',
    'ENOMEM',
    'ETXTBSY',
    'ERR_INVALID_ARG_VALUE',
    'ENOEXEC',
    undefined,
  ])('as an error of the system or thrown, %s is one line that names the program and quotes nothing', (code) => {
    const error = Object.assign(new Error('spawn failed: value'), code === undefined ? {} : { code })
    const { kind, message } = startFault(REQUEST, error)
    expect(kind).toBe('failed')
    expect(message).toMatch(/^\/usr\/bin\/program was not started: [^\n]+; [^\n]+$/)
    expect(message).not.toContain('value')
  })

  test.each([
    ['EAGAIN', 'not_now'],
    ['EMFILE', 'not_now'],
    ['ENFILE', 'not_now'],
    ['ENOMEM', 'not_now'],
    ['ETXTBSY', 'not_now'],
    ['EACCES', 'not_started'],
    ['EPERM', 'not_started'],
    ['ELOOP', 'not_started'],
  ])('R17 what passes is told apart from what stays: %s is %s', (code, reason) => {
    expect(startFault(REQUEST, Object.assign(new Error(''), { code }))).toMatchObject({ reason })
  })

  test.skipIf(process.platform !== 'linux')('a program that is being written (skipped but on Linux, which refuses to run it)', async () => {
    const directory = directoryOf()
    const path = join(directory, 'program')
    copyFileSync('/bin/true', path)
    const open = openSync(path, 'r+')
    onTestFinished(() => closeSync(open))
    const { run } = await rig()
    expect(await run('', { path }).end).toMatchObject({ reason: 'not_now', message: expect.stringContaining('ETXTBSY') })
  })

  test('what is thrown need be no error', () => {
    for (const thrown of [null, undefined, 'text', 7, { code: 5 }]) expect(startFault(REQUEST, thrown)).toMatchObject({ reason: 'not_started' })
  })
})
