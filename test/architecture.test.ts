import { readdirSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { importCycles } from './architecture/cycles.ts'
import type { Manifest } from './architecture/frame.ts'
import { dependenciesAreDecided, exactVersions, runtimeDependencies, topLevel } from './architecture/frame.ts'
import { FILE_LINES, FUNCTION_LINES, fileLength, functionLength } from './architecture/length.ts'
import { fileNames, importSpelling } from './architecture/names.ts'
import { purity } from './architecture/purity.ts'
import { engineFoldersStandAlone, facesUseTheDoors, importDirections, packagesByRoom } from './architecture/rooms.ts'
import type { Finding, Tree } from './architecture/source.ts'
import { ROOT, readTree } from './architecture/source.ts'

const product = readTree(['src', 'machines'])
const everything = readTree(['src', 'machines', 'test'])
const manifest: Manifest = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))

/** What the root folder holds, without what .gitignore names (a folder, a file, or `*.ending`) and git itself. */
function rootEntries(): string[] {
  const ignored = readFileSync(`${ROOT}.gitignore`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/\/$/, ''))
  const isIgnored = (entry: string): boolean => ignored.some((name) => (name.startsWith('*.') ? entry.endsWith(name.slice(1)) : entry === name))
  return readdirSync(ROOT).filter((entry) => !isIgnored(entry))
}

function decisions(): Tree {
  const folder = 'docs/decisions'
  return new Map(readdirSync(ROOT + folder).map((name) => [`${folder}/${name}`, readFileSync(`${ROOT}${folder}/${name}`, 'utf8')]))
}

/** Fails with one line per finding: file, line and what to do. */
function expectNone(findings: readonly Finding[]): void {
  expect(findings.map(({ file, line, message }) => `${file}:${line} ${message}`)).toEqual([])
}

function expectCaught(findings: readonly Finding[], ...expected: [file: string, line: number, words: string][]): void {
  expect(findings.map(({ file, line }) => [file, line])).toEqual(expected.map(([file, line]) => [file, line]))
  for (const [index, [, , words]] of expected.entries()) expect(findings[index]?.message).toContain(words)
}

const tree = (files: Record<string, string>): Tree => new Map(Object.entries(files))
const functionOf = (lines: number) => `export function long() {\n${'  work()\n'.repeat(lines - 2)}}\n`

describe('the tree as it is', () => {
  it('has rooms to look at', () => {
    expect(product.size).toBeGreaterThan(10)
    expect(statSync(`${ROOT}src/model`).isDirectory()).toBe(true)
  })
  it('imports go down the house, type imports included', () => expectNone(importDirections(product)))
  it('faces import only the doors and their own folder', () => expectNone(facesUseTheDoors(product)))
  it('each room uses only its packages; undici and child processes stay with the engines', () => expectNone(packagesByRoom(product)))
  it('a protocol or coding-agent CLI imports no sibling', () => expectNone(engineFoldersStandAlone(product)))
  it('no import cycle, type imports included', () => expectNone(importCycles(product)))
  it('pure rooms read no clock, chance, environment, console or network', () => expectNone(purity(product)))
  it('no index.ts but the doors, no grab-bag file', () => expectNone(fileNames(everything)))
  it('relative imports name the file with its extension', () => expectNone(importSpelling(everything)))
  it(`files have at most ${FILE_LINES} lines`, () => expectNone(fileLength(everything)))
  it(`functions have at most ${FUNCTION_LINES} lines of code`, () => expectNone(functionLength(product)))
  it('the top level is the list of the house', () => expectNone(topLevel(rootEntries())))
})

describe('the packages', () => {
  it('versions are exact and each peer is installed here', () => expectNone(exactVersions(manifest)))
  it('fewer than ten direct runtime dependencies', () => expectNone(runtimeDependencies(manifest)))
  it('every dependency has its row in docs/decisions, with the version in use', () => expectNone(dependenciesAreDecided(manifest, decisions())))
})

describe('each rule catches a planted violation and lets the right thing pass', () => {
  it('import directions', () => {
    const planted = tree({
      'src/policy/select.ts': "import { a } from '../model/a.ts'\nimport type { Kernel } from '../runtime/kernel.ts'\n",
      'src/model/a.ts': "export type { P } from '../plan/p.ts'\n",
      'src/plan/p.ts': "export type P = import('../policy/select.ts').P\nimport { c } from '../config/c.ts'\n",
      'machines/turn.ts': "import { select } from '../src/policy/select.ts'\nconst later = () => import('../src/engines/contract.ts')\n",
      'src/runtime/kernel.ts': "import { createKernel } from '../index.ts'\nimport { turnMachine } from '../../machines/turn.ts'\n",
      'src/misc/odd.ts': "import { a } from '../model/a.ts'\n",
      'src/index.ts': "export { main } from './faces/cli/main.ts'\nexport { kernel } from './runtime/kernel.ts'\n",
      'src/ai-sdk.ts': "export { model } from './faces/ai-sdk/model.ts'\nexport { main } from './faces/cli/main.ts'\n",
    })
    expectCaught(
      importDirections(planted),
      ['src/policy/select.ts', 2, 'policy may import model'],
      ['src/model/a.ts', 1, 'model may import nothing'],
      ['src/plan/p.ts', 1, 'plan may import model, config'],
      ['machines/turn.ts', 2, 'machines may import model, policy'],
      ['src/runtime/kernel.ts', 1, 'runtime may import'],
      ['src/misc/odd.ts', 1, 'no room of the house'],
      ['src/index.ts', 1, 'door may import'],
      ['src/ai-sdk.ts', 2, 'door may import'],
    )
  })

  it('faces and doors', () => {
    const planted = tree({
      'src/faces/demo/demo.ts':
        "import { createKernel } from '../../index.ts'\nimport { plan } from '../../plan/plan.ts'\nimport './timeline.ts'\nimport '../cli/main.ts'\n",
      'src/faces/cli/main.ts': "import { demo } from '../demo/demo.ts'\nimport { load } from '../../config/load.ts'\n",
    })
    expectCaught(
      facesUseTheDoors(planted),
      ['src/faces/demo/demo.ts', 2, 'not src/plan/plan.ts'],
      ['src/faces/demo/demo.ts', 4, 'not src/faces/cli/main.ts'],
      ['src/faces/cli/main.ts', 2, 'not src/config/load.ts'],
    )
  })

  it('packages by room', () => {
    const planted = tree({
      'src/policy/retry.ts': "import { z } from 'zod'\n",
      'src/runtime/kernel.ts': "import { request } from 'undici'\nimport { setTimeout } from 'node:timers'\n",
      'src/faces/cli/edit.ts': "import { spawn } from 'node:child_process'\nimport { Command } from 'commander'\n",
      'src/engines/http/exchange.ts': "import { request } from 'undici'\n",
      'src/config/file.ts': "import { parse } from 'yaml'\n",
    })
    expectCaught(
      packagesByRoom(planted),
      ['src/policy/retry.ts', 1, 'not zod'],
      ['src/runtime/kernel.ts', 1, 'not undici'],
      ['src/faces/cli/edit.ts', 1, 'not node:child_process'],
    )
  })

  it('engine folders', () => {
    const planted = tree({
      'src/engines/http/openai-chat/decode.ts':
        "import type { Event } from '../anthropic-messages/decode.ts'\nimport { lines } from '../lines.ts'\nimport './usage.ts'\n",
      'src/engines/cli/codex/read.ts': "import { read } from '../claude/read.ts'\n",
    })
    expectCaught(
      engineFoldersStandAlone(planted),
      ['src/engines/http/openai-chat/decode.ts', 1, 'src/engines/http/anthropic-messages'],
      ['src/engines/cli/codex/read.ts', 1, 'src/engines/cli/claude'],
    )
  })

  it('cycles', () => {
    const planted = tree({
      'src/model/a.ts': "import type { B } from './b.ts'\n",
      'src/model/b.ts': "import { c } from './c.ts'\n",
      'src/model/c.ts': "import { d } from './d.ts'\nimport type { A } from './a.ts'\n",
      'src/model/d.ts': '',
      'src/model/e.ts': "import { d } from './d.ts'\nimport { c } from './c.ts'\n",
    })
    expectCaught(importCycles(planted), ['src/model/c.ts', 2, 'src/model/a.ts → src/model/b.ts → src/model/c.ts → src/model/a.ts'])
  })

  it('purity', () => {
    const effects = [
      'Date.now()',
      'new Date()',
      'Date()',
      'Math.random()',
      'setTimeout(f, 1)',
      'process.env.A',
      "console.log('x')",
      'fetch(url)',
      '({ performance })',
    ]
    const caught = effects.map((effect, index) => {
      const [finding] = purity(tree({ 'machines/turn.ts': `// first line\nconst a${index} = ${effect}\n` }))
      return finding?.line === 2
    })
    expect(caught).toEqual(effects.map(() => true))
    expectCaught(purity(tree({ 'src/model/a.ts': "import { readFileSync } from 'fs'\n" })), ['src/model/a.ts', 1, 'may not import fs'])
    const innocent =
      'const at = new Date(now).toISOString()\nconst b = step.process\nconst c = { fetch: 1 }\nconst d = (process: number) => process + Date.UTC(2026, 0)\n'
    expect(purity(tree({ 'src/policy/a.ts': innocent, 'src/runtime/clock.ts': 'const now = Date.now()\n' }))).toEqual([])
  })

  it('lengths', () => {
    const long = tree({
      'src/model/long.ts': `${'\n'.repeat(FILE_LINES - 1)}export const last = 1\nexport const more = 2\n`,
      'src/policy/long.ts': `const first = 1\n${functionOf(FUNCTION_LINES + 1)}`,
      'src/policy/arrow.ts': `const arrow = () => {\n${'  work()\n'.repeat(FUNCTION_LINES)}}\n`,
    })
    expectCaught(fileLength(long), ['src/model/long.ts', FILE_LINES + 1, `${FILE_LINES + 1} lines`])
    expectCaught(functionLength(long), ['src/policy/long.ts', 2, 'long has 61 lines'], ['src/policy/arrow.ts', 1, 'arrow has 62 lines'])
    const explained = `export function fits() {\n${'  // why\n\n'.repeat(50)}${'  work()\n'.repeat(FUNCTION_LINES - 2)}}\n`
    expect(functionLength(tree({ 'src/policy/a.ts': explained, 'src/policy/b.ts': functionOf(FUNCTION_LINES) }))).toEqual([])
  })

  it('names', () => {
    const planted = tree({
      'src/index.ts': '',
      'machines/index.ts': '',
      'src/policy/index.ts': '',
      'src/engines/http/utils.ts': '',
      'test/types.ts': '',
    })
    expectCaught(
      fileNames(planted),
      ['src/policy/index.ts', 1, 'index.ts is for the doors'],
      ['src/engines/http/utils.ts', 1, 'utils.ts'],
      ['test/types.ts', 1, 'types.ts'],
    )
    expectCaught(
      importSpelling(tree({ 'src/model/a.ts': "import './b.ts'\nimport './c'\nimport './d.js'\n" })),
      ['src/model/a.ts', 2, './c'],
      ['src/model/a.ts', 3, './d.js'],
    )
  })

  it('top level', () => {
    expectCaught(topLevel(['src', '.ci', 'LICENSE', 'scripts', 'biome.json']), ['scripts', 1, 'top level'], ['biome.json', 1, 'dot-file'])
  })

  it('versions', () => {
    const planted: Manifest = {
      dependencies: { zod: '^4.6.7', yaml: '2.9.1' },
      devDependencies: { rxjs: '7.8.2', 'zod-v3': 'npm:zod@^3.25.0', '@scope/second': 'npm:@scope/first@1.2.3' },
      peerDependencies: { rxjs: '^7.8.2', xstate: '^5.33.3' },
    }
    expectCaught(
      exactVersions(planted),
      ['package.json', 1, 'zod is "^4.6.7"'],
      ['package.json', 1, 'zod-v3 is "npm:zod@^3.25.0"'],
      ['package.json', 1, 'peer xstate'],
    )
    const ten = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`package-${index}`, '1.0.0']))
    expectCaught(runtimeDependencies({ dependencies: ten }), ['package.json', 1, '10 runtime dependencies'])
  })

  it('decisions', () => {
    const written = tree({ 'docs/decisions/0002.md': '# Dependencies\n| `zod` | 4.6.6 | why |\n| `gone` | 1.0.0 | why |\n' })
    expectCaught(
      dependenciesAreDecided({ dependencies: { zod: '4.6.7' }, devDependencies: { knip: '6.44.2' } }, written),
      ['docs/decisions/0002.md', 2, 'says zod 4.6.6'],
      ['package.json', 1, 'knip has no row'],
      ['docs/decisions/0002.md', 3, 'gone is no dependency'],
    )
  })
})
