import { Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { CliAttempt } from '../../../src/engines/cli/attempt.ts'
import type { ProcessEnd, ProcessListener, ProcessRequest, RunningProcess } from '../../../src/engines/cli/process/process.ts'
import type { CliDecoder, CliProgram } from '../../../src/engines/cli/program.ts'
import type { AttemptRequest, Flow } from '../../../src/engines/contract.ts'
import type { CliSettings } from '../../../src/model/cli.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { Secret } from '../../../src/model/secret.ts'
import { type VirtualClock, virtualClock } from '../../../src/simulate/virtual-clock.ts'
import { noTimeouts, profileOf, requestOf } from '../http/request.ts'

/** A program of few words: `say x`, `over`, `again`, and its exit. */
function decoder(): CliDecoder {
  let over = false
  let contentAfter = false
  let broken: string | null = null
  return {
    take({ text }, tell) {
      if (over) contentAfter = true
      else if (text.startsWith('say ')) tell({ type: 'text', text: text.slice(4) })
      if (text === 'over') over = true
      if (text === 'again') broken = 'it began its answer anew'
    },
    get over() {
      return over
    },
    get contentAfter() {
      return contentAfter
    },
    get broken() {
      return broken
    },
    end: (exitCode) => (over && (exitCode === 0 || exitCode === null) ? { completed: true, finish: 'stop' } : { completed: false }),
  }
}

const PROGRAM: CliProgram = {
  family: 'codex',
  provider: 'codex',
  command: 'codex',
  install: 'Install it.',
  keyVariable: 'THE_KEY',
  variables: ['SEEN_*'],
  environment: { FIXED: '1' },
  invocation: ({ model, prompt }) => ({ args: ['run', ...(model === null ? [] : ['-m', model])], last: ['-'], stdin: prompt }),
  decoder,
}

const CLI: CliSettings = {
  command: null,
  args: ['--own'],
  directory: '/work',
  env: { TZ: 'Asia/Tokyo' },
  stallMs: 1_000,
  path: '/bin/codex',
  absent: false,
}

interface Stage {
  readonly events: ProviderEvent[]
  readonly process: { request: ProcessRequest | null; stops: number; paused: boolean }
  readonly clock: VirtualClock
  line(text: string, from?: 'stdout' | 'stderr'): void
  end(end: ProcessEnd): void
  exit(code: number | null, signal?: string | null): void
  leave(): void
}

function run(more: Partial<AttemptRequest> = {}, cli: Partial<CliSettings> = {}, program: CliProgram = PROGRAM): Stage {
  const clock = virtualClock(0)
  const events: ProviderEvent[] = []
  const process: Stage['process'] = { request: null, stops: 0, paused: false }
  let heard: ProcessListener | null = null
  const started: RunningProcess = {
    pause: () => {
      process.paused = true
    },
    resume: () => {
      process.paused = false
    },
    stop: () => {
      process.stops++
    },
    gone: Promise.resolve(),
  }
  const processes = {
    start: (request: ProcessRequest, listener: ProcessListener) => {
      process.request = request
      heard = listener
      return started
    },
  }
  const profile = profileOf({ id: 'codex.x', family: 'codex', api: null, endpoint: null, timeouts: noTimeouts, cli: { ...CLI, ...cli } })
  const subscription = new Observable<ProviderEvent>((subscriber) => {
    const attempt = new CliAttempt(program, requestOf({ profile, clock, model: 'default', ...more }), subscriber)
    subscriber.add(() => attempt.cancel())
    attempt.begin({ environment: { SEEN_BY_IT: 'yes', SEEN_TOKEN: 'token-of-the-host-1', HIDDEN: 'no', PATH: '/bin' }, processes })
  }).subscribe((event) => events.push(event))
  return {
    events,
    process,
    clock,
    line: (text, from = 'stdout') => heard?.onLine(from, text),
    end: (end) => heard?.onEnd(end),
    exit: (code, signal = null) => heard?.onEnd({ kind: 'exited', code, signal }),
    leave: () => subscription.unsubscribe(),
  }
}

const last = ({ events }: Stage) => events.at(-1)
const failureOf = (stage: Stage) => {
  const event = last(stage)
  return event?.type === 'failed' ? event.failure : null
}

describe('what is run', () => {
  it('arguments of the program, then the operator’s, then what must be last; the prompt by standard input', () => {
    expect(run().process.request).toMatchObject({ path: '/bin/codex', args: ['run', '--own', '-'], directory: '/work', stdin: 'hello' })
    expect(run({ model: 'gpt-5' }).process.request?.args).toEqual(['run', '-m', 'gpt-5', '--own', '-'])
  })

  it('an environment by allow-list, the key in its variable, the zone of the profile', () => {
    const { process } = run({ secret: new Secret('key-of-a-test') })
    expect(process.request?.environment).toMatchObject({ PATH: '/bin', SEEN_BY_IT: 'yes', FIXED: '1', THE_KEY: 'key-of-a-test', TZ: 'Asia/Tokyo' })
    expect(process.request?.environment).not.toHaveProperty('HIDDEN')
  })

  it('R11 a profile with a key is not signed in by the host besides', () => {
    const program = { ...PROGRAM, signIn: ['SEEN_TOKEN'] }
    expect(run({}, {}, program).process.request?.environment).toHaveProperty('SEEN_TOKEN')
    expect(run({ secret: new Secret('key-of-a-test') }, {}, program).process.request?.environment).not.toHaveProperty('SEEN_TOKEN')
  })

  it('defaults of the program where neither host nor profile says otherwise', () => {
    const defaults = ({ SEEN_BY_IT = '' }) => ({ OF_ITS_OWN: SEEN_BY_IT, SEEN_BY_IT: 'no', TZ: 'Asia/Seoul' })
    const { process } = run({}, {}, { ...PROGRAM, defaults })
    expect(process.request?.environment).toMatchObject({ OF_ITS_OWN: 'yes', SEEN_BY_IT: 'yes', TZ: 'Asia/Tokyo' })
  })

  it.each([
    ['no program is there', run({}, { path: null }), 'install codex'],
    ['a key, and it takes none', run({ secret: new Secret('key-of-a-test') }, {}, { ...PROGRAM, keyVariable: null }), 'it has its own login'],
    ['a model that would be an option', run({ model: '--yolo' }), 'no name of a model'],
    ['an image', run({ messages: [{ role: 'user', content: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }] }] }), 'image'],
  ])('nothing starts when it cannot be: %s', (_, stage, words) => {
    expect(failureOf(stage)).toMatchObject({ kind: 'invalid_request', phase: 'connect' })
    expect(failureOf(stage)?.message).toContain(words)
    expect(stage.process.request).toBeNull()
  })
})

describe('how a run ends', () => {
  it('contract 2: opened, output, final, and nothing afterwards', () => {
    const stage = run()
    stage.line('say a')
    stage.line('over')
    stage.exit(0)
    stage.line('say late')
    expect(stage.events.map((event) => event.type)).toEqual(['opened', 'text', 'final'])
    expect(last(stage)).toEqual({ type: 'final', finish: 'stop', terminated: true })
  })

  it('R25 what comes behind the completion signal is told to have come, and is no part of the answer', () => {
    const stage = run()
    for (const text of ['say a', 'over', 'say more']) stage.line(text)
    stage.exit(0)
    expect(stage.events.filter(({ type }) => type === 'text')).toEqual([{ type: 'text', text: 'a' }])
    expect(last(stage)).toEqual({ type: 'final', finish: 'stop', terminated: true, contentAfter: true })
  })

  it('a completion signal with an exit that does not agree is no answer', () => {
    const stage = run()
    stage.line('over')
    stage.exit(3)
    expect(failureOf(stage)).toMatchObject({ kind: 'unknown', code: 'exit_3' })
  })

  it.each([
    ['exit 0 without the signal', 0, null, 'truncated', 'exit_0'],
    ['a crash', 7, null, 'unknown', 'exit_7'],
    ['ended by a signal', null, 'SIGSEGV', 'unknown', 'SIGSEGV'],
  ])('T21 %s is a failed call', (_, code, signal, kind, told) => {
    const stage = run()
    stage.line('say a')
    stage.exit(code, signal)
    expect(failureOf(stage)).toMatchObject({ kind, code: told, phase: 'stream' })
  })

  it('T3 a limit that the program told is a limit, with its reset in the zone of the child', () => {
    const stage = run()
    stage.clock.setTo(Date.UTC(2026, 10, 30, 6))
    stage.line('{"type":"turn.failed","error":{"message":"You’ve hit your usage limit. Try again at 5:30 PM."}}')
    stage.exit(1)
    expect(failureOf(stage)).toMatchObject({
      kind: 'rate_limited',
      resetAt: Date.UTC(2026, 10, 30, 8, 30),
      limit: { kind: 'usage', scope: null, binds: 'account' },
    })
  })

  it('one that stays after its completion signal is stopped, and its answer is whole', () => {
    const stage = run()
    stage.line('say a')
    stage.line('over')
    stage.clock.moveTo(4_999)
    expect(stage.events.map((event) => event.type)).toEqual(['opened', 'text'])
    stage.clock.moveTo(5_000)
    expect(last(stage)?.type).toBe('final')
    expect(stage.process.stops).toBeGreaterThan(0)
  })

  it('one whose output breaks a bound after its completion signal has answered all the same', () => {
    const stage = run()
    stage.line('say a')
    stage.line('over')
    stage.end({ kind: 'failed', reason: 'endless_line', message: 'why' })
    expect(stage.events.map((event) => event.type)).toEqual(['opened', 'text', 'final'])
  })

  it('R28 one that begins its answer anew is stopped: a reader would see it twice', () => {
    const stage = run()
    stage.line('say a')
    stage.line('again')
    expect(failureOf(stage)).toMatchObject({ kind: 'truncated', message: 'codex: it began its answer anew' })
    expect(stage.process.stops).toBeGreaterThan(0)
  })

  it('§6.7 an outage without an end is ended, as network', () => {
    const stage = run()
    const wait = '{"type":"error","message":"Reconnecting... waiting for network (Connection failed: error sending request)"}'
    for (let n = 0; n < 3; n++) stage.line(wait)
    expect(failureOf(stage)).toMatchObject({ kind: 'network' })
    expect(stage.process.stops).toBeGreaterThan(0)
  })

  it.each([
    ['no_directory', 'invalid_request'],
    ['too_long', 'invalid_request'],
    ['not_started', 'invalid_request'],
    ['not_now', 'overloaded'],
    ['endless_line', 'protocol'],
    ['too_much', 'protocol'],
  ] as const)('a process that %s is %s', (reason, kind) => {
    const stage = run()
    stage.end({ kind: 'failed', reason, message: 'why' })
    expect(failureOf(stage)).toMatchObject({ kind, code: reason, message: 'why' })
  })

  it('R21 what the operator set for the profile, or the host has as a credential, is taken out where the program echoes it', () => {
    const echoed = ['gate-way-secret-1', 'token-of-the-host-1']
    const stage = run({}, { env: { GATEWAY: 'gate-way-secret-1', LONG_PATH: '/home/a/long' } })
    stage.line(`{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: ${echoed.join(', ')}, /home/a/long"}}`)
    stage.exit(1)
    expect(failureOf(stage)?.message).toBe('codex: unexpected status 401 Unauthorized: [redacted], [redacted], /home/a/long')
  })

  it('a key that the program echoes is taken out', () => {
    const stage = run({ secret: new Secret('key-of-a-test-1') })
    stage.line('{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: key-of-a-test-1 is wrong"}}')
    stage.exit(1)
    expect(failureOf(stage)?.kind).toBe('auth')
    expect(failureOf(stage)?.message).not.toContain('key-of-a-test-1')
  })
})

describe('time, cancel and a slow reader', () => {
  it('R31 silence longer than stallMs is a timeout, and the run is stopped', () => {
    const stage = run()
    stage.line('say a')
    stage.clock.moveTo(999)
    stage.line('say b')
    stage.clock.moveTo(1_999)
    expect(failureOf(stage)).toMatchObject({ kind: 'timeout', code: 'idle' })
    expect(stage.process.stops).toBeGreaterThan(0)
  })

  it('R31 a whole run has its own deadline', () => {
    const timeouts = { ...noTimeouts, totalMs: 500 }
    const profile = profileOf({ family: 'codex', api: null, endpoint: null, timeouts, cli: CLI })
    const clock = virtualClock(0)
    const stage = run({ profile, clock })
    clock.moveTo(500)
    expect(failureOf(stage)).toMatchObject({ kind: 'timeout', code: 'total' })
  })

  it('R30 leaving stops the process, and its exit is never classified', () => {
    const stage = run()
    stage.line('say a')
    stage.leave()
    expect(stage.process.stops).toBe(1)
    stage.line('say b')
    stage.exit(143)
    expect(stage.events.map((event) => event.type)).toEqual(['opened', 'text'])
    expect(stage.clock.pending).toBe(0)
  })

  it('contract 5: while the reader is full nothing is read, and that is no stall', () => {
    let resume: () => void = () => undefined
    const flow: Flow & { full: boolean } = {
      full: false,
      onDrain: (call) => {
        resume = call
      },
    }
    const stage = run({ flow })
    flow.full = true
    stage.line('say a')
    expect(stage.process.paused).toBe(true)
    stage.clock.moveTo(60_000)
    flow.full = false
    resume()
    expect(stage.process.paused).toBe(false)
    stage.line('over')
    stage.exit(0)
    expect(last(stage)?.type).toBe('final')
  })
})
