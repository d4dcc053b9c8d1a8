import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ControlError, type ControlRequest, order } from '../../src/faces/daemon/control-client.ts'
import { type ControlOrders, startControl } from '../../src/faces/daemon/control-server.ts'
import { folderOf } from '../faces/console.ts'

/** A team that writes down what it is told. */
class Told implements ControlOrders {
  readonly orders: unknown[] = []
  status(): object {
    return { state: 'working' }
  }
  pause(): void {
    this.orders.push('pause')
  }
  resume(): void {
    throw Object.assign(new Error('nothing to resume'), { code: 'not_paused' })
  }
  stop(options: object): void {
    this.orders.push(options)
  }
  say(text: string): { post: number } {
    return { post: this.orders.push(text) }
  }
  approve(participant: string): boolean {
    return participant === 'ana'
  }
}

async function stage(path = join(folderOf({}), 'control.sock')) {
  const told = new Told()
  const control = await startControl(path, told)
  onTestFinished(() => control.close())
  const ask = async (request: ControlRequest): Promise<unknown> => (await order(path, request)).value
  return { path, told, control, ask }
}

function opened(path: string): Promise<Socket> {
  const socket = connect(path)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  return new Promise((resolve) => socket.on('connect', () => resolve(socket)))
}

/** Everything that the daemon sends until it closes. */
async function answered(path: string, ...chunks: readonly (string | Uint8Array)[]): Promise<string> {
  const socket = await opened(path)
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  for (const chunk of chunks) socket.write(chunk)
  return new Promise((resolve) => socket.on('close', () => resolve(text)))
}

const refusal = (path: string, request: ControlRequest = { do: 'status' }): Promise<ControlError> =>
  order(path, request).then(
    () => expect.unreachable('an answer'),
    (error) => error,
  )

describe('the control socket', () => {
  it('carries each order and its answer', async () => {
    const { ask, told, path } = await stage()
    expect(await ask({ do: 'status' })).toEqual({ state: 'working' })
    expect(await ask({ do: 'pause' })).toBeNull()
    expect(await ask({ do: 'say', text: 'a\n"b" ñ' })).toEqual({ post: 2 })
    expect(await ask({ do: 'approve', participant: 'ana' })).toEqual({ approved: true })
    expect(await ask({ do: 'approve', participant: 'bo' })).toEqual({ approved: false })
    expect(told.orders).toEqual(['pause', 'a\n"b" ñ'])
    expect(await refusal(path, { do: 'resume' })).toMatchObject({ code: 'refused', message: 'nothing to resume' })
  })

  it('is closed to others from the first moment, whatever the mask of the process', async () => {
    const mask = process.umask(0)
    onTestFinished(() => void process.umask(mask))
    const path = join(folderOf({}), 'control.sock')
    const starting = startControl(path, new Told())
    // It is bound already, and nothing has been awaited.
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const control = await starting
    onTestFinished(() => control.close())
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(process.umask()).toBe(0)
  })

  it.each([
    ['garbage', ['\u0000\u0001}{\n']],
    ['bytes that are no text', [Uint8Array.of(0x22, 0xff, 0xfe, 0x22, 0x0a)]],
    ['a text that is not UTF-8 within a message', [Buffer.concat([Buffer.from('{"do":"say","text":"'), Buffer.of(0xc3, 0x28), Buffer.from('"}\n')])]],
    ['an empty line', ['\n']],
    ['a list', ['[1]\n']],
    ['null', ['null\n']],
    ['no order', ['{}\n']],
    ['an unknown order', ['{"do":"__proto__"}\n']],
    ['a message that is no text', ['{"do":"say","text":{"a":1}}\n']],
    ['a blank message', ['{"do":"say","text":" \\n"}\n']],
    ['an approval of nobody', ['{"do":"approve"}\n']],
    ['a very deep value', [`${'['.repeat(200_000)}\n`]],
  ])('refuses %s with a line, obeys none of it and answers the next', async (_, chunks) => {
    const { path, told, ask } = await stage()
    const text = await answered(path, ...chunks)
    expect(text.trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.parse(text)).toEqual({ ok: false, message: expect.stringMatching(/^the request /) })
    expect(told.orders).toEqual([])
    expect(await ask({ do: 'status' })).toEqual({ state: 'working' })
  })

  it('takes a message of one MiB and refuses one of a byte more, also where every character is escaped', async () => {
    const { path, ask, told } = await stage()
    for (const character of ['a', '"', '\n']) {
      expect(await ask({ do: 'say', text: `x${character.repeat(2 ** 20 - 1)}` })).toEqual({ post: told.orders.length })
      expect((await refusal(path, { do: 'say', text: `x${character.repeat(2 ** 20)}` })).message).toContain('more than 1048576 bytes')
    }
    expect(told.orders).toHaveLength(3)
  })

  it('refuses a line without an end, in words that a client still writing can read', async () => {
    const { path, ask } = await stage()
    const text = await answered(path, ...Array.from({ length: 64 }, () => 'x'.repeat(2 ** 17)))
    expect(JSON.parse(text)).toEqual({ ok: false, message: expect.stringContaining('the request has more than') })
    expect(await ask({ do: 'status' })).toEqual({ state: 'working' })
  })

  it('takes one order of a connection, and drops what comes behind it', async () => {
    const { path, told } = await stage()
    expect(await answered(path, '{"do":"pa', 'use"}\n{"do":"pause"}\n')).toBe('{"ok":true,"value":null}\n')
    expect(told.orders).toEqual(['pause'])
  })

  it('answers while a hundred connections say nothing, half a line, or do not read', async () => {
    const { path, ask } = await stage()
    for (let number = 0; number < 100; number += 1) {
      const socket = await opened(path)
      socket.pause()
      if (number % 3 === 1) socket.write('{"do":"sta')
      if (number % 3 === 2) socket.write('{"do":"status"}\n')
    }
    expect(await ask({ do: 'status' })).toEqual({ state: 'working' })
  })

  it('lets a client go that dies before its answer', async () => {
    const { path, ask, told } = await stage()
    for (let number = 0; number < 50; number += 1) {
      const socket = await opened(path)
      await new Promise<void>((written) => socket.write('{"do":"pause"}\n', () => written()))
      socket.destroy()
    }
    expect(await ask({ do: 'status' })).toEqual({ state: 'working' })
    expect(told.orders).toEqual(Array(50).fill('pause'))
  })

  it('keeps who asked for a stop until the team is over, past any number of others', async () => {
    const { path, control, told } = await stage()
    const { closed } = await order(path, { do: 'stop', immediate: true })
    let over = false
    void closed.then(() => {
      over = true
    })
    for (let number = 0; number < 40; number += 1) await opened(path)
    await order(path, { do: 'status' })
    expect(over).toBe(false)
    expect(told.orders).toEqual([{ immediate: true }])
    await control.close()
    await closed
    expect(existsSync(path)).toBe(false)
  })
})

describe('the place of the control socket', () => {
  it('may be deeper than an address of a socket is long; nothing is left there', async () => {
    const folder = join(folderOf({}), ...Array.from({ length: 6 }, () => 'deep'.repeat(10)))
    mkdirSync(folder, { recursive: true })
    const path = join(folder, 'control.sock')
    expect(Buffer.byteLength(path)).toBeGreaterThan(107)
    const { ask, control } = await stage(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(await ask({ do: 'say', text: 'far down' })).toEqual({ post: 1 })
    await control.close()
    expect(existsSync(path)).toBe(false)
    expect(await refusal(path)).toMatchObject({ code: 'no_daemon' })
  })

  it('has nobody when there is none, and none behind a file or a folder that is none', async () => {
    const folder = folderOf({ 'control.sock': 'mine', file: '' })
    expect((await refusal(join(folder, 'none', 'control.sock'))).code).toBe('no_daemon')
    expect((await refusal(join(folder, 'control.sock'))).code).toBe('no_daemon')
    expect((await refusal(join(folder, 'file', 'control.sock'))).code).toBe('no_daemon')
  })

  it('is left alone where something stands that is no socket', async () => {
    const path = join(folderOf({ 'control.sock': 'mine' }), 'control.sock')
    await expect(startControl(path, new Told())).rejects.toThrow(`${path}: something that is no socket stands`)
    expect(readFileSync(path, 'utf8')).toBe('mine')
  })

  it('is taken where a dead process left a socket', async () => {
    const path = join(folderOf({}), 'control.sock')
    const dying = "require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))"
    expect(spawnSync(process.execPath, ['-e', dying, path]).signal).toBe('SIGKILL')
    expect((await refusal(path)).code).toBe('no_daemon')
    const { ask } = await stage(path)
    expect(await ask({ do: 'status' })).toEqual({ state: 'working' })
  })

  it('says whose fault it is that it cannot be reached', async () => {
    const path = join(folderOf({}), 'control.sock')
    const mute = createServer((socket) => socket.end()).listen(path)
    onTestFinished(() => void mute.close())
    await new Promise((listening) => mute.on('listening', listening))
    expect(await refusal(path)).toMatchObject({ code: 'no_answer', message: 'the daemon closed the connection without an answer' })
  })

  const isAdministrator = process.getuid?.() === 0
  it.skipIf(isAdministrator)(
    `says that it is somebody else's${isAdministrator ? ' (skipped: the administrator may connect to whatever there is)' : ''}`,
    async () => {
      const path = join(folderOf({}), 'control.sock')
      const own = createServer((socket) => socket.end()).listen(path)
      onTestFinished(() => void own.close())
      await new Promise((listening) => own.on('listening', listening))
      chmodSync(path, 0)
      expect((await refusal(path)).code).toBe('not_permitted')
    },
  )

  it('speaks no foreign language', async () => {
    const path = join(folderOf({}), 'control.sock')
    const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n')).listen(path)
    onTestFinished(() => void other.close())
    await new Promise((listening) => other.on('listening', listening))
    expect((await refusal(path)).code).toBe('no_answer')
  })

  it('cannot be made in a folder that is none', async () => {
    const path = join(folderOf({}), 'gone', 'control.sock')
    await expect(startControl(path, new Told())).rejects.toThrow(`${path}: the control socket cannot be made (`)
  })
})
