import { renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { RelevoError } from '../../src/runtime/errors.ts'
import { watchSettings } from '../../src/runtime/settings-watch.ts'
import { PathWatch } from '../../src/runtime/settings-watch-paths.ts'
import { folderOf } from '../faces/console.ts'
import {
  ByHand,
  burst,
  codesOf,
  folderMadeAnew,
  folderReplaced,
  inPieces,
  replace,
  replaceMoved,
  rewrite,
  settings,
  Watched,
} from './settings-watch-rig.ts'

describe('R12 settings that are written while a kernel runs', () => {
  it('are taken, again and again', async () => {
    const path = join(folderOf({ 'relevo.yaml': settings('m1') }), 'relevo.yaml')
    const watched = new Watched(path)
    for (const model of ['m2', 'm3', 'm4']) {
      writeFileSync(path, settings(model))
      expect(await watched.next()).toBe(model)
    }
    expect(watched.told).toEqual(['m2', 'm3', 'm4'])
  })

  it('are refused by who takes them later, too', async () => {
    const path = join(folderOf({ 'relevo.yaml': settings('m1') }), 'relevo.yaml')
    const watched = new Watched(path, { reload: () => Promise.reject(new RelevoError('kernel_stopped', 'It was stopped.')) as never })
    writeFileSync(path, settings('m2'))
    expect(codesOf(await watched.next())).toEqual(['kernel_stopped relevo.yaml'])
  })

  it.each<[string, (path: string, text: string) => void]>([
    ['put in the place of another', replace],
    ['put in the place of one that was moved away', replaceMoved],
    ['removed and written anew', rewrite],
    ['emptied and written in pieces', inPieces],
    ['written many times at once', burst],
    ['in a folder that is made anew', folderMadeAnew],
    ['in a folder in whose place another is put', folderReplaced],
  ])('are taken once from a file that is %s', async (_how, write) => {
    const path = join(folderOf({ 'below/relevo.yaml': settings('m1') }), 'below/relevo.yaml')
    const watched = new Watched(path)
    for (const model of ['m2', 'm3']) {
      write(path, settings(model))
      expect(await watched.next()).toBe(model)
    }
    expect(watched.told).toEqual(['m2', 'm3'])
  })

  it('are taken through links: from the file behind them, and from another one that they are pointed at', async () => {
    const folder = folderOf({ '..1/relevo.yaml': settings('m1'), '..2/relevo.yaml': settings('m2'), 'seen/from/here': '' })
    symlinkSync('..1', join(folder, '..data'))
    symlinkSync('..data/relevo.yaml', join(folder, 'relevo.yaml'))
    symlinkSync('../../relevo.yaml', join(folder, 'seen/from/relevo.yaml'))
    const watched = new Watched(join(folder, 'seen/from/relevo.yaml'))
    symlinkSync('..2', join(folder, '..data.new'))
    renameSync(join(folder, '..data.new'), join(folder, '..data'))
    rmSync(join(folder, '..1'), { recursive: true })
    expect(await watched.next()).toBe('m2')
    writeFileSync(join(folder, '..2/relevo.yaml'), settings('m3'))
    expect(await watched.next()).toBe('m3')
    expect(watched.told).toEqual(['m2', 'm3'])
  })

  it('are waited for while the file is missing for a moment; one that is gone is told, and taken when it is back', async () => {
    const byHand = new ByHand()
    const path = join(folderOf({ 'relevo.yaml': settings('m1') }), 'relevo.yaml')
    const watched = new Watched(path)
    unlinkSync(path)
    await byHand.heard()
    byHand.pass(2)
    writeFileSync(path, settings('m2'))
    byHand.pass(5)
    expect(watched.told).toEqual(['m2'])
    unlinkSync(path)
    await byHand.heard()
    byHand.pass(5)
    expect(watched.told).toHaveLength(1)
    byHand.pass(1)
    expect(watched.told.slice(1).map(codesOf)).toEqual([['unreadable_file relevo.yaml']])
    writeFileSync(path, settings('m3'))
    await byHand.heard()
    byHand.pass(1)
    expect(watched.told.slice(2)).toEqual(['m3'])
  })

  it('are no others when the same text is written again, or its time is set', async () => {
    const byHand = new ByHand()
    const path = join(folderOf({ 'relevo.yaml': settings('m1') }), 'relevo.yaml')
    const watched = new Watched(path)
    for (const change of [() => writeFileSync(path, settings('m1')), () => replace(path, settings('m1')), () => utimesSync(path, 1, 1)]) {
      change()
      await byHand.heard()
      byHand.pass(10)
    }
    expect(watched.told).toEqual([])
  })

  it('are those of the file from the beginning, also when it was written before it was watched', async () => {
    const path = join(folderOf({ 'relevo.yaml': settings('m2') }), 'relevo.yaml')
    const watched = new Watched(path, { text: settings('m1') })
    expect(await watched.next()).toBe('m2')
  })

  it('are taken from JSON as well', async () => {
    const json = (model: string): string => JSON.stringify({ primary: 'ollama.here', profiles: { 'ollama.here': { model } } })
    const path = join(folderOf({ 'relevo.json': json('m1') }), 'relevo.json')
    const watched = new Watched(path)
    writeFileSync(path, json('m2').slice(0, -1))
    expect(codesOf(await watched.next())).toEqual([expect.stringMatching(/^invalid_text relevo\.json:1:\d+$/)])
    writeFileSync(path, json('m2'))
    expect(await watched.next()).toBe('m2')
  })
})

describe('R5 R12 settings that are wrong', () => {
  it('are refused whole with every reason, once, and again when they were right in between', async () => {
    const byHand = new ByHand()
    const path = join(folderOf({ 'relevo.yaml': settings('m1') }), 'relevo.yaml')
    const watched = new Watched(path)
    const write = async (text: string): Promise<void> => {
      writeFileSync(path, text)
      await byHand.heard()
      byHand.pass(10)
    }
    const wrong = settings('m2', 'nonsense: 1\nunknownHint: 2\n')
    await write(wrong)
    const problems = [['invalid_setting unknownHint', 'unknown_setting nonsense']]
    expect(watched.told.map(codesOf)).toEqual(problems)
    await write(`# tried again\n${wrong}`)
    expect(watched.told.map(codesOf)).toEqual(problems)
    await write('primary: [')
    expect(watched.told.slice(1).map(codesOf)).toEqual([[expect.stringMatching(/^invalid_text relevo\.yaml:1:\d+$/)]])
    // The text that is in force is nothing to take, and what is wrong after it is told anew.
    await write(settings('m1'))
    await write('primary: [')
    expect(watched.told.slice(2).map(codesOf)).toEqual([[expect.stringMatching(/^invalid_text/)]])
    await write(settings('m3'))
    await write(wrong)
    expect(watched.told.slice(3).map(codesOf)).toEqual(['m3', ...problems])
  })

  it('are refused when what takes them fails, without the words of that, and nothing else is lost', async () => {
    const path = join(folderOf({ 'relevo.yaml': settings('m1') }), 'relevo.yaml')
    const errors: unknown[] = [new TypeError('CANARY'), new RelevoError('kernel_stopped', 'The kernel was stopped.')]
    const watched = new Watched(path, {
      reload() {
        const error = errors.shift()
        if (error !== undefined) throw error
      },
      onReloaded: undefined,
    })
    writeFileSync(path, settings('m2'))
    const first = await watched.next()
    expect(codesOf(first)).toEqual(['reload_failed relevo.yaml'])
    expect(JSON.stringify(first)).not.toContain('CANARY')
    writeFileSync(path, settings('m3'))
    expect(await watched.next()).toMatchObject([{ code: 'kernel_stopped', message: 'The kernel was stopped.' }])
  })

  it('SEC-01 are told without what the text has where it cannot be read', async () => {
    const path = join(folderOf({ 'relevo.yaml': settings('m1') }), 'relevo.yaml')
    const watched = new Watched(path)
    for (const text of ['apiKeys: ][ sk-CANARY', 'a:\n > apiKey: sk-CANARY', 'apiKey: *CANARY', 'apiKey: |CANARY\n  x', 'apiKey: "\\UCANARY99"']) {
      writeFileSync(path, settings('m1', text))
      const told = await watched.next()
      expect(codesOf(told)[0]).toMatch(/^invalid_text/)
      expect(JSON.stringify(told)).not.toContain('CANARY')
    }
  })
})

describe('R11 keys in files that the settings name', () => {
  const KEYED = `primary: openai.main
profiles:
  openai.main: { model: m1, apiKeys: [{ file: keys/1 }, { file: keys/2 }] }
`

  it('are read again when one of them changes, and only then', async () => {
    const byHand = new ByHand()
    const folder = folderOf({ 'relevo.yaml': KEYED, 'keys/1': 'sk-CANARY-1\n', 'keys/2': 'sk-CANARY-2\n' })
    const watched = new Watched(join(folder, 'relevo.yaml'), { keyFolder: folder })
    const key = async (text: string | null): Promise<void> => {
      if (text === null) unlinkSync(join(folder, 'keys/2'))
      else replace(join(folder, 'keys/2'), text)
      await byHand.heard()
      byHand.pass(10)
    }
    await key('sk-CANARY-2')
    expect(watched.told).toEqual([])
    await key('sk-CANARY-3\n')
    expect(watched.told).toHaveLength(1)
    await key(null)
    expect(watched.told.slice(1).map(codesOf)).toEqual([['missing_credential profiles.openai.main.apiKeys[1]']])
    await key('sk-CANARY-3\n')
    expect(watched.told).toHaveLength(2)
    await key('sk-CANARY-4\n')
    expect(watched.told).toHaveLength(3)
    expect(JSON.stringify(watched.told)).not.toContain('CANARY')
  })
})

describe('the watch of settings', () => {
  it('is over when it is closed, and keeps no process alive before', async () => {
    const before = process.getActiveResourcesInfo().sort()
    const byHand = new ByHand()
    const path = join(folderOf({ 'relevo.yaml': settings('m1') }), 'relevo.yaml')
    const told: unknown[] = []
    const watch = watchSettings(path, { reload: (written) => told.push(written) })
    expect(process.getActiveResourcesInfo().sort()).toEqual(before)
    writeFileSync(path, settings('m2'))
    await byHand.heard()
    watch.close()
    expect(vi.getTimerCount()).toBe(0)
    writeFileSync(path, settings('m3'))
    byHand.pass(100)
    expect(told).toEqual([])
  })

  it('looks from time to time where the system watches nothing', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let looks = 0
    const watch = new PathWatch(
      () => looks++,
      () => {
        throw Object.assign(new Error('no watches left'), { code: 'ENOSPC' })
      },
    )
    watch.of([join(folderOf({ 'relevo.yaml': '' }), 'relevo.yaml')])
    vi.advanceTimersByTime(10_000)
    expect(looks).toBe(2)
    watch.close()
    vi.advanceTimersByTime(10_000)
    expect(looks).toBe(2)
  })
})
