import { describe, expect, it } from 'vitest'
import { setup } from 'xstate'
import { turnMachine } from '../../machines/index.ts'
import { chartOf, charts } from '../../src/faces/charts/chart.ts'
import { Console } from './console.ts'

async function drawn(...argv: string[]) {
  const shell = new Console()
  return { code: await shell.run('machines', ...argv), shell }
}

const unescaped = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))

describe('relevo machines', () => {
  it('knows every chart', () => {
    expect(charts().map(({ name, states, edges }) => [name, states.length > 3, edges.length > 3])).toEqual(
      ['turn', 'stream', 'engine', 'supervisor', 'team'].map((name) => [name, true, true]),
    )
  })

  it('has the edges that are taken at once and those from any state, which a directed graph of XState leaves out', () => {
    const turn = chartOf(turnMachine)
    expect(turn.edges).toContainEqual({ from: 'recovering', to: 'selecting', event: null, guard: null, actions: [], label: 'always' })
    expect(turn.edges).toContainEqual({ from: 'selecting', to: 'exhausted', event: null, guard: null, actions: [], label: 'otherwise' })
    expect(turn.edges).toContainEqual(expect.objectContaining({ from: null, to: 'cancelled', event: 'turn.cancel' }))
  })

  it('counts as many edges as the machine itself has transitions', () => {
    const ofNode = (node: typeof turnMachine.root): number => [...node.transitions.values()].flat().length + (node.always?.length ?? 0)
    const { root } = turnMachine
    const all = ofNode(root) + Object.values(root.states).reduce((sum, node) => sum + ofNode(node as typeof root), 0)
    expect(chartOf(turnMachine).edges).toHaveLength(all)
  })

  it('refuses what it could only draw wrong: nested states and implementations without a name', () => {
    const nested = setup({}).createMachine({ id: 'nested', initial: 'a', states: { a: { initial: 'b', states: { b: {} } } } })
    expect(() => chartOf(nested)).toThrow('nested.a')
    const anonymous = setup({}).createMachine({ id: 'anonymous', initial: 'a', states: { a: { entry: () => {} } } })
    expect(() => chartOf(anonymous)).toThrow(/name/)
  })

  it.each(charts().map((chart) => [chart.name, chart] as const))('%s: mermaid, svg and json hold every state and every edge', async (name, chart) => {
    const mermaid = await drawn(name)
    const svg = await drawn(name, '--format', 'svg')
    const json = await drawn(name, '--format', 'json')
    expect([mermaid.code, svg.code, json.code]).toEqual([0, 0, 0])
    expect(JSON.parse(json.shell.out)).toEqual(chart)
    const lines = mermaid.shell.outLines.map((line) => line.trim())
    const texts = [...svg.shell.out.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => unescaped(text ?? ''))
    for (const state of chart.states) expect(texts).toContain(state.name)
    for (const edge of chart.edges) {
      expect(lines).toContain(`${edge.from ?? 'any_state'} --> ${edge.to ?? 'any_state'} : ${edge.label}`)
      expect(texts).toContain(edge.label)
    }
    expect(texts.filter((text) => chart.edges.some((edge) => edge.label === text))).toHaveLength(chart.edges.length)
  })

  it('an svg keeps its labels apart: no two texts of a chart share a line', async () => {
    const { shell } = await drawn('turn', '--format', 'svg')
    const places = [...shell.out.matchAll(/<text[^>]* x="([\d.]+)" y="([\d.]+)"/g)].map(([, x, y]) => `${x} ${y}`)
    expect(new Set(places).size).toBe(places.length)
  })

  it('without a name draws all of them, as one document where the format has documents', async () => {
    const svg = (await drawn('--format', 'svg')).shell.out
    expect(svg.match(/<svg /g)).toHaveLength(1)
    const json = JSON.parse((await drawn('--format', 'json')).shell.out)
    expect(json).toEqual(charts())
    expect((await drawn()).shell.out.match(/^stateDiagram-v2$/gm)).toHaveLength(5)
  })

  it.each([
    [['nope'], 'turn, stream, engine, supervisor, team'],
    [['--format', 'png'], 'mermaid, svg, json'],
  ])('%j exits 2 and says what there is', async (argv, words) => {
    const { code, shell } = await drawn(...argv)
    expect([code, shell.out]).toEqual([2, ''])
    expect(shell.errLines).toEqual([expect.stringContaining(words)])
  })
})
