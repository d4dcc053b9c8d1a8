import { describe, expect, it } from 'vitest'
import type { Logger } from '../../src/runtime/log.ts'
import { bothLogs, logTo, silentLog } from '../../src/runtime/log.ts'
import { createLogger } from '../../src/runtime/pino-logger.ts'
import { rig, settle, watch } from './rig.ts'

/** A turn of three attempts, the last of which answers, written to a logger. */
async function logged(logger: Logger): Promise<void> {
  const { kernel, clock } = rig({
    ports: { logger },
    onAttempt: (attempt, n) => (n < 3 ? attempt.fail('server_error') : attempt.text('hello').final()),
  })
  const watched = watch(kernel, { id: 't1', sinks: ['event'] })
  for (let steps = 0; steps < 20 && watched.outcome === null; steps++) {
    await settle()
    if (watched.outcome === null) clock.step()
  }
  expect(watched.outcome?.kind).toBe('ok')
}

function pinoLines(level: 'debug' | 'warn' = 'debug') {
  const lines: Record<string, unknown>[] = []
  return { lines, logger: createLogger({ level, write: (line) => lines.push(JSON.parse(line)) }) }
}

/** The same shape without child loggers. */
function flatLines() {
  const lines: Record<string, unknown>[] = []
  const at = (level: string) => (fields: object, msg: string) => void lines.push(structuredClone({ level, ...fields, msg }))
  return { lines, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
}

const withoutTime = ({ time: _, ...line }: Record<string, unknown>) => line

describe('the lines of a turn', () => {
  it('carry the turn, and in an attempt its number and profile, once each', async () => {
    const lines: string[] = []
    await logged(createLogger({ level: 'debug', write: (line) => lines.push(line) }))
    const read = lines.map((line) => JSON.parse(line))
    expect(read.length).toBeGreaterThan(8)
    expect(read.every((line) => line.turn === 't1')).toBe(true)
    const ofAttempts = read.filter((line) => /^(attempt|output)\./.test(line.msg))
    expect([...new Set(ofAttempts.map(({ n, profile }) => `${n} ${profile}`))]).toEqual(['1 a.x', '2 b.y', '3 b.y'])
    // A key that a record has twice is lost in reading it.
    for (const line of lines.filter((_, index) => ofAttempts.includes(read[index]))) {
      for (const name of ['turn', 'n', 'profile']) expect(line.split(`"${name}":`)).toHaveLength(2)
    }
  })

  it('have the same fields from a logger with children and from one without', async () => {
    const [pino, flat] = [pinoLines(), flatLines()]
    await logged(pino.logger)
    await logged(flat.logger)
    const known = flat.lines.map((line) => JSON.parse(JSON.stringify(line)))
    expect(pino.lines.map(withoutTime)).toEqual(known)
  })

  it('name the participant and the caller whose turn it is', () => {
    for (const { lines, logger } of [pinoLines(), flatLines()]) {
      const log = logTo(logger).of({ participant: 'ann' }).of({ caller: 'web' })
      log.fact({ type: 'output.committed', turn: 't', at: 1, n: 1 })
      log.defect('t', null)
      expect(lines.map(({ turn, participant, caller, msg }) => ({ turn, participant, caller, msg }))).toEqual([
        { turn: 't', participant: 'ann', caller: 'web', msg: 'output.committed' },
        { turn: 't', participant: 'ann', caller: 'web', msg: 'turn.defect' },
      ])
    }
  })

  it('make one child logger a turn and one an attempt, and none where the level is off', async () => {
    const made: object[] = []
    const counting = (level: string): Logger => {
      const log = {
        debug() {},
        info() {},
        warn() {},
        error() {},
        isLevelEnabled: (asked: string) => asked === level,
        child(fields: object): Logger {
          made.push(fields)
          return log
        },
      }
      return log
    }
    await logged(counting('none'))
    expect(made).toEqual([])
    await logged(counting('debug'))
    expect(made).toEqual([{ turn: 't1' }, { n: 1, profile: 'a.x' }, { n: 2, profile: 'b.y' }, { n: 3, profile: 'b.y' }])
  })

  it('a failure names its profile although the line that told it is off', async () => {
    const { lines, logger } = pinoLines('warn')
    await logged(logger)
    expect(lines.map(({ msg, turn, n, profile, kind }) => ({ msg, turn, n, profile, kind }))).toEqual([
      { msg: 'attempt.failed', turn: 't1', n: 1, profile: 'a.x', kind: 'server_error' },
      { msg: 'attempt.failed', turn: 't1', n: 2, profile: 'b.y', kind: 'server_error' },
    ])
  })

  it('are lost without a trace where the logger throws, in its child too', async () => {
    const boom = () => {
      throw new Error('full')
    }
    await logged({ debug: boom, info: boom, warn: boom, error: boom })
    await logged({ debug: boom, info: boom, warn: boom, error: boom, child: boom, isLevelEnabled: boom })
  })
})

describe('two logs', () => {
  it('are told everything, also about a participant', () => {
    const told: string[] = []
    const log = (name: string): typeof silentLog => ({
      fact: ({ type }) => told.push(`${name} ${type}`),
      attemptFailed: (turn, n) => told.push(`${name} ${turn} ${n}`),
      listenerThrew: () => told.push(`${name} listener`),
      defect: (turn) => told.push(`${name} defect ${turn}`),
      of: ({ participant }) => log(`${name}/${participant}`),
    })
    const both = bothLogs(log('one'), bothLogs(silentLog, log('two')))
    both.fact({ type: 'output.committed', turn: 't', at: 1, n: 1 })
    both.attemptFailed('t', 1, { kind: 'network', phase: 'call', message: '', status: null, code: null, retryAfterMs: null, resetAt: null })
    both.listenerThrew(null)
    both.of({ participant: 'ann' }).defect('t', null)
    const each = ['output.committed', 't 1', 'listener', 'defect t']
    expect(told).toEqual(each.flatMap((what, index) => ['one', 'two'].map((name) => `${name}${index === 3 ? '/ann' : ''} ${what}`)))
  })
})
