import fc from 'fast-check'
import { expect, test } from 'vitest'
import { teamMachine } from '../../machines/team.ts'
import { EdgeRecorder, edgeName, edgesOf, statesOf } from '../machines/edges.ts'
import { PRODUCT } from './product.ts'
import { teamProperty } from './property.ts'

const RUNS = 400
const KINDS = 'post limit outage crash silence wait done gate approve message pause resume stop start restart suspend clock advance wake'.split(' ')

test(`T1–T23 whatever is done to a team, it does what a reader of the rules says: ${RUNS} runs, through every state and edge`, () => {
  const recorder = new EdgeRecorder()
  const carried = new Map<string, number>()
  const onCommand = (kind: string): void => void carried.set(kind, (carried.get(kind) ?? 0) + 1)
  fc.assert(teamProperty(PRODUCT, { inspect: recorder.inspect, onCommand }), { numRuns: RUNS, seed: 20_260_301 })
  const edges = edgesOf(teamMachine).map(edgeName)
  console.info(`carried out: ${[...carried].map(([kind, times]) => `${kind} ${times}`).join(', ')}`)
  console.info(edges.map((edge) => `${String(recorder.edges.get(edge) ?? 0).padStart(6)}  ${edge}`).join('\n'))
  expect(KINDS.filter((kind) => !carried.has(kind))).toEqual([])
  expect(statesOf(teamMachine).filter((state) => !recorder.states.has(`team: ${state}`))).toEqual([])
  expect(edges.filter((edge) => !recorder.edges.has(edge))).toEqual([])
}, 120_000)
