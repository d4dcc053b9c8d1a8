import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readScenario } from '../../src/simulate/scenario.ts'
import { mismatches, readTeamScenario, simulate, simulateTeam } from '../../src/testing.ts'
import { ROOT } from '../architecture/source.ts'

const EXAMPLES = 'docs/examples/'
const examples = readdirSync(ROOT + EXAMPLES)
const programs = examples.filter((name) => name.endsWith('.ts'))
const scenarios = examples.filter((name) => name.endsWith('.json'))
const texts = ['README.md', ...readdirSync(`${ROOT}docs`).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []))]
const read = (path: string) => readFileSync(ROOT + path, 'utf8')

/** The code of a Markdown text by the name of a file that it could be. */
function blocks(path: string, text: string): [string, string][] {
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code], index) => [
    `${ROOT}docs/${path.replaceAll('/', '-')}-${index + 1}.ts`,
    code ?? '',
  ])
}

/** What the compiler says against these files, which see the package as its users do. */
function typeFaults(files: ReadonlyMap<string, string>): string[] {
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile).config, ts.sys, ROOT)
  const door = {
    relevo: [`${ROOT}src/index.ts`],
    'relevo/testing': [`${ROOT}src/testing.ts`],
    'relevo/machines': [`${ROOT}machines/index.ts`],
    'relevo/host': [`${ROOT}src/host.ts`],
    'relevo/otel': [`${ROOT}src/otel.ts`],
    'relevo/ai-sdk': [`${ROOT}src/ai-sdk.ts`],
  }
  const settings = { ...options, paths: door, noUnusedLocals: false, noUnusedParameters: false }
  const host = ts.createCompilerHost(settings)
  const { readFile, fileExists } = host
  host.readFile = (path) => files.get(path) ?? readFile(path)
  host.fileExists = (path) => files.has(path) || fileExists(path)
  const program = ts.createProgram([...files.keys()], settings, host)
  // Only these files are checked: the sources have a step of their own.
  return [...files.keys()].flatMap((path) => {
    const source = program.getSourceFile(path)
    const faults = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    return faults.map(({ messageText }) => `${path.slice(ROOT.length)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
  })
}

/** The lines that an example says it prints: those of its `//> ` comments. */
const promised = (text: string): string[] => [...text.matchAll(/^\/\/>(.*)$/gm)].map(([, line = '']) => line.trim())

function played(document: unknown) {
  const made = readScenario(document)
  if ('problems' in made) throw new Error(JSON.stringify(made.problems))
  return simulate(made.scenario)
}

function playedTeam(document: unknown) {
  const made = readTeamScenario(document)
  if ('problems' in made) throw new Error(JSON.stringify(made.problems))
  return simulateTeam(made.scenario)
}

describe('examples', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('every example and every piece of code in the documents type-checks', { timeout: 120_000 }, () => {
    const files = new Map(texts.flatMap((path) => blocks(path, read(path))))
    expect(files.size).toBeGreaterThan(1)
    for (const name of programs) files.set(ROOT + EXAMPLES + name, read(EXAMPLES + name))
    // A planted fault shows that faults are seen.
    files.set(`${ROOT}docs/planted.ts`, "import { createKernel } from 'relevo'\ncreateKernel(7)\n")
    expect(typeFaults(files)).toEqual([expect.stringMatching(/^docs\/planted\.ts: Argument of type 'number'/)])
  })

  it.each(programs)('%s prints what it says it prints', async (name) => {
    const printed: string[] = []
    vi.spyOn(console, 'log').mockImplementation((...said: unknown[]) => void printed.push(said.map(String).join(' ').trim()))
    await import(ROOT + EXAMPLES + name)
    const lines = promised(read(EXAMPLES + name))
    expect(lines.length).toBeGreaterThan(0)
    expect(printed).toEqual(lines)
  })

  it.each(scenarios)('%s comes to what it expects', async (name) => {
    const document = JSON.parse(read(EXAMPLES + name))
    expect(document.expect).toBeDefined()
    const { trace, unscripted } = await (document.kind === 'team' ? playedTeam(document) : played(document))
    expect(mismatches(document.expect, JSON.parse(JSON.stringify(trace)))).toEqual([])
    expect(unscripted).toBe(false)
  })
})
