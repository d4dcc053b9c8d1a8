import { describe, expect, test } from 'vitest'
import {
  ConfigError,
  RefusedError,
  RelevoError,
  StreamInterruptedAfterOutput,
  TurnCancelledError,
  TurnError,
  TurnExhaustedError,
} from '../../src/runtime/errors.ts'
import { unstarted } from '../../src/runtime/outcome.ts'

const outcome = unstarted('config_error', null, { code: 'x', path: 'x', message: 'x', remedy: 'x' }, 0)
const TURN = [TurnExhaustedError, StreamInterruptedAfterOutput, TurnCancelledError, RefusedError]
const ALL = [RelevoError, ConfigError, TurnError, ...TURN]

describe('isInstance', () => {
  test.each(TURN)('of %o knows its own, and so do its bases; no sibling does', (Own) => {
    const error = new Own('code', 'message', outcome, undefined)
    expect(ALL.filter((Class) => Class.isInstance(error))).toEqual([RelevoError, TurnError, Own])
    expect(ALL.filter((Class) => error instanceof Class)).toEqual([RelevoError, TurnError, Own])
  })

  test('of a ConfigError likewise', () => {
    expect(ALL.filter((Class) => Class.isInstance(new ConfigError([])))).toEqual([RelevoError, ConfigError])
  })

  test('leaves nothing to see on the error', () => {
    expect(Object.keys(new ConfigError([])).sort()).toEqual(['code', 'name', 'problems'])
    expect(Object.getOwnPropertySymbols({ ...new ConfigError([]) })).toEqual([])
  })
})
