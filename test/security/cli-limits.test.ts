import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ClaudeDecoder } from '../../src/engines/cli/claude/decode.ts'
import { PROGRAMS, programIn, promptIn, stage } from './cli-rig.ts'

const said = (content: string) => ({ messages: [{ role: 'user', content }] }) as const
const BY_INPUT = PROGRAMS.filter(([family]) => family !== 'agy')

describe('CLI-09 a program that never reads its prompt', () => {
  test.each(BY_INPUT)('CLI-09 %s fails with its exit code, and the closed pipe of 2 MB is no fault of this process', async (family) => {
    const { run, directory } = stage()
    const path = programIn(directory, 'deaf', '#!/bin/sh\nexec 0<&-\necho boom >&2\nexit 3\n')
    const { failure } = await run(family, said('é'.repeat(1_000_000)), { path })
    expect(failure).toMatchObject({ kind: 'unknown', code: 'exit_3' })
  })
})

describe('CLI-10 what no argument can hold', () => {
  test.each(PROGRAMS)('CLI-10 a prompt of 140,000 bytes comes to %s by standard input, or is refused', async (family) => {
    const { run, given } = stage()
    const text = `${'é'.repeat(70_000)}.`
    const { failure } = await run(family, said(text))
    if (family === 'agy') {
      expect(failure).toMatchObject({ kind: 'invalid_request', message: expect.stringMatching(/an argument, which holds \d+ bytes/) })
      expect(given()).toBe(null)
      return
    }
    const got = given()
    expect(got?.stdin === text).toBe(true)
    for (const argument of got?.args ?? []) expect(argument.length).toBeLessThan(200)
  })

  test.each(PROGRAMS)('CLI-10 a system text that is as long stands in no argument of %s either', async (family) => {
    const { run, given } = stage()
    const messages = [{ role: 'system', content: 's'.repeat(100_001) } as const, { role: 'user', content: 'hi' } as const]
    await run(family, { messages })
    const got = given()
    // agy has nowhere else to take it from, and its argument ends below what the system takes.
    if (family === 'agy') return expect(promptIn(family, got ?? { args: [], stdin: '' })).toHaveLength(100_005)
    expect(got?.stdin).toBe(`${'s'.repeat(100_001)}\n\nhi`)
    for (const argument of got?.args ?? []) expect(argument.length).toBeLessThan(200)
  })

  test.each(PROGRAMS)('CLI-10 NUL reaches %s by standard input, or is refused in words', async (family) => {
    const { run, given } = stage()
    const { failure } = await run(family, said('a\0b'))
    if (family !== 'agy') return expect(given()?.stdin).toBe('a\0b')
    expect(failure).toMatchObject({ kind: 'invalid_request', message: expect.stringContaining('NUL') })
    expect(given()).toBe(null)
  })

  test('CLI-10 arguments that are too long together (E2BIG, which is thrown) are a failure of the settings and not of this process', async () => {
    const { run, given } = stage()
    const { failure } = await run('claude', {}, { args: ['x'.repeat(140_000)] })
    expect(failure).toMatchObject({ kind: 'invalid_request', code: 'too_long' })
    expect(given()).toBe(null)
  })
})

test('CLI-11 a missing folder is told as one, and not as a missing program', async () => {
  const { run, directory } = stage()
  const { failure } = await run('claude', {}, { directory: join(directory, 'nowhere') })
  expect(failure).toMatchObject({ kind: 'invalid_request', code: 'no_directory', message: expect.stringContaining('nowhere does not exist') })
})

test('LIMIT-06 a program that says nothing is a failed call once its silence is as long as is allowed', async () => {
  const { run, directory } = stage()
  const path = programIn(directory, 'silent', '#!/bin/sh\nexec sleep 1000\n')
  for (const [family] of PROGRAMS) {
    const { failure, events } = await run(family, {}, { path, stallMs: 20 })
    expect(failure).toMatchObject({ kind: 'timeout', code: 'idle' })
    expect(events).toHaveLength(1)
  }
})

describe('LIMIT-01 an endless line', () => {
  test('LIMIT-01 ends the run as a failure of the protocol', async () => {
    const { run, directory } = stage()
    const path = programIn(directory, 'endless', `#!/bin/sh\nexec tr '\\0' x < /dev/zero\n`)
    const { failure, events } = await run('claude', {}, { path })
    expect(failure).toMatchObject({ kind: 'protocol', code: 'endless_line' })
    expect(failure?.message).toMatch(/it wrote a line of more than 16777216 bytes to stdout/)
    expect(events).toHaveLength(1)
  })
})

describe('LIMIT-02 an endless answer', () => {
  const MIB = 1024 * 1024
  const piece = 'x'.repeat(64 * 1024)
  const ENDLESS = [
    ['claude', { type: 'stream_event', event: { type: 'content_block_delta', delta: { type: 'text_delta', text: piece } } }],
    ['codex', { type: 'item.completed', item: { type: 'reasoning', text: piece } }],
    ['agy', { event: 'step_update', step_update: { step_type: 'agent_response', step_index: 1, text_delta: piece } }],
    ['gemini-cli', { type: 'message', role: 'assistant', content: piece, delta: true }],
  ] as const

  test.each(ENDLESS)('LIMIT-02 of %s is ended at 32 MiB of text, told or kept back', async (family, event) => {
    const { run, directory } = stage()
    const path = programIn(directory, 'endless', `#!/bin/sh\nexec yes '${JSON.stringify(event)}'\n`)
    const { failure, events } = await run(family, {}, { path })
    expect(failure).toMatchObject({ kind: 'protocol', code: 'too_much', message: expect.stringContaining('more than 33554432 characters') })
    const told = events.reduce((sum, one) => sum + (one.type === 'text' || one.type === 'reasoning' ? one.text.length : 0), 0)
    if (family === 'gemini-cli') expect(told).toBe(0)
    else expect(told > 32 * MIB && told <= 32 * MIB + piece.length + 2).toBe(true)
  })

  test('LIMIT-02 the tokens that claude had counted by then are told before the failure', async () => {
    const { run, directory } = stage()
    const events = [
      {
        type: 'message_start',
        message: { id: 'm1', usage: { input_tokens: 3, cache_read_input_tokens: 10, cache_creation_input_tokens: 4, output_tokens: 1 } },
      },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 50 } },
      { type: 'message_start', message: { id: 'm2', usage: { input_tokens: 2, cache_read_input_tokens: 17, output_tokens: 1 } } },
    ]
    const lines = events.map((event) => JSON.stringify({ type: 'stream_event', event })).join('\n')
    const path = programIn(directory, 'endless', `#!/bin/sh\ncat <<'END'\n${lines}\nEND\nexec yes '${JSON.stringify(ENDLESS[0][1])}'\n`)
    const told = (await run('claude', {}, { path })).events.slice(-2)
    expect(told).toMatchObject([
      { type: 'usage', input: 36, cachedInput: 27, output: 51 },
      { type: 'failed', failure: { code: 'too_much' } },
    ])
  })

  test('LIMIT-02 what is no part of the answer, such as images that are looked at, does not count', async () => {
    const { run, directory } = stage()
    const result = { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'x'.repeat(MIB) }] } }
    const last = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'seen' })
    writeFileSync(join(directory, 'line'), `${JSON.stringify(result)}\n`)
    const path = programIn(directory, 'looks', `#!/bin/sh\nfor n in ${'x '.repeat(40)}; do cat '${directory}/line'; done\necho '${last}'\n`)
    const taken = vi.spyOn(ClaudeDecoder.prototype, 'take')
    onTestFinished(() => taken.mockRestore())
    const { failure, events } = await run('claude', {}, { path })
    expect(taken).toHaveBeenCalledTimes(41)
    expect(failure).toBe(null)
    expect(events.at(-1)?.type).toBe('final')
  })
})
