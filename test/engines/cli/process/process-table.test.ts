import { describe, expect, test } from 'vitest'
import { rig } from './rig.ts'

describe('cli-engines.md §5b: a program is started apart', () => {
  test('its lines are told pipe by pipe and in order, its exit last', async () => {
    const { run } = await rig()
    const told = run("process.stdout.write('one\\r\\ntwo\\n\\nlast'); process.stderr.write('aside\\n'); process.exitCode = 3")
    expect(await told.end).toEqual({ kind: 'exited', code: 3, signal: null })
    expect(told.text('stdout')).toEqual(['one', 'two', '', 'last'])
    expect(told.text('stderr')).toEqual(['aside'])
    expect(told.order).toEqual(['line', 'line', 'line', 'line', 'line', 'end'])
    await told.running.gone
  })

  test('an end by a signal that is not ours is told as one', async () => {
    const { run } = await rig()
    const told = run("process.kill(process.pid, 'SIGKILL')")
    expect(await told.end).toEqual({ kind: 'exited', code: null, signal: 'SIGKILL' })
  })

  test('CLI-01 no shell: arguments arrive as they are, also those that a shell would read', async () => {
    const { run } = await rig()
    const args = ['-x', '$(id)', '`id`', '; exit 1', '*', "'", '"', '\\', 'two words', '', 'ñ\u2028€', 'line\nline']
    const told = run('console.log(JSON.stringify(process.argv.slice(2)))', { args })
    await told.end
    expect(JSON.parse(told.text('stdout')[0] ?? '')).toEqual(args)
  })

  test('CLI-03 the environment is that of the request and nothing else', async () => {
    const { run, witness } = await rig()
    process.env['RELEVO_TEST_SECRET'] = 'of the host'
    const told = run('console.log(JSON.stringify(process.env))', { environment: { A: 'b', EMPTY: '' } })
    await told.end
    delete process.env['RELEVO_TEST_SECRET']
    expect(JSON.parse(told.text('stdout')[0] ?? '')).toEqual({ A: 'b', EMPTY: '', WITNESS: witness.path })
  })

  test('it runs in the directory that was asked for, or in that of this process', async () => {
    const { run, directory } = await rig()
    const there = run('console.log(process.cwd())', { directory })
    const here = run('console.log(process.cwd())')
    await Promise.all([there.end, here.end])
    expect([there.text('stdout'), here.text('stdout')]).toEqual([[directory], [process.cwd()]])
  })

  test('it leads a group of its own', async () => {
    const { run, witness } = await rig()
    run("import { comeAs } from './witness.mjs'; await comeAs('leader')")
    const pid = await witness.arrived('leader')
    expect(process.kill(-pid, 0)).toBe(true)
  })
})

describe('standard input', () => {
  const COUNTING = 'let n = 0; for await (const chunk of process.stdin) n += chunk.length; console.log(n)'

  test('without one it is closed from the start', async () => {
    const { run } = await rig()
    const told = run(COUNTING)
    await told.end
    expect(told.text('stdout')).toEqual(['0'])
  })

  test('an empty one is written and closed', async () => {
    const { run } = await rig()
    const told = run(COUNTING, { stdin: '' })
    await told.end
    expect(told.text('stdout')).toEqual(['0'])
  })

  test('5 MB arrive byte for byte and come back as they are: NUL, characters of every width, line ends of every kind', async () => {
    const { run } = await rig()
    const line = '-x \0 $HOME `id` ñ € 😀 \u0085 \u2028 \uFEFF \u001b[1m\r|'
    const stdin = `${`${line}\n`.repeat(Math.ceil(5_000_000 / (Buffer.byteLength(line) + 1)))}no end`
    const told = run('process.stdin.pipe(process.stdout)', { stdin })
    expect(await told.end).toMatchObject({ code: 0 })
    expect(told.text('stdout').join('\n') === stdin).toBe(true)
  })

  test('CLI-09 a program that ignores 2 MB of it ends as it would without: a closed pipe is no fault of ours', async () => {
    const { run, witness } = await rig()
    const told = run("console.log('done')", { stdin: 'x'.repeat(2_000_000) })
    expect(await told.end).toEqual({ kind: 'exited', code: 0, signal: null })
    expect(told.text('stdout')).toEqual(['done'])
    const closing = run(
      `import { closeSync } from 'node:fs'; import { comeAs } from './witness.mjs'
      closeSync(0); const { go } = await comeAs('closed'); await go; process.exit(0)`,
      { stdin: 'x'.repeat(2_000_000) },
    )
    await witness.answers('closed')
    await witness.tell('closed')
    expect(await closing.end).toEqual({ kind: 'exited', code: 0, signal: null })
  })
})

describe('a table', () => {
  test('tells nothing before start has returned, also what it knows at once', async () => {
    const { table, request } = await rig()
    let returned = false
    const early: boolean[] = []
    await new Promise<void>((resolve) => {
      table.start(
        { ...request(''), directory: '/nowhere/at/all' },
        {
          onLine: () => {},
          onEnd: () => {
            early.push(!returned)
            resolve()
          },
        },
      )
      returned = true
    })
    expect(early).toEqual([false])
  })

  test('holds one listener to the exit of this process while something runs, and none when nothing does', async () => {
    const { run } = await rig()
    const before = process.listenerCount('exit')
    const runs = Array.from({ length: 12 }, () => run(''))
    expect(process.listenerCount('exit')).toBe(before + 1)
    await Promise.all(runs.map((one) => one.running.gone))
    expect(process.listenerCount('exit')).toBe(before)
  })

  test('that is closed starts nothing any more', async () => {
    const { table, run } = await rig()
    await table.close()
    expect(await run('').end).toMatchObject({ kind: 'failed', reason: 'not_started', message: expect.stringMatching(/closed/) })
  })
})
