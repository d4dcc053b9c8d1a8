import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importsOf, ROOT } from '../../architecture/source.ts'

/** What a built door loads, chunks included: files by path, and packages. The package is read as a user gets it (`npm run build`). */
function loadedBy(door: string, read: (path: string) => string = (path) => readFileSync(ROOT + path, 'utf8')) {
  const packages = new Set<string>()
  const files = new Map<string, string>()
  const visit = (path: string): void => {
    if (files.has(path)) return
    files.set(path, read(path))
    for (const { specifier } of importsOf(path, files.get(path) ?? '')) {
      if (specifier.startsWith('.')) visit(join(dirname(path), specifier))
      else packages.add(specifier)
    }
  }
  visit(door)
  return { packages: [...packages], files }
}

const isAiSdk = (specifier: string): boolean => /^(?:ai|@ai-sdk\/.*)$/.test(specifier)

describe('the package', () => {
  it.each(['index', 'machines', 'testing', 'host', 'cli', 'ai-sdk'])('dist/%s.js loads nothing of the AI SDK', (door) => {
    const { packages } = loadedBy(`dist/${door}.js`)
    expect(packages).not.toEqual([])
    expect(packages.filter(isAiSdk)).toEqual([])
  })

  it('a door that loads it, be it in a chunk, is noticed', () => {
    const files: Readonly<Record<string, string>> = {
      'dist/door.js': "import './chunk.js'\n",
      'dist/chunk.js': "import { streamText } from 'ai'\nexport {}\n",
    }
    expect(loadedBy('dist/door.js', (path) => files[path] ?? '').packages.filter(isAiSdk)).toEqual(['ai'])
  })

  it('the core door knows nothing of this face either', () => {
    const own = /vercel\.ai|relevoModel|guardedFetch/
    const having = (door: string) => [...loadedBy(door).files].filter(([, text]) => own.test(text)).map(([path]) => path)
    expect(having('dist/index.js')).toEqual([])
    expect(having('dist/ai-sdk.js')).toEqual(['dist/ai-sdk.js'])
  })

  it('the types name no package but the optional peer', () => {
    const named = [...readFileSync(`${ROOT}dist/ai-sdk.d.ts`, 'utf8').matchAll(/from ["'](@ai-sdk\/[^"']+|ai)["']/g)].map(([, name]) => name)
    expect(new Set(named)).toEqual(new Set(['@ai-sdk/provider']))
  })

  it('dist/ai-sdk.js works by itself', async () => {
    const [door, core] = await Promise.all(['ai-sdk', 'index'].map((name) => import(`${ROOT}dist/${name}.js`)))
    const kernel = core.createKernel({ primary: 'ollama.x', profiles: { 'ollama.x': { model: 'm' } } })
    expect(door.relevoModel(kernel).specificationVersion).toBe('v3')
    expect(typeof door.fromAiSdk(() => null).attempt).toBe('function')
    await kernel.stop()
  })
})
