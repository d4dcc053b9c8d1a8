import { gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import type { Fault } from '../../../src/engines/loopback/fault.ts'
import type { ScriptedStream } from '../../../src/engines/loopback/script.ts'
import type { LoopbackProvider } from '../../../src/engines/loopback/server.ts'
import { ask, bodyOf, CHAT, closeAll, dataOf, dissect, exchange, hello, provider } from './wire.ts'

afterEach(closeAll)

describe('faults on the socket', () => {
  const faulty = (fault: Fault, answer?: ScriptedStream): Promise<LoopbackProvider> =>
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
})
