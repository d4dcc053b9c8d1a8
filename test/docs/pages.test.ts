import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EXIT } from '../../src/faces/cli/problems.ts'
import { FAILURE_KINDS } from '../../src/model/failure.ts'
import { disposition } from '../../src/policy/disposition.ts'
import { ROOT } from '../architecture/source.ts'

const pages = readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' }).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []))
const read = (path: string) => readFileSync(ROOT + path, 'utf8')

/** Links of a page to files, as paths from the root. */
function links(page: string, text: string): string[] {
  return [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => join(dirname(page), path))
}

/** Files and folders of the tree that a page names in code. */
const named = (text: string): string[] => [...text.matchAll(/`((?:src|test|machines|docs)(?:\/[\w.-]+)+)`/g)].map(([, path = '']) => path)

describe('the pages of docs/', () => {
  it.each(pages)('%s links to and names only what exists', (page) => {
    const text = read(page)
    expect([...links(page, text), ...named(text)].filter((path) => !existsSync(ROOT + path))).toEqual([])
  })

  it('would notice a page that is not there', () => {
    const text = '[a](gone.md), `src/gone.ts` and [b](https://example.org/x.md)'
    expect([...links('docs/page.md', text), ...named(text)]).toEqual(['docs/gone.md', 'src/gone.ts'])
  })

  it('R17 operating.md gives every kind of failure the disposition that it has', () => {
    const rows = [...read('docs/operating.md').matchAll(/^\| ((?:`\w+`(?:, )?)+) \| `(retry|hold|advance|shorten|stop)` \|/gm)]
    const told = rows.flatMap(([, kinds = '', word = '']) => [...kinds.matchAll(/`(\w+)`/g)].map(([, kind = '']) => [kind, word]))
    expect(told.sort()).toEqual(FAILURE_KINDS.map((kind) => [kind, disposition(kind)]).sort())
  })

  it('R1 R41 T1 T23 rules.md has a line for every rule', () => {
    const told = [...read('docs/rules.md').matchAll(/^\| ([RT]\d+) \|/gm)].map(([, rule]) => rule)
    const every = (letter: string, count: number) => Array.from({ length: count }, (_, at) => `${letter}${at + 1}`)
    expect(told).toEqual([...every('R', 41), ...every('T', 23)])
  })

  it('R36 embedding.md names every event of a turn that carries content, so that nobody takes it for a fact', () => {
    const [facts = '', content = ''] = read('src/model/turn-event.ts').split('export type TurnContent')
    const types = (text: string) => [...text.matchAll(/readonly type: '([\w.]+)'/g)].map(([, type = '']) => type)
    const [page = '', passed = ''] = read('docs/embedding.md').split('## Passing a stream through')
    const rows = [...page.matchAll(/^\| ((?:`[\w.]+`(?:, )?)+) \| [^|]+ \| [^|]+ \|$/gm)]
    const told = rows.flatMap(([, names = '']) => [...names.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name))
    const inPassing = ['bytes', 'ending']
    for (const name of inPassing) expect(passed).toContain(`\`${name}\``)
    // The end brings the outcome to the host, and the answer with it.
    const bringing = types(facts).filter((type) => facts.includes(`'${type}'; readonly turn: string; readonly at: number; readonly outcome`))
    expect(bringing).toEqual(['turn.ended'])
    expect(told).toEqual(expect.arrayContaining([...types(content).filter((type) => !inPassing.includes(type)), ...bringing]))
  })

  it('operating.md lists every exit code', () => {
    const section = read('docs/operating.md').split('## Exit codes')[1] ?? ''
    expect([...section.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))).toEqual(Object.values(EXIT))
  })
})
