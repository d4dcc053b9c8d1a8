import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sqliteLedger } from '../../src/adapters/sqlite/sqlite-ledger.ts'
import { takeLock } from '../../src/faces/daemon/lock.ts'
import { LogFile } from '../../src/faces/daemon/log-file.ts'
import { readTeamFolder } from '../../src/faces/daemon/team-folder.ts'
import { writeWholeFile } from '../../src/faces/daemon/whole-file.ts'
import type { LedgerError } from '../../src/runtime/ledger-error.ts'
import { jsonlLedger } from '../../src/runtime/ledger-file.ts'
import { openThread } from '../../src/runtime/thread/open-thread.ts'
import { absent, databaseFile, kept, rowsIn } from '../adapters/sqlite/rig.ts'
import { folderOf } from '../faces/console.ts'
import { linesIn, row } from '../runtime/ledger-file/rig.ts'
import { said } from '../runtime/thread/rig.ts'

const SOUND = '---\nprovider: claude\n---\nWork.\n'
const modeOf = (path: string): number => statSync(path).mode & 0o777
const octal = (...modes: readonly number[]): [string, number][] => modes.map((mode) => [mode.toString(8).padStart(3, '0'), mode])

/** Rights mean something to the files of this system. */
const hasRights = process.platform !== 'win32'

function withMask(mask: number): void {
  const before = process.umask(mask)
  onTestFinished(() => void process.umask(before))
}

describe.skipIf(!hasRights)(`files that a participant is read from${hasRights ? '' : ' (skipped: no such links here)'}`, () => {
  const readAll = (folder: string) => readTeamFolder(folder, { profiles: [], order: 'rotation' })

  it('FS-02 a link that leads out of the folder is refused, and nothing of its target is told', () => {
    const folder = folderOf({ 'participants/ana.md': SOUND, 'secret.md': SOUND.replace('Work', 'canary-outside'), 'outside/deep.md': SOUND })
    const linked = (name: string, target: string) => symlinkSync(target, join(folder, 'participants', name))
    linked('host.md', '/etc/hostname')
    linked('near.md', '../secret.md')
    linked('whole.md', join(folder, 'secret.md'))
    linked('chained.md', 'near.md')
    linked('through.md', 'out/deep.md')
    linked('out', '../outside')
    const { participants, errors } = readAll(folder)
    expect(participants).toBeNull()
    expect(errors.map(({ path, message }) => `${path} ${message}`)).toEqual(
      ['chained', 'host', 'near', 'through', 'whole'].map((name) => `participants/${name}.md The file is a link that leads out of the folder.`),
    )
    expect(JSON.stringify(errors)).not.toContain('canary-outside')
  })

  it('FS-02 a folder whose name only begins like it is another one', () => {
    const folder = folderOf({ 'participants/ana.md': SOUND, 'participants-of-others/bo.md': SOUND })
    symlinkSync('../participants-of-others/bo.md', join(folder, 'participants/bo.md'))
    expect(readAll(folder).errors).toMatchObject([{ path: 'participants/bo.md', message: 'The file is a link that leads out of the folder.' }])
  })

  it('FS-02 a link within the folder is a name, and so is the folder itself', () => {
    const folder = folderOf({ 'elsewhere/shared/one.md': SOUND })
    symlinkSync('elsewhere', join(folder, 'participants'))
    symlinkSync('shared/one.md', join(folder, 'elsewhere/ana.md'))
    expect(readAll(folder)).toMatchObject({ errors: [], participants: [{ id: 'ana' }] })
  })

  it('FS-02 what leads nowhere, in a circle, to a folder, or is a pipe ends in one line each, and nothing waits', () => {
    const folder = folderOf({ 'participants/ana.md': SOUND, 'participants/inner/x.md': SOUND })
    for (const [name, target] of [
      ['circle', 'circle.md'],
      ['gone', 'nowhere.md'],
      ['inside', 'inner'],
    ] as const)
      symlinkSync(target, join(folder, 'participants', `${name}.md`))
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'participants/pipe.md')])
    expect(readAll(folder).errors.map(({ path, message }) => `${path} ${message}`)).toEqual([
      'participants/circle.md The file cannot be read (ELOOP).',
      'participants/gone.md The file cannot be read (ENOENT).',
      'participants/inside.md The file is no regular file.',
      'participants/pipe.md The file is no regular file.',
    ])
  })
})

describe.skipIf(!hasRights)(`files for this user only${hasRights ? '' : ' (skipped: files have no rights here)'}`, () => {
  it.each(octal(0o022, 0))('FS-06 with a mask of %s the ledger, the thread, the state, the log and the lock are made with 0600', (_, mask) => {
    withMask(mask)
    const folder = folderOf({})
    mkdirSync(join(folder, '.relevo'), { mode: 0o700 })
    const at = (name: string) => join(folder, '.relevo', name)
    jsonlLedger(at('ledger.jsonl'), { onError: raise }).append(row())
    writeWholeFile(at('state.json'), '{}')
    new LogFile(at('log.jsonl'), raise).append('{}\n')
    const lock = takeLock(at('.'))
    onTestFinished(() => lock.release())
    writeFileSync(join(folder, 'thread.jsonl'), '{"id"', { mode: 0o600 })
    const { thread } = openThread(join(folder, 'thread.jsonl'))
    thread.append(said('hello'))
    thread.close()
    const files = [...['ledger.jsonl', 'state.json', 'log.jsonl', 'lock'].map(at), join(folder, 'thread.jsonl'), join(folder, 'thread.jsonl.torn')]
    expect(files.map((path) => modeOf(path).toString(8))).toEqual(files.map(() => '600'))
  })

  const LOOSER = octal(0o644, 0o640, 0o660, 0o602, 0o606, 0o666)

  it.each(LOOSER)('FS-06 a ledger of mode %s is not written, which is told once with its path; the attempt is kept in memory', (_, mode) => {
    const path = fileOf(mode)
    const told: LedgerError[] = []
    const ledger = jsonlLedger(path, { onError: (error) => told.push(error) })
    ledger.append(row())
    ledger.append(row({ n: 2 }))
    expect(told.map(({ code, message }) => `${code} ${message}`)).toEqual([
      `ledger_not_private ${path}: others than its owner may open the ledger, and nothing is entered. Run \`chmod 600 ${path}\`, or name a file on a disk that keeps permissions.`,
    ])
    expect([readFileSync(path, 'utf8'), ledger.rows().length]).toEqual(['', 2])
    chmodSync(path, 0o600)
    ledger.append(row({ n: 3 }))
    expect(linesIn(path)).toMatchObject([{ kind: 'attempt', row: { n: 3 } }])
  })

  it.skipIf(absent !== null).each(LOOSER)('FS-06 a ledger in a database of mode %s is not written, and is read', (_, mode) => {
    const path = databaseFile()
    kept(path).append(row())
    chmodSync(path, mode)
    const told: LedgerError[] = []
    const ledger = sqliteLedger(path, { onError: (error) => told.push(error) })
    ledger.append(row({ n: 2 }))
    expect(told.map(({ code, path: where }) => [code, where])).toEqual([['ledger_not_private', path]])
    expect([rowsIn(path).length, ledger.rows().length]).toEqual([1, 1])
  })

  it('FS-06 a ledger that others may open is read all the same: what could leak has leaked, and its sums help to see what', () => {
    const path = fileOf(0o600)
    jsonlLedger(path, { onError: raise }).append(row())
    chmodSync(path, 0o644)
    expect(linesIn(path)).toHaveLength(1)
  })

  it.each(LOOSER)('FS-06 a thread of mode %s is not opened, and stays as it is', (_, mode) => {
    const path = fileOf(mode)
    expect(thrown(() => openThread(path))).toMatchObject({
      code: 'thread_not_private',
      message: expect.stringContaining(`${path}: others than its owner may open the thread. Run \`chmod 600 ${path}\``),
    })
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['', mode])
  })

  it.each(octal(0o755, 0o750, 0o701, 0o777))('FS-06 in a folder of mode %s no daemon begins, and nothing is left there', (_, mode) => {
    const folder = folderOf({})
    chmodSync(folder, mode)
    expect(thrown(() => takeLock(folder))).toMatchObject({
      message: `${folder}: others than its owner may open the folder of the state. Run \`chmod 700 ${folder}\`, then start again.`,
    })
    expect(existsSync(join(folder, 'lock'))).toBe(false)
  })

  it('FS-06 no line is added to a log that others may open, which is told once', () => {
    const path = fileOf(0o644)
    const told: string[] = []
    const log = new LogFile(path, (error) => told.push(String((error as Error).message)))
    log.append('{}\n')
    log.append('{}\n')
    expect([readFileSync(path, 'utf8'), told]).toEqual(['', ['others than its owner may open it']])
  })

  it.each<[string, (beside: string, outside: string) => void]>([
    ['a looser file', (beside) => writeFileSync(beside, 'left by a kill', { mode: 0o644 })],
    ['a link to another file', (beside, outside) => symlinkSync(outside, beside)],
    ['a link to nowhere', (beside, outside) => symlinkSync(`${outside}.none`, beside)],
  ])('FS-06 %s in the place where a state is begun gives it neither its rights nor its place', (_, plant) => {
    withMask(0o022)
    const folder = folderOf({ outside: 'untouched' })
    const path = join(folder, 'state.json')
    writeFileSync(path, 'before', { mode: 0o644 })
    plant(`${path}.begun`, join(folder, 'outside'))
    writeWholeFile(path, '{}')
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['{}', 0o600])
    expect([readFileSync(join(folder, 'outside'), 'utf8'), existsSync(join(folder, 'outside.none'))]).toEqual(['untouched', false])
  })
})

function fileOf(mode: number): string {
  const path = join(folderOf({}), 'file')
  rmSync(path, { force: true })
  writeFileSync(path, '')
  chmodSync(path, mode)
  return path
}

function raise(error: unknown): never {
  throw error
}

function thrown(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
