import { describe, expect, it, onTestFinished } from 'vitest'
import { StatusLine } from '../../src/faces/cli/status-line.ts'
import { type LoopbackProvider, type LoopbackScript, startLoopbackProvider } from '../../src/testing.ts'
import { Console, type ConsoleOptions, folderOf } from './console.ts'

interface Stage {
  readonly shell: Console
  readonly provider: LoopbackProvider
}

/** Two profiles, `a.x` and its fallback `b.y`, on a provider of this machine that does what the script says. */
async function stage(script: LoopbackScript, options: ConsoleOptions & { settings?: string; fallback?: boolean } = {}): Promise<Stage> {
  const provider = await startLoopbackProvider({ script })
  onTestFinished(() => provider.close())
  const { settings = '', fallback = true } = options
  const cwd = folderOf({
    'relevo.yaml': `primary: a.x
profiles:
  a.x: { model: m1, apiKey: "env:KEY", api: openai-chat, endpoint: "${provider.endpoint('a.x')}"${fallback ? ', fallback: [b.y]' : ''} }
  b.y: { model: m2, apiKey: "env:KEY", api: anthropic-messages, endpoint: "${provider.endpoint('b.y')}" }
${settings}`,
  })
  return { provider, shell: new Console({ env: { KEY: 'sk-CANARY-1234' }, ...options, cwd }) }
}

const SERVED: LoopbackScript = {
  'a.x/m1': { stream: [{ events: [{ text: 'Hello, ' }, { text: 'reader.' }, { usage: { input: 3, output: 2 } }, { final: 'stop' }] }] },
}

describe('relevo turn', () => {
  it('streams the answer to stdout and nothing else', async () => {
    const { shell, provider } = await stage(SERVED)
    expect(await shell.run('turn', 'Say hello.')).toBe(0)
    expect(shell.out).toBe('Hello, reader.\n')
    expect(shell.err).toMatch(/^ +\d+\.\d{3} s {2}attempt {3}1: a\.x\/m1, streaming\n$/)
    expect(provider.requests[0]?.body).toMatchObject({ model: 'm1', messages: [{ role: 'user', content: 'Say hello.' }] })
  })

  it('reads the prompt from standard input, and refuses a blank one before anything is started', async () => {
    const { shell, provider } = await stage(SERVED, { stdin: 'From a pipe.\n' })
    expect(await shell.run('turn')).toBe(0)
    expect(provider.requests[0]?.body).toMatchObject({ messages: [{ content: 'From a pipe.\n' }] })
    const blank = await stage(SERVED, { stdin: ' \n' })
    expect(await blank.shell.run('turn')).toBe(2)
    expect(blank.shell.errLines).toHaveLength(1)
    expect(blank.provider.requests).toHaveLength(0)
  })

  it.each(['turn', 'simulate -', 'simulate --jsonl', 'read failure', 'read stream --jsonl'])(
    'refuses input that no process can hold, in one line: %s',
    async (command) => {
      const megabyte = new Uint8Array(2 ** 20).fill(120)
      const { shell, provider } = await stage(SERVED, { stdin: Array(130).fill(megabyte) })
      expect(await shell.run(...command.split(' '))).toBe(2)
      expect(shell.errLines).toEqual(['error: standard input: it, or a line of it, has more than 128 MiB. Give less at a time.'])
      expect(provider.requests).toHaveLength(0)
    },
  )

  it('says when the first is back, however far away that is', async () => {
    const settings = `reliability: { providerRetries: 0, defaultCooldownMs: ${Number.MAX_SAFE_INTEGER} }`
    const { shell } = await stage({ 'a.x/m1': { stream: [{ http: 429 }], call: [{ http: 429 }] } }, { settings, fallback: false })
    expect(await shell.run('turn', 'hi')).toBe(4)
    expect(shell.errLines.at(-1)).toContain('The first is back at +275760-09-13')
  })

  it('--model picks the model; --json prints every event, a line each', async () => {
    const { shell, provider } = await stage(
      { 'a.x/m1': SERVED['a.x/m1'] ?? {} },
      { settings: 'modelRoutes: [{ hint: h, modelProvider: a.x, model: m1 }]' },
    )
    expect(await shell.run('turn', 'hi', '--model', 'hint:h', '--json')).toBe(0)
    expect(shell.json.map(({ type }) => type)).toEqual([
      'turn.started',
      'attempt.started',
      'output.committed',
      'text',
      'text',
      'attempt.ended',
      'warning.raised',
      'turn.ended',
    ])
    expect(shell.json.at(-1)).toMatchObject({ outcome: { kind: 'ok', text: 'Hello, reader.' } })
    expect(provider.requests).toHaveLength(1)
  })

  it('R26 shows the answer of a recovery once, and on stderr why', async () => {
    const { shell } = await stage({
      'a.x/m1': { stream: [{ http: 429, headers: { 'retry-after': '60' } }] },
      'b.y/m2': { call: [{ ok: 'From the other.' }] },
    })
    expect(await shell.run('turn', 'hi')).toBe(0)
    expect(shell.out).toBe('From the other.\n')
    expect(shell.err).toMatch(/failed {4}1: a limit is reached, to come back after 60\.0 s\n.*hold {6}a\.x is not to be asked for 60\.0 s/s)
  })

  it('R28 an interrupted stream keeps the text, asks nothing again and exits 1', async () => {
    const { shell, provider } = await stage({ 'a.x/m1': { stream: [{ events: [{ text: 'Half of ' }, { network: 'ECONNRESET' }] }] } })
    expect(await shell.run('turn', 'hi')).toBe(1)
    expect(shell.out).toBe('Half of \n')
    expect(shell.errLines.at(-1)).toMatch(
      /^error: the stream broke off after output was shown.*\(interrupted\)\. What was printed is a part of the answer/,
    )
    expect(provider.requests).toHaveLength(1)
  })

  it('R27 --sinks draft prints the answer when it is final, so that a broken stream can be asked again', async () => {
    const broken = { events: [{ text: 'Half of ' }, { network: 'ECONNRESET' }] }
    const { shell } = await stage({ 'a.x/m1': { stream: [broken] }, 'b.y/m2': { call: [{ ok: 'All of it.' }] } })
    expect(await shell.run('turn', 'hi', '--sinks', 'draft')).toBe(0)
    expect(shell.out).toBe('All of it.\n')
  })

  it('R18 exits 4 when everybody is held, and says when the first is back', async () => {
    const limited = { http: 429, headers: { 'retry-after': '3600' } }
    const { shell } = await stage({ 'a.x/m1': { stream: [limited] }, 'b.y/m2': { call: [limited] } })
    expect(await shell.run('turn', 'hi')).toBe(4)
    expect(shell.out).toBe('')
    expect(shell.errLines.at(-1)).toMatch(
      /^error: .*held.*\(all_held\)\. The first is back at \d{4}-\d\d-\d\dT[\d:.]+Z, in (59|60)\.\d min; ask again then\.$/,
    )
  })

  it('R21 exits 1 when nobody served, and names neither provider nor key', async () => {
    const script: LoopbackScript = { 'a.x/m1': { stream: [{ http: 401, body: { error: { message: 'wrong key sk-CANARY-1234' } } }] } }
    const { shell } = await stage(script, { fallback: false, settings: 'reliability: { providerRetries: 0 }' })
    expect(await shell.run('turn', 'hi')).toBe(1)
    expect(shell.errLines.at(-1)).toMatch(/^error: .*\(exhausted\)\./)
    expect(shell.errLines.at(-1)).not.toMatch(/a\.x|m1|127\.0/)
    expect(shell.both).not.toContain('sk-CANARY')
  })

  it('R22 an answer that was cut at its length is printed, noted and no failure', async () => {
    const { shell } = await stage({ 'a.x/m1': { stream: [{ events: [{ text: 'Cut he' }, { final: 'length' }] }] } })
    expect(await shell.run('turn', 'hi')).toBe(0)
    expect(shell.out).toBe('Cut he\n')
    expect(shell.errLines.at(-1)).toMatch(/^note: /)
  })

  it('R30 the interrupt keeps the partial text, reaches the provider and exits 130', async () => {
    const { shell, provider } = await stage({ 'a.x/m1': { stream: [{ events: [{ text: 'As far as ' }, { stall: true }] }] } })
    const code = shell.run('turn', 'hi')
    await shell.shown('As far as ')
    shell.interrupt.abort()
    expect(await code).toBe(130)
    expect(shell.out).toBe('As far as \n')
    expect(shell.err).not.toContain('error')
    const [request] = provider.requests
    expect(await request?.ended).toBe('client_gone')
    expect(provider.requests).toHaveLength(1)
  })

  it('an interrupt while the prompt is awaited exits 130 and asks nobody', async () => {
    const { shell, provider } = await stage(SERVED)
    const silent = new Console({ cwd: shell.io.cwd, env: shell.io.env as Record<string, string> })
    Object.assign(silent.io.stdin, { chunks: { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }, isTty: true })
    const code = silent.run('turn')
    await silent.shown('end it with Ctrl-D')
    silent.interrupt.abort()
    expect(await code).toBe(130)
    expect(provider.requests).toHaveLength(0)
  })

  it('a hint that is refused exits 2 with path and remedy', async () => {
    const { shell, provider } = await stage(SERVED, { settings: 'unknownHint: reject' })
    expect(await shell.run('turn', 'hi', '--model', 'hint:nope')).toBe(2)
    expect(shell.errLines).toEqual([expect.stringMatching(/^error: model: .*\(unknown_hint\) .+/)])
    expect(provider.requests).toHaveLength(0)
  })

  it.each([
    ['unknown setting', 'retries: 3\n', {}, 'retries'],
    ['mistyped setting', 'reliability: { providerRetries: no }\n', {}, 'reliability.providerRetries'],
    ['missing key variable', '', { env: {} }, 'profiles.a.x.apiKey'],
  ])('%s: a line with path and remedy, exit 2, nothing started', async (_what, settings, options, path) => {
    const { shell, provider } = await stage(SERVED, { settings, fallback: false, ...options })
    expect(await shell.run('turn', 'hi')).toBe(2)
    expect(shell.out).toBe('')
    expect(shell.errLines).toEqual([expect.stringMatching(new RegExp(`^error: .*relevo\\.yaml: ${path.replaceAll('.', '\\.')}: .+ \\(\\w+\\) .+`))])
    expect(provider.requests).toHaveLength(0)
  })

  it('R36 --log-level writes JSON lines to stderr, without prompt, answer or key', async () => {
    const echo = { error: { message: 'Incorrect API key provided: sk-CANARY-1234. See "help".' } }
    const { shell } = await stage({ 'a.x/m1': { stream: [{ http: 401, body: echo }] }, 'b.y/m2': { call: [{ ok: 'ANSWER-CANARY' }] } })
    expect(await shell.run('turn', 'PROMPT-CANARY', '--log-level', 'debug')).toBe(0)
    const records = shell.errLines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
    expect(records.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['attempt.failed', 'turn.ended']))
    expect(records.find(({ msg }) => msg === 'attempt.failed')).toMatchObject({
      level: 'warn',
      n: 1,
      kind: 'auth',
      message: expect.stringContaining('[redacted]'),
    })
    expect(shell.err).not.toMatch(/CANARY/)
  })
})

describe('relevo turn on a terminal', () => {
  it('shows entry and attempt at the foot until the answer begins', async () => {
    const { shell } = await stage(SERVED, { tty: true })
    expect(await shell.run('turn', 'hi')).toBe(0)
    expect(shell.both).toBe('\r\u001b[2Ka.x/m1 · attempt 1\r\u001b[2KHello, reader.\n')
  })

  it('lets no control character of a provider through', async () => {
    const { shell } = await stage(
      { 'a.x/m1': { stream: [{ events: [{ text: 'a\u001b]0;title\u0007b\n\tc\u202ed' }, { final: 'stop' }] }] } },
      { tty: true },
    )
    expect(await shell.run('turn', 'hi')).toBe(0)
    expect(shell.out).toBe('a]0;titleb\n\tcd\n')
    const piped = await stage({ 'a.x/m1': { stream: [{ events: [{ text: 'a\u001b[1mb' }, { final: 'stop' }] }] } })
    await piped.shell.run('turn', 'hi')
    expect(piped.shell.out).toBe('a\u001b[1mb\n')
  })

  it('ends an unfinished line of the answer before it says what went wrong', async () => {
    const { shell } = await stage({ 'a.x/m1': { stream: [{ events: [{ text: 'Half' }, { network: 'ECONNRESET' }] }] } }, { tty: true })
    expect(await shell.run('turn', 'hi')).toBe(1)
    expect(shell.both).toMatch(/Half\n +\d+\.\d+ s {2}attempt {3}1: a\.x\/m1, streaming\n +\d+\.\d+ s {2}failed/)
  })

  it('counts a wait down', async () => {
    const shell = new Console({ tty: true })
    let now = 5_000
    const status = new StatusLine(shell.io.stderr, () => now)
    onTestFinished(() => status.clear())
    const started = { type: 'attempt.started', turn: 't', at: 5_000, n: 2, entry: 'a.x/m1', profile: 'a.x', model: 'm1', mode: 'call' } as const
    await status.take(started)
    now = 6_500
    await status.take({ type: 'wait.started', turn: 't', at: 5_000, ms: 4_000, why: 'backoff', key: 'a.x' })
    expect(shell.err).toContain('a.x/m1 · attempt 2 · waiting 2.5 s')
    now = 7_000
    await shell.shown('waiting 2.0 s')
    await status.take({ type: 'wait.ended', turn: 't', at: 9_000, cut: false })
    expect(shell.err.endsWith('\r\u001b[2K')).toBe(true)
  })

  it('keeps the status line within one line of the terminal: a longer one would be drawn below itself for ever', async () => {
    const shell = new Console({ tty: true, columns: 40 })
    const status = new StatusLine(shell.io.stderr, () => 5_000)
    onTestFinished(() => status.clear())
    const entry = 'openrouter.production-europe/meta-llama/llama-3.3-70b-instruct'
    await status.take({ type: 'attempt.started', turn: 't', at: 5_000, n: 1, entry, profile: 'p', model: 'm', mode: 'call' })
    await status.take({ type: 'wait.started', turn: 't', at: 5_000, ms: 4_000, why: 'backoff', key: 'p' })
    const drawn = shell.err.split('\r\u001b[2K').filter((line) => line !== '')
    expect(drawn).toHaveLength(2)
    for (const line of drawn) expect(line.length).toBeLessThan(40)
    expect(drawn[1]).toMatch(/^openrouter.*… · attempt 1 · waiting 4\.0 s$/)
  })

  it('breaks what it tells between words, under its own text', async () => {
    const limited = { http: 429, headers: { 'retry-after': '60' } }
    const { shell } = await stage({ 'a.x/m1': { stream: [limited] }, 'b.y/m2': { call: [{ ok: 'Here.' }] } }, { tty: true, columns: 50 })
    expect(await shell.run('turn', 'hi')).toBe(0)
    expect(shell.err).toContain('recover   nothing was shown yet: the\n                     call is made again, without\n')
  })
})
