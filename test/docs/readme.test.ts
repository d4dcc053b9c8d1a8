import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../architecture/source.ts'

const read = (path: string) => readFileSync(ROOT + path, 'utf8')
const readme = read('README.md')
const scripts: Readonly<Record<string, string>> = JSON.parse(read('package.json')).scripts

/** Lines of the shell blocks of a Markdown text. */
function shellLines(text: string): string[] {
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block]) => (block ?? '').trim().split('\n'))
}

describe('the README keeps its word', () => {
  it('begins with two commands: the demo and the tests', () => {
    expect(shellLines(readme).slice(0, 2)).toEqual(['npm ci && npm start', 'npm ci && npm test'])
  })

  it('.ci/run ends with the README test command, and nothing comes after its summary', () => {
    expect(read('.ci/run').trimEnd().split('\n').at(-1)).toBe(shellLines(readme)[1])
  })

  it('names only scripts that exist', () => {
    const named = [...readme.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? '')
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
  })

  it('links only to files that exist', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path]) => path ?? '')
    for (const path of links) expect(() => readFileSync(ROOT + path), path).not.toThrow(/ENOENT/)
  })
})
