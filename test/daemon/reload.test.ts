import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Console, folderOf } from '../faces/console.ts'

interface HeldCall {
  readonly key: string | undefined
  readonly model: string
  answer(text: string): void
  fail(status: number, text: string): void
}

/** A provider whose every call waits until the test says what it comes to. */
class HeldProvider {
  readonly #server = createServer()
  readonly #calls: HeldCall[] = []
  readonly #waiting: ((call: HeldCall) => void)[] = []

  static async start(): Promise<HeldProvider> {
    const provider = new HeldProvider()
    const server = provider.#server
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    })
    return provider
  }

  private constructor() {
    this.#server.on('request', (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const { model } = JSON.parse(Buffer.concat(chunks).toString())
        this.#take(callOf(request.headers.authorization?.replace('Bearer ', ''), model, response))
      })
    })
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  /** The next call that nobody has asked for yet. */
  next(): Promise<HeldCall> {
    const call = this.#calls.shift()
    if (call !== undefined) return Promise.resolve(call)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #take(call: HeldCall): void {
    const waiting = this.#waiting.shift()
    if (waiting === undefined) this.#calls.push(call)
    else waiting(call)
  }
}

/** Speaks OpenAI chat. */
function callOf(key: string | undefined, model: string, response: ServerResponse): HeldCall {
  const end = (status: number, body: unknown): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  return {
    key,
    model,
    answer: (content) => end(200, { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] }),
    fail: (status, message) => end(status, { error: { message } }),
  }
}

interface Written {
  readonly model: string
  readonly more?: string
  readonly team?: string
}

/** A team of one, whose key stands in a file, at its first call. */
async function atWork() {
  const provider = await HeldProvider.start()
  const text = ({ model, more = '', team = '' }: Written): string =>
    `profiles:\n  openai.main: { model: ${model}, endpoint: "${provider.endpoint}", apiKey: { file: keys/main } }\n${more}team: { maxIterations: 3 ${team} }\n`
  const folder = folderOf({
    'relevo.yaml': text({ model: 'm1' }),
    'keys/main': 'sk-CANARY-first\n',
    'participants/ana.md': '---\nprovider: openai.main\n---\nYou are ana.\n',
  })
  const shell = new Console({ cwd: folder })
  const ended = shell.run('run', '.')
  onTestFinished(() => void shell.interrupt.abort('SIGTERM'))
  return {
    provider,
    folder,
    shell,
    ended,
    first: await provider.next(),
    write: (written: Written): void => writeFileSync(join(folder, 'relevo.yaml'), text(written)),
    log: (): string => readFileSync(join(folder, '.relevo/log.jsonl'), 'utf8'),
  }
}

it('R12 R11 SEC-01 settings and keys that are written while a team works count from its next turn on, and the log knows no key', async () => {
  const { provider, folder, shell, ended, first, write, log } = await atWork()
  expect([first.key, first.model]).toEqual(['sk-CANARY-first', 'm1'])
  write({ model: 'm2' })
  await shell.shown('settings reloaded\n')
  shell.both = ''
  first.answer('one')
  const second = await provider.next()
  expect([second.key, second.model]).toEqual(['sk-CANARY-first', 'm2'])
  writeFileSync(join(folder, 'keys/new'), 'sk-CANARY-second\n')
  renameSync(join(folder, 'keys/new'), join(folder, 'keys/main'))
  await shell.shown('settings reloaded\n')
  second.answer('two')
  const third = await provider.next()
  expect([third.key, third.model]).toEqual(['sk-CANARY-second', 'm2'])
  third.fail(401, 'wrong key sk-CANARY-second, not sk-CANARY-first')
  await shell.shown('the call failed')
  shell.interrupt.abort('SIGTERM')
  expect(await ended).toBe(0)
  expect(log()).toContain('wrong key [redacted], not [redacted]')
  expect(log().match(/"msg":"settings\.reloaded"/g)).toHaveLength(2)
  expect(`${log()}${shell.out}${shell.err}`).not.toContain('CANARY')
})

it('R12 R5 settings that are wrong are refused whole with the reason, and the run goes on with those before', async () => {
  const { provider, folder, shell, ended, first, write, log } = await atWork()
  write({ model: 'm2', more: 'nonsense: 1\n' })
  await shell.shown('settings refused: unknown_setting nonsense: `nonsense` is no setting. Remove it')
  writeFileSync(join(folder, 'relevo.yaml'), 'team: {\n')
  await shell.shown(`settings refused: invalid_text ${join(folder, 'relevo.yaml')}:2:1: This is no YAML`)
  writeFileSync(join(folder, 'relevo.yaml'), 'team: {}\n')
  await shell.shown('settings refused: unknown_provider ')
  first.answer('one')
  const second = await provider.next()
  expect([second.key, second.model]).toEqual(['sk-CANARY-first', 'm1'])
  write({ model: 'm3', team: ', maxWaitMin: 5' })
  await shell.shown('settings reloaded; what differs in `team` counts from the next start\n')
  second.answer('two')
  const third = await provider.next()
  expect(third.model).toBe('m3')
  third.answer('three')
  expect(await ended).toBe(0)
  const refused = log()
    .split('\n')
    .filter((line) => line.includes('settings.refused'))
  expect(refused.map((line) => JSON.parse(line).problems[0].code)).toEqual(['unknown_setting', 'invalid_text', 'unknown_provider'])
})

it('R11 R12 a key file that cannot be read refuses the settings whole, though no primary asks for its profile', async () => {
  const { provider, folder, shell, ended, first, write } = await atWork()
  unlinkSync(join(folder, 'keys/main'))
  await shell.shown('settings refused: missing_credential profiles.openai.main.apiKey: ')
  write({ model: 'm2' })
  first.answer('one')
  const second = await provider.next()
  expect([second.key, second.model]).toEqual(['sk-CANARY-first', 'm1'])
  writeFileSync(join(folder, 'keys/main'), 'sk-CANARY-second')
  await shell.shown('settings reloaded\n')
  second.answer('two')
  const third = await provider.next()
  expect([third.key, third.model]).toEqual(['sk-CANARY-second', 'm2'])
  third.answer('three')
  expect(await ended).toBe(0)
})

it('R12 a profile that a participant at work names is not taken away, though its file names another one by now', async () => {
  const { provider, folder, shell, ended, first, write } = await atWork()
  unlinkSync(join(folder, 'participants/ana.md'))
  writeFileSync(join(folder, 'participants/bo.md'), '---\nprovider: ollama.here\n---\nYou are bo.\n')
  writeFileSync(join(folder, 'relevo.yaml'), 'profiles:\n  ollama.here: { model: m }\nteam: { maxIterations: 3 }\n')
  await shell.shown(
    'settings refused: unknown_provider profiles.openai.main: ana, who is at work, runs on `openai.main`, which is configured no more.',
  )
  write({ model: 'm4', more: '  ollama.here: { model: m }\n' })
  await shell.shown('settings reloaded\n')
  first.answer('one')
  for (const text of ['two', 'three']) {
    const next = await provider.next()
    expect(next.model).toBe('m4')
    next.answer(text)
  }
  expect(await ended).toBe(0)
})
