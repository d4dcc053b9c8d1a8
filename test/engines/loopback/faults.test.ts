import { gunzipSync, gzipSync } from 'node:zlib'
import { request } from 'undici'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { FAULTS, type Fault, type FaultKind, type Place } from '../../../src/engines/loopback/fault.ts'
import { type ScriptedStream, scriptProblems } from '../../../src/engines/loopback/script.ts'
import type { LoopbackProvider } from '../../../src/engines/loopback/server.ts'
import { ask, bodyOf, CHAT, closeAll, dataOf, dissect, exchange, hello, provider } from './wire.ts'

/** Answers say when they were made; those that are compared say the same. */
beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(1_750_000_000_000))
afterEach(async () => {
  vi.restoreAllMocks()
  await closeAll()
})

describe('faults on the socket', () => {
  const faulty = (fault: Fault | readonly Fault[], answer?: ScriptedStream): Promise<LoopbackProvider> =>
    provider({ 'a.x/m1': { stream: [{ fault, answer }], call: [{ fault }] } })
  const whole = async (): Promise<Buffer> => {
    const server = await provider({ 'a.x/m1': { stream: [hello] } })
    return (await exchange(server, { stream: true })).body
  }

  test.each([
    ['end', 'left', true],
    ['fin', 'fin', false],
    ['rst', 'rst', false],
  ] as const)('cut by %s', async (by, seen, clean) => {
    const bytes = await whole()
    for (const at of [0, 1, 150, bytes.length - 1, bytes.length + 100]) {
      const server = await faulty({ kind: 'cut', at, by }, hello)
      const cut = await exchange(server, { stream: true })
      expect([cut.by, cut.whole, cut.body.length]).toEqual([seen, clean, Math.min(at, bytes.length)])
      expect(cut.head).toMatch(/^HTTP\/1.1 200 OK/)
      expect(await server.requests[0]?.ended).toBe(by === 'end' ? 'answered' : 'broken_off')
    }
  })

  test('a cut may fall inside a character', async () => {
    const at = (await whole()).indexOf('é') + 1
    const cut = await exchange(await faulty({ kind: 'cut', at, by: 'end' }, hello), { stream: true })
    expect(cut.body.at(-1)).toBe(0xc3)
  })

  test('closeAtOnce, silence and stallBeforeHeaders', async () => {
    const closed = await exchange(await faulty({ kind: 'closeAtOnce' }))
    expect([closed.by, closed.raw.length]).toEqual(['fin', 0])
    const silent = await faulty({ kind: 'silence' })
    const left = new AbortController()
    const asked = request(`${silent.url('a.x')}${CHAT}`, { method: 'POST', body: bodyOf({}), signal: left.signal }).catch(
      (error: Error) => error.name,
    )
    await silent.requested(1)
    left.abort()
    expect(await asked).toBe('AbortError')
    const headless = await exchange(await faulty({ kind: 'stallBeforeHeaders' }), {}, (raw) => raw.includes('200 OK'))
    expect(headless.raw.includes('\r\n\r\n')).toBe(false)
  })

  test('stall goes silent after that many bytes', async () => {
    const server = await faulty({ kind: 'stall', at: 90 }, hello)
    const stalled = await exchange(server, { stream: true }, (raw) => dissect(raw, 'left').body.length >= 90)
    expect([stalled.body.length, stalled.whole]).toEqual([90, false])
    expect(await server.requests[0]?.ended).toBe('client_gone')
  })

  test('dribble gives the same bytes, n at a time; slow gives the same frames, one at a time', async () => {
    const bytes = await whole()
    const dribbled = await exchange(await faulty({ kind: 'dribble', bytes: 50 }, hello), { stream: true })
    expect(dribbled.body.length).toBe(bytes.length)
    expect(dribbled.chunks.every((chunk) => chunk.length <= 50)).toBe(true)
    expect(dribbled.whole).toBe(true)
    const slow = await exchange(await faulty({ kind: 'slow', everyMs: 1 }, hello), { stream: true })
    expect(slow.chunks).toHaveLength(dataOf(bytes.toString()).length)
  })

  test('garbage is the same for the same seed, and no event', async () => {
    const one = await exchange(await faulty({ kind: 'garbage', bytes: 5000, seed: 7 }), { stream: true })
    const two = await exchange(await faulty({ kind: 'garbage', bytes: 5000, seed: 7 }), { stream: true })
    const other = await exchange(await faulty({ kind: 'garbage', bytes: 5000, seed: 8 }), { stream: true })
    expect(one.body.length).toBe(5000)
    expect(one.body.equals(two.body)).toBe(true)
    expect(one.body.equals(other.body)).toBe(false)
    expect(new Set(one.body).size).toBe(256)
  })

  test('html200, wrongContentType and gzip', async () => {
    const html = await ask(await faulty({ kind: 'html200' }))
    expect([html.statusCode, html.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await html.body.text()).toMatch(/^<!doctype html>/)
    const wrong = await ask(await faulty({ kind: 'wrongContentType' }))
    expect(wrong.headers['content-type']).toBe('application/octet-stream')
    expect(await wrong.body.json()).toHaveProperty('choices')
    const zipped = await ask(await faulty({ kind: 'gzip' }, hello), { stream: true })
    expect(zipped.headers['content-encoding']).toBe('gzip')
    expect(dataOf(gunzipSync(Buffer.from(await zipped.body.arrayBuffer())).toString()).at(-1)).toBe('[DONE]')
  })

  test('oversizeLine has no newline and ends at its cap or with the client', async () => {
    const capped = await exchange(await faulty({ kind: 'oversizeLine', capBytes: 300_000 }), { stream: true })
    expect(capped.by).toBe('fin')
    expect(capped.body.length).toBeGreaterThanOrEqual(300_000)
    expect(capped.body.includes('\n')).toBe(false)
    const server = await faulty({ kind: 'oversizeLine' })
    await exchange(server, { stream: true }, (raw) => raw.length > 100_000)
    expect(await server.requests[0]?.ended).toBe('client_gone')
    expect(server.requests[0]?.bytesSent).toBeLessThan(60 * 2 ** 20)
  })

  test('hugeBody is a well-formed answer of that size, and the server never runs ahead of its reader', async () => {
    const server = await faulty({ kind: 'hugeBody', megabytes: 3 })
    const call = JSON.parse(await (await ask(server)).body.text())
    expect(call.choices[0].message.content).toHaveLength(3 * 2 ** 20)
    const stream = await ask(server, { stream: true })
    const said = dataOf(await stream.body.text())
    expect(said.at(-1)).toBe('[DONE]')
    expect(said.slice(0, -1).reduce((sum, data) => sum + (JSON.parse(data).choices[0].delta.content ?? '').length, 0)).toBe(3 * 2 ** 20)
    const slow = await faulty({ kind: 'hugeBody', megabytes: 200 })
    const unread = await ask(slow, { stream: true })
    await new Promise<void>((resolve) => unread.body.once('readable', resolve))
    expect(slow.requests[0]?.bytesSent).toBeLessThan(32 * 2 ** 20)
  })

  test('a place is a byte, counted from either end, or one of the stream', async () => {
    const bytes = (await whole()).toString()
    const cutAt = async (at: Place): Promise<string> => {
      return (await exchange(await faulty({ kind: 'cut', at, by: 'end' }, hello), { stream: true })).body.toString()
    }
    expect(await cutAt(-10)).toBe(bytes.slice(0, -10))
    expect(await cutAt(-1_000_000)).toBe('')
    expect(await cutAt('end')).toBe(bytes)
    expect(dataOf(await cutAt({ beforeEvent: 0 }))).toEqual([])
    const spoken = (text: string): string[] => dataOf(text).map((data) => (data === '[DONE]' ? data : JSON.parse(data).choices[0].delta.content))
    expect(spoken(await cutAt({ beforeEvent: 1 }))).toEqual(['', 'Hé'])
    expect(spoken(await cutAt({ beforeEvent: 9 }))).toEqual(['', 'Hé', 'llo', undefined, '[DONE]'])
    expect(spoken(await cutAt({ frame: -1 }))).toEqual(['', 'Hé', 'llo', undefined])
    expect(spoken(await cutAt({ frame: 1 }))).toEqual([''])
    const inside = await cutAt({ insideEvent: 1 })
    expect(spoken(inside)).toEqual(['', 'Hé'])
    expect(inside.length).toBeGreaterThan((await cutAt({ beforeEvent: 1 })).length)
    const call = await exchange(await faulty({ kind: 'cut', at: { beforeEvent: 1 }, by: 'end' }))
    const wholeCall = await exchange(await provider({ 'a.x/m1': { call: [{ ok: 'loopback answer', usage: { input: 7, output: 3 } }] } }))
    expect(call.body.length).toBe(Math.floor(wholeCall.body.length / 2))
  })

  test('notHttp, brokenFraming and headerBomb', async () => {
    const noise = await exchange(await faulty({ kind: 'notHttp', bytes: 300 }))
    expect([noise.by, noise.raw.length, noise.raw.includes('HTTP/')]).toEqual(['fin', 300, false])
    const broken = await exchange(await faulty({ kind: 'brokenFraming', at: 40 }, hello), { stream: true })
    expect([broken.by, broken.whole, broken.chunks[0]?.length]).toEqual(['fin', false, 40])
    expect(broken.raw.toString()).toContain('\r\nno chunk size\r\n')
    const bomb = await exchange(await faulty({ kind: 'headerBomb', bytes: 20_000 }))
    expect(bomb.head.length).toBeGreaterThan(20_000)
    expect(bomb.whole).toBe(true)
  })

  test('garbage inside an answer leaves the rest of it', async () => {
    const bytes = await whole()
    const noisy = await exchange(await faulty({ kind: 'garbage', bytes: 33, at: 50 }, hello), { stream: true })
    expect(Buffer.concat([noisy.body.subarray(0, 50), noisy.body.subarray(83)]).equals(bytes)).toBe(true)
    expect(noisy.whole).toBe(true)
  })

  test('gzip only when asked; faults in a list are done one after the other', async () => {
    const asked = { stream: true, headers: { 'accept-encoding': 'gzip, deflate' } }
    const zipped = await ask(await faulty({ kind: 'gzip', when: 'asked' }, hello), asked)
    expect(zipped.headers['content-encoding']).toBe('gzip')
    await zipped.body.dump()
    const plain = await ask(await faulty({ kind: 'gzip', when: 'asked' }, hello), { stream: true })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(dataOf(await plain.body.text()).at(-1)).toBe('[DONE]')
    const all = gzipSync(await whole())
    const cut = await exchange(await faulty([{ kind: 'gzip' }, { kind: 'cut', at: -8, by: 'end' }], hello), { stream: true })
    expect(cut.body.equals(all.subarray(0, -8))).toBe(true)
  })

  test('error200 is the error body of the protocol under another status', async () => {
    const answer = await ask(await faulty({ kind: 'error200', http: 429 }), { stream: true })
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json'])
    expect(await answer.body.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
  })

  test('endTwice, contentAfter and holdOpen', async () => {
    const twice = await exchange(await faulty({ kind: 'endTwice' }, hello), { stream: true })
    expect(dataOf(twice.body.toString()).slice(-3)).toEqual([expect.stringContaining('stop'), '[DONE]', '[DONE]'])
    const after = await exchange(await faulty({ kind: 'contentAfter', text: 'more' }, hello), { stream: true })
    expect(after.body.toString().split('[DONE]')[1]).toContain('"content":"more"')
    const bytes = await whole()
    const held = await faulty({ kind: 'holdOpen' }, hello)
    const open = await exchange(held, { stream: true }, (raw) => dissect(raw, 'left').body.length >= bytes.length)
    expect([open.body.equals(bytes), open.whole]).toEqual([true, false])
    expect(await held.requests[0]?.ended).toBe('client_gone')
    const call = await provider({ 'a.x/m1': { call: [{ fault: { kind: 'endTwice' } }] } })
    expect((await ask(call)).statusCode).toBe(500)
    expect(call.problems).toEqual([expect.stringContaining('script endTwice in a stream')])
  })

  test('oversizeEvent has lines and no blank one', async () => {
    const capped = await exchange(await faulty({ kind: 'oversizeEvent', capBytes: 300_000 }), { stream: true })
    expect(
      capped.body
        .toString()
        .split('\n')
        .slice(0, -1)
        .every((line) => line.startsWith('data: ')),
    ).toBe(true)
    expect(capped.body.length).toBeGreaterThanOrEqual(300_000)
  })

  test('connections are those that are open now', async () => {
    const server = await faulty({ kind: 'silence' })
    expect(await server.connections()).toBe(0)
    const asked = exchange(server, {}, () => false)
    await server.requested(1)
    expect(await server.connections()).toBe(1)
    await server.close()
    expect((await asked).by).toBe('fin')
    expect(await server.connections()).toBe(0)
  })
})

describe('issue 3, bad input: a script that no fault can be made of is refused with its path', () => {
  const kept = (fault: unknown): string[] => scriptProblems({ 'a.x/m1': { stream: [{ fault: fault as Fault }] } })

  test.each([
    [{ kind: 'cutt' }, 'a.x/m1 stream[0].fault: no fault is called "cutt"; there are cut, stall, silence'],
    [{ kind: 'cut', by: 'fin' }, 'a.x/m1 stream[0].fault: cut.at: expected a place: a byte, a byte from the end'],
    [{ kind: 'cut', at: { beforeEvents: 1 }, by: 'fin' }, 'a.x/m1 stream[0].fault: cut.at: expected a place'],
    [{ kind: 'cut', at: 4, by: 'FIN' }, 'a.x/m1 stream[0].fault: cut.by: '],
    [{ kind: 'dribble', bytes: 0 }, 'a.x/m1 stream[0].fault: dribble.bytes: '],
    [{ kind: 'gzip', always: true }, 'a.x/m1 stream[0].fault: gzip: Unrecognized key: "always"'],
    [{ kind: 'hugeBody' }, 'a.x/m1 stream[0].fault: hugeBody.megabytes: '],
    ['cut', 'a.x/m1 stream[0].fault: no fault is called undefined'],
    [null, 'a.x/m1 stream[0].fault: no fault is called undefined'],
    [[], 'a.x/m1 stream[0].fault: an empty list of faults'],
    [[{ kind: 'gzip' }, { kind: 'silence' }], 'a.x/m1 stream[0].fault: silence (2 of 2) leaves no answer for another fault'],
  ])('%j', (fault, problem) => {
    expect(kept(fault)).toEqual([expect.stringContaining(problem)])
  })

  test('every fault that is known passes with all of its fields', () => {
    const every: { readonly [Kind in FaultKind]: Extract<Fault, { kind: Kind }> } = {
      cut: { kind: 'cut', at: { insideEvent: 0 }, by: 'rst' },
      stall: { kind: 'stall', at: 'end' },
      silence: { kind: 'silence' },
      stallBeforeHeaders: { kind: 'stallBeforeHeaders' },
      closeAtOnce: { kind: 'closeAtOnce' },
      notHttp: { kind: 'notHttp', bytes: 9, seed: 1 },
      headerBomb: { kind: 'headerBomb', bytes: 9 },
      brokenFraming: { kind: 'brokenFraming', at: -4 },
      garbage: { kind: 'garbage', bytes: 9, seed: 1, at: { beforeEvent: 1 } },
      html200: { kind: 'html200' },
      error200: { kind: 'error200', http: 429, message: 'no' },
      wrongContentType: { kind: 'wrongContentType', contentType: 'text/plain' },
      gzip: { kind: 'gzip', when: 'asked' },
      oversizeLine: { kind: 'oversizeLine', capBytes: 9 },
      oversizeEvent: { kind: 'oversizeEvent', capBytes: 9 },
      hugeBody: { kind: 'hugeBody', megabytes: 0.5 },
      dribble: { kind: 'dribble', bytes: 1, everyMs: 0 },
      slow: { kind: 'slow', everyMs: 1 },
      endTwice: { kind: 'endTwice' },
      contentAfter: { kind: 'contentAfter', text: 'x' },
      holdOpen: { kind: 'holdOpen' },
    }
    expect(Object.values(every).flatMap(kept)).toEqual([])
    expect(Object.keys(every)).toEqual(Object.keys(FAULTS))
  })
})
