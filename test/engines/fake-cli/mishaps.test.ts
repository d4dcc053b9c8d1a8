import { describe, expect, test } from 'vitest'
import { FAKE_CLI_NAMES } from '../../../src/engines/fake-cli/script.ts'
import { at, call, fakes, start, streamedText } from './run.ts'

/** Runs that do not end by themselves (cli-engines.md §1.5, §5b): what they printed, and what ends them. */

describe.each(FAKE_CLI_NAMES)('%s', (name) => {
  test('a stall: the text, and then nothing until it is stopped', async () => {
    const running = start(await fakes({ [name]: [{ text: 'one two three four five', stall: true }] }), name)
    await running.printed((stdout) => /one two three/.test(stdout))
    expect(running.child.exitCode).toBeNull()
    running.kill('SIGTERM')
    const ended = await running.ended
    expect([ended.code, ended.signal]).toEqual(name === 'claude' ? [143, null] : [null, 'SIGTERM'])
    expect(streamedText(name, ended.events) + String(at(ended.events.at(-1), 'message', 'content', 0, 'text'))).toMatch(/one two three/)
    expect(ended.events.at(-1)).not.toMatchObject({ type: 'result' })
  })
})

test.each(FAKE_CLI_NAMES)('%s is busy: signs of life that say nothing, until it is stopped', async (name) => {
  const clis = await fakes({ [name]: [{ busy: true, afterMs: 2 }] })
  const running = start(clis, name)
  await running.printed((stdout) => stdout.split('\n').length > 12)
  running.kill('SIGKILL')
  const { events } = await running.ended
  expect(streamedText(name, events)).toBe('')
  const [recorded] = await clis.calls(name)
  expect(recorded).toMatchObject({ stays: true, exit: null })
  expect(recorded?.bytes).toBeGreaterThan(0)
})

test('what a call prints and how it ends is on record; a signal is no exit of its own', async () => {
  const clis = await fakes({
    codex: [
      { auth: true, exit: 7 },
      { text: 'a', stall: true },
    ],
  })
  const { stdout, stderr } = await call(clis, 'codex')
  const running = start(clis, 'codex')
  await running.printed((text) => text.includes('agent_message'))
  running.kill('SIGTERM')
  await running.ended
  await call(clis, 'codex', { args: ['--unheard-of'] })
  expect(await clis.calls('codex')).toMatchObject([
    { exit: 7, stays: false, bytes: Buffer.byteLength(stdout + stderr) },
    { exit: null },
    { exit: 2, run: null },
  ])
})

test('one that ignores SIGTERM and SIGINT prints on, and needs SIGKILL', async () => {
  const clis = await fakes({
    agy: [
      { text: 'a b c d e f g h i', afterMs: 40, ignoreTerm: true },
      { text: 'a', stall: true, ignoreTerm: true },
    ],
  })
  const running = start(clis, 'agy')
  await running.printed((stdout) => stdout.includes('\n'))
  running.kill('SIGTERM')
  running.kill('SIGINT')
  expect((await running.ended).code).toBe(0)
  const silent = start(clis, 'agy')
  await silent.printed((stdout) => stdout.includes('\n'))
  silent.kill('SIGTERM')
  silent.kill('SIGKILL')
  expect((await silent.ended).signal).toBe('SIGKILL')
})

test('silence prints nothing and stays', async () => {
  const clis = await fakes({ agy: [{ silence: true }], claude: [{ text: 'done' }] })
  const running = start(clis, 'agy')
  // Another one begins and ends meanwhile, so that this one had the time to print.
  await call(clis, 'claude')
  expect([running.stdout, running.child.exitCode]).toEqual(['', null])
  running.kill('SIGKILL')
  expect((await running.ended).stdout).toBe('')
})

test('codex waits for the network without an end; every line says so', async () => {
  const running = start(await fakes({ codex: [{ network: 'down', afterMs: 5 }] }), 'codex')
  await running.printed((stdout) => stdout.split('waiting for network').length > 20)
  running.kill('SIGTERM')
  const { events } = await running.ended
  expect(new Set(events.slice(2).map((event) => event['type']))).toEqual(new Set(['error']))
})

test('Gemini CLI sleeps until a limit ends and says for how long on stderr', async () => {
  const clis = await fakes({ gemini: [{ limit: { resetInMs: 9_093_000 } }] })
  const running = start(clis, 'gemini')
  await new Promise((resolve) => running.child.stderr?.once('data', resolve))
  running.kill('SIGTERM')
  const { stderr, events } = await running.ended
  expect(stderr).toBe(
    'Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 2h31m33s.. Retrying after 9093000ms...\n',
  )
  expect(events.map((event) => event['type'])).toEqual(['init', 'message'])
})

test('a grandchild keeps standard output open when its parent has gone, and is of the same group', async () => {
  const clis = await fakes({ agy: [{ text: 'hello', grandchild: true }] })
  const running = start(clis, 'agy')
  await new Promise((resolve) => running.child.once('exit', resolve))
  const [recorded] = await clis.calls('agy')
  const pid = recorded?.grandchild
  expect(pid).toBeTypeOf('number')
  // Alive: signal 0 would throw. Its parent has exited, and the pipe is still open.
  expect(process.kill(pid as number, 0)).toBe(true)
  let closed = false
  const ended = running.ended.then((end) => {
    closed = true
    return end
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(closed).toBe(false)
  running.kill('SIGTERM')
  expect((await ended).stdout).toContain('"status":"SUCCESS"')
})

test('a reader that goes away ends it', async () => {
  const running = start(await fakes({ agy: [{ text: 'a '.repeat(2000), afterMs: 1 }] }), 'agy')
  await running.printed((stdout) => stdout.includes('text_delta'))
  running.child.stdout?.destroy()
  const code = await new Promise((resolve) => running.child.once('exit', resolve))
  expect(code).toBe(1)
})
