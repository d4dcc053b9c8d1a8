import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { mismatches } from '../../src/simulate/match.ts'
import { ROOT } from '../architecture/source.ts'
import { Console, folderOf, GOOD, KEY } from './console.ts'

async function plan(argv: string[], options: { stdin?: string; settings?: string } = {}) {
  const cwd = folderOf({ 'relevo.yaml': options.settings ?? GOOD })
  const shell = new Console({ cwd, env: KEY, stdin: options.stdin ?? '' })
  return { code: await shell.run('plan', ...argv), shell }
}

interface PlanCase {
  readonly id: string
  readonly config: unknown
  readonly ask: unknown
  readonly expect: Readonly<Record<string, unknown>>
}

describe('relevo plan', () => {
  it('--json is the object of the contract, key by key', async () => {
    const { code, shell } = await plan(['--json'])
    expect([code, shell.err]).toEqual([0, ''])
    expect(shell.json).toEqual([
      {
        target: 'a.x',
        requested: { profile: 'a.x', model: 'm1' },
        entries: [
          { profile: 'a.x', model: 'm1', pinned: true, hold: 'a.x', heldUntil: null, skip: null },
          { profile: 'b.y', model: null, pinned: false, hold: 'b.y', heldUntil: null, skip: 'no_streaming' },
        ],
        allow: null,
        warnings: [],
      },
    ])
  })

  it('R7 follows a hint, and without --json shows a table', async () => {
    const { code, shell } = await plan(['hint:other'])
    expect(code).toBe(0)
    expect(shell.outLines).toEqual([
      'requested  b.y/m9',
      'target     b.y',
      'allowed    every profile of the plan',
      '',
      '#  entry  model     hold  held  at the first attempt',
      '1  b.y/*  sends m9  b.y   free  passed over: it does not stream; it is asked if the stream fails',
    ])
  })

  it('R9 says that a hint is unknown', async () => {
    const { code, shell } = await plan(['hint:nope', '--json'])
    expect(code).toBe(0)
    expect(shell.json).toMatchObject([{ requested: { model: 'hint:nope' }, warnings: [{ code: 'unknown_hint', path: 'model' }] }])
    expect(shell.errLines).toEqual([expect.stringMatching(/^warning: model: hint:nope .*\(unknown_hint\)/)])
  })

  it('R24 --tools shows who takes none', async () => {
    const settings = GOOD.replace('model: m1,', 'model: m1, capabilities: { toolEvents: false },')
    const { shell } = await plan(['--json', '--tools'], { settings })
    expect(shell.json).toMatchObject([{ entries: [{ skip: 'no_tool_events' }, { skip: 'no_streaming' }] }])
  })

  it('R37 --effort lets a prompt pick the route', async () => {
    const settings = `${GOOD}  - { hint: near, modelProvider: local.l, model: lm }
effortRouting: { localHint: near, cloudHint: other, escalation: auto }
`.replace('profiles:', 'profiles:\n  local.l: { model: lm, zone: local, api: openai-chat, endpoint: "http://127.0.0.1:1/v1" }')
    const simple = await plan(['--json', '--effort', 'hi'], { settings })
    expect(simple.shell.json).toMatchObject([{ target: 'local.l', allow: ['local.l'] }])
    const complex = await plan(['--json', '--effort', 'x'.repeat(201)], { settings })
    expect(complex.shell.json).toMatchObject([{ target: 'b.y', allow: null }])
  })

  it('a refused hint and settings that cannot be used exit 2, a line each on stderr', async () => {
    const refused = await plan(['hint:nope'], { settings: `${GOOD}unknownHint: reject\n` })
    expect([refused.code, refused.shell.out]).toEqual([2, ''])
    expect(refused.shell.errLines).toEqual([expect.stringMatching(/^error: model: .*\(unknown_hint\) .+/)])
    const broken = await plan([], { settings: 'primary: a.x\nprofile: {}\n' })
    expect(broken.code).toBe(2)
    expect(broken.shell.out).toBe('')
    expect(broken.shell.errLines.every((line) => /^error: .*relevo\.yaml: \S+: .+/.test(line))).toBe(true)
  })
})

describe('relevo plan --jsonl', () => {
  it('answers the plans corpus in one run, a line for a line', async () => {
    const cases = JSON.parse(readFileSync(`${ROOT}test/corpus/plans/plans.json`, 'utf8')) as PlanCase[]
    const { code, shell } = await plan(['--jsonl'], { stdin: cases.map(({ id, config, ask }) => JSON.stringify({ id, config, ask })).join('\n') })
    const answers = shell.json
    expect(answers.map(({ id }) => id)).toEqual(cases.map(({ id }) => id))
    for (const [index, each] of cases.entries())
      expect({ id: each.id, found: mismatches(each.expect, answers[index]) }).toEqual({ id: each.id, found: [] })
    const refused = cases.filter((each) => 'error' in each.expect).length
    expect(refused).toBeGreaterThan(0)
    expect(answers.filter((answer) => 'error' in answer)).toHaveLength(refused)
    expect([code, shell.errLines.length]).toEqual([1, refused])
  })

  it('never stops at a bad line, and an error line holds code and path only', async () => {
    const good = { id: 'good', config: { primary: 'a.x', profiles: { 'a.x': { model: 'm1', apiKey: 'k' } } } }
    const lines = ['{"id": 1', '[]', '{"id": "no config"}', JSON.stringify({ ...good, ask: { model: 7 } }), '', JSON.stringify(good)]
    const { code, shell } = await plan(['--jsonl'], { stdin: `${lines.join('\r\n')}` })
    expect(shell.json).toMatchObject([
      { id: null, error: { code: 'invalid_json', path: '' } },
      { id: null, error: { code: 'invalid_json', path: '' } },
      { id: 'no config', error: { code: 'invalid_line', path: 'config' } },
      { id: 'good', error: { code: 'invalid_line', path: 'ask.model' } },
      { id: 'good', target: 'a.x' },
    ])
    expect(Object.keys(shell.json[2]?.['error'] as object)).toEqual(['code', 'path'])
    expect(code).toBe(1)
  })
})
