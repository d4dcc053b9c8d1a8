import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mismatches } from '../../src/simulate/match.ts'
import { ROOT } from '../architecture/source.ts'
import { Console, folderOf } from './console.ts'

const CORPUS = join(ROOT, 'test/corpus/routing')
const files = readdirSync(CORPUS).sort()
const documents = files.flatMap((file) => JSON.parse(readFileSync(join(CORPUS, file), 'utf8')) as { id: string; expect: unknown }[])

const SCENARIO = {
  format: 1,
  kind: 'calls',
  id: 'own',
  config: { primary: 'a.x', profiles: { 'a.x': { model: 'm1', apiKey: 'k' } }, reliability: { providerRetries: 0 } },
  script: { 'a.x/m1': { call: [{ ok: 'hello' }] } },
  steps: [{ atMs: 0, turn: { id: 't1' } }],
}
const text = JSON.stringify

const TEAM = join(ROOT, 'test/corpus/team')
const teamFiles = readdirSync(TEAM).sort()
const teamDocuments = teamFiles.flatMap((file) => JSON.parse(readFileSync(join(TEAM, file), 'utf8')) as { id: string }[])

const A_TEAM = {
  format: 1,
  kind: 'team',
  id: 'team',
  participants: [{ id: 'ana', provider: 'claude' }],
  engines: { claude: [{ post: 'ok' }] },
  until: { turns: 1 },
}

describe('relevo simulate', () => {
  it('R13–R41 runs the whole routing corpus with --jsonl in one run, and every trace is as expected', async () => {
    const shell = new Console({ stdin: documents.map((document) => text(document)).join('\n') })
    expect(await shell.run('simulate', '--jsonl', '--expect')).toBe(0)
    expect(shell.err).toBe('')
    const traces = shell.json
    expect(traces.map(({ id }) => id)).toEqual(documents.map(({ id }) => id))
    const wrong = documents.filter((document, index) => mismatches(document.expect, traces[index]).length > 0)
    expect(wrong.map(({ id }) => id)).toEqual([])
  }, 60_000)

  it('takes many files, lists among them, and counts with --expect', async () => {
    const shell = new Console({ cwd: CORPUS })
    expect(await shell.run('simulate', '--expect', ...files)).toBe(0)
    expect(shell.outLines).toHaveLength(documents.length)
    expect(shell.err).toBe(`${documents.length} of ${documents.length} as expected\n`)
  }, 60_000)

  it('prints the trace of standard input', async () => {
    const shell = new Console({ stdin: text(SCENARIO) })
    expect(await shell.run('simulate', '-')).toBe(0)
    expect(shell.json).toMatchObject([
      { format: 1, id: 'own', turns: [{ id: 't1', outcome: { kind: 'ok', text: 'hello' } }], holds: {}, warnings: [] },
    ])
  })

  it('with --expect exits 1 and says path, expected and actual; the trace is printed all the same', async () => {
    const expected = { ...SCENARIO, expect: { turns: [{ outcome: { text: 'good bye', kind: 'ok' } }], holds: { 'a.x': { untilMs: 1 } } } }
    const cwd = folderOf({ 'one.json': text(expected) })
    const shell = new Console({ cwd })
    expect(await shell.run('simulate', 'one.json', '--expect')).toBe(1)
    expect(shell.errLines).toEqual([
      'one.json: turns[0].outcome.text: expected "good bye", is "hello"',
      'one.json: holds.a.x: expected {"untilMs":1}, is nothing',
      '0 of 1 as expected',
    ])
    expect(shell.json).toHaveLength(1)
    const unasked = new Console({ cwd })
    expect(await unasked.run('simulate', 'one.json')).toBe(0)
  })

  it('exits 1 when a call goes beyond its script', async () => {
    const shell = new Console({ stdin: text({ ...SCENARIO, script: {} }) })
    expect(await shell.run('simulate', '-')).toBe(1)
    expect(shell.json).toMatchObject([{ turns: [{ attempts: [{ unscripted: true }] }] }])
    expect(shell.err).toContain('beyond the end of its script')
  })

  it('one invalid document starts nothing: exit 2, a line with path and reason for each', async () => {
    const bad = { ...SCENARIO, steps: [{ atMs: -1, cancel: 't1' }], format: 2 }
    const cwd = folderOf({
      'good.json': text(SCENARIO),
      'list.json': text([SCENARIO, bad]),
      'broken.json': '{"format": 1,\n',
      'team.json': text({ kind: 'team' }),
    })
    const shell = new Console({ cwd })
    expect(await shell.run('simulate', 'good.json', 'list.json', 'broken.json', 'gone.json')).toBe(2)
    expect(shell.out).toBe('')
    const starts = shell.errLines.map((line) => /^error: (\S+(?: own)?: ?\S*)/.exec(line)?.[1])
    expect(starts).toEqual(expect.arrayContaining(['list.json[1] own: format:', 'gone.json: the']))
    expect(starts.some((start) => start?.startsWith('list.json[1] own: steps[0]'))).toBe(true)
    expect(starts.some((start) => start?.startsWith('broken.json:2:1:'))).toBe(true)
  })

  it.each([
    [{ steps: [{ atMs: 0, turn: { id: '' } }] }, 'steps[0].turn.id: '],
    [{ steps: [{ atMs: -1, turn: { id: 't1' } }] }, 'steps[0].atMs: '],
    [{ script: { 'a.x/m1': { call: [{ http: 429, heders: {} }] } } }, 'script["a.x/m1"].call[0]: Unrecognized key: "heders"'],
    [
      { script: { 'a.x/m1': { call: [{ okay: 'hi' }] } } },
      'script["a.x/m1"].call[0]: It has none of the forms that may stand here, each with one of ok, empty, length, refusal, http, network, timeout, pending. Correct it; docs/scenarios.md says what may stand where.',
    ],
    [{ steps: [{ atMs: 0, trun: { id: 't1' } }] }, 'steps[0]: It has none of the forms that may stand here, each with one of turn, cancel, advance'],
    [{ script: { 'a.x/m1': { stream: [{ events: [{ text: 7 }] }] } } }, 'script["a.x/m1"].stream[0].events[0].text: '],
    [{ steps: [{ atMs: 0, cancel: 't9' }] }, 'steps[0].cancel: no turn is named t9'],
    [{ confgi: {} }, '(document): Unrecognized key: "confgi"'],
  ])('names the place of a fault: %j', async (change, words) => {
    const shell = new Console({ stdin: text({ ...SCENARIO, ...change }) })
    expect(await shell.run('simulate', '-')).toBe(2)
    expect(shell.out).toBe('')
    expect(shell.errLines).toEqual([expect.stringContaining(`error: -: ${words}`)])
  })

  it('--jsonl goes on behind an invalid document and exits 1', async () => {
    const shell = new Console({ stdin: [text({ id: 'bad', format: 1 }), 'x', text(SCENARIO)].join('\n') })
    expect(await shell.run('simulate', '--jsonl')).toBe(1)
    expect(shell.json).toMatchObject([{ id: 'bad', error: { code: 'invalid_scenario', path: 'kind' } }, { id: null }, { id: 'own', turns: [{}] }])
  })

  it('T1–T23 runs the whole corpus of teams, as files and line by line, beside scenarios of the other kind', async () => {
    const shell = new Console({ cwd: TEAM })
    expect(await shell.run('simulate', '--expect', ...teamFiles)).toBe(0)
    expect(shell.err).toBe(`${teamDocuments.length} of ${teamDocuments.length} as expected\n`)
    const lines = new Console({ stdin: [...teamDocuments, SCENARIO].map((document) => text(document)).join('\n') })
    expect(await lines.run('simulate', '--jsonl', '--expect')).toBe(0)
    expect(lines.json.map(({ id }) => id)).toEqual([...teamDocuments.map(({ id }) => id), 'own'])
  }, 60_000)

  it.each([
    [{ participants: [{ id: 'ana', provider: 'claude', modle: 'x' }] }, 'participants[0]: Unrecognized key: "modle"'],
    [
      {
        participants: [
          { id: 'ana', provider: 'claude' },
          { id: 'ana', provider: 'codex' },
        ],
      },
      'participants[1].id: a second participant named ana',
    ],
    [{ picks: ['ana', 'zoe'] }, 'picks[1]: no participant is named zoe'],
    [{ steps: [{ atMs: 0, do: 'gate', participant: 'zoe' }] }, 'steps[0].participant: no participant is named zoe'],
    [{ steps: [{ atMs: 0, do: 'shout' }] }, 'steps[0].do: '],
    [{ installed: [] }, 'installed: no participant has an engine on this machine'],
    [{ zone: 'Mars/Base' }, 'zone: It is no time zone that is known here'],
    [{ engines: { 'a.x': [{ raw: { stdout: 'x' } }] } }, 'engines["a.x"][0].raw: a.x is no program whose output can be read'],
    [
      { engines: { claude: [{ psot: 'x' }] } },
      'engines.claude[0]: It has none of the forms that may stand here, each with one of post, limit, network',
    ],
    [{ until: { turns: 0 } }, 'until.turns: '],
    [{ settings: { sleepSliceMs: 0 } }, 'settings.sleepSliceMs: '],
  ])('names the place of a fault in a team: %j', async (change, words) => {
    const shell = new Console({ stdin: text({ ...A_TEAM, ...change }) })
    expect(await shell.run('simulate', '-')).toBe(2)
    expect(shell.out).toBe('')
    expect(shell.errLines).toEqual([expect.stringContaining(`error: -: ${words}`)])
  })

  it('a note may stand anywhere in a team, and a profile may be named like one', async () => {
    const noted = {
      ...A_TEAM,
      'x-a': 1,
      participants: [{ id: 'ana', provider: 'x-ai.main', 'x-b': 2 }],
      engines: { 'x-ai.main': [{ post: 'ok', 'x-c': 3 }] },
    }
    const shell = new Console({ stdin: text(noted) })
    expect(await shell.run('simulate', '-')).toBe(0)
    expect(shell.json).toMatchObject([{ turns: [{ engine: 'x-ai.main', result: 'posted' }] }])
  })

  it('a call on an engine without a script ends a team and exits 1', async () => {
    const shell = new Console({ stdin: text({ ...A_TEAM, engines: {} }) })
    expect(await shell.run('simulate', '-')).toBe(1)
    expect(shell.json).toMatchObject([{ turns: [{ result: null, unscripted: true }], end: { state: 'running', reason: 'unscripted' } }])
    expect(shell.err).toContain('beyond the end of its script')
  })

  it('a document that says that it is invalid is as expected: alone it is refused, beside others it is counted', async () => {
    const refused = { ...A_TEAM, id: 'refused', installed: [], expect: { exit: 2 } }
    const valid = { ...A_TEAM, id: 'valid', expect: { iterations: 1 } }
    const alone = new Console({ stdin: text(refused) })
    expect(await alone.run('simulate', '--expect', '-')).toBe(2)
    const beside = new Console({ stdin: text([refused, valid]) })
    expect(await beside.run('simulate', '--expect', '-')).toBe(0)
    expect(beside.err).toBe('2 of 2 as expected\n')
    const unasked = new Console({ stdin: text([refused, valid]) })
    expect(await unasked.run('simulate', '-')).toBe(2)
    const lines = new Console({ stdin: [refused, valid].map((each) => text(each)).join('\n') })
    expect(await lines.run('simulate', '--jsonl', '--expect')).toBe(0)
    expect(lines.json).toMatchObject([{ id: 'refused', error: { code: 'invalid_scenario', path: 'installed' } }, { id: 'valid' }])
    const wrong = new Console({ stdin: text({ ...valid, expect: { exit: 2 } }) })
    expect(await wrong.run('simulate', '--expect', '-')).toBe(1)
    expect(wrong.errLines[0]).toBe('-: exit: expected 2, is nothing')
  })

  it('without a file says what to give', async () => {
    const shell = new Console()
    expect(await shell.run('simulate')).toBe(2)
    expect(shell.errLines).toHaveLength(1)
  })
})
