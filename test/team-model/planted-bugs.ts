import { join } from 'node:path'
import { linkerOf } from '../mutation/linker.mjs'
import { readSources } from '../mutation/source.mjs'
import type { Product } from './product.ts'

/** One wrong decision: a piece of a source, and what stands there instead. */
export interface PlantedBug {
  readonly name: string
  readonly file: string
  readonly piece: string
  readonly instead: string
}

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'T16 wakes at the last reset instead of the first',
    file: 'src/policy/team/sleep.ts',
    piece: 'each.free.at < best.free.at ? each : best',
    instead: 'each.free.at > best.free.at ? each : best',
  },
  {
    name: "T12 hands a gate's turn off",
    file: 'src/policy/team/handoff.ts',
    piece: 'gates.has(id) || ',
    instead: '',
  },
  {
    name: 'T12 lets an approved turn move along the chain',
    file: 'src/policy/team/team-step.ts',
    piece: "turn.startedBy !== 'gate' && !stopping",
    instead: '!stopping',
  },
  {
    name: 'T12 hands an approved turn off',
    file: 'src/policy/team/team-step.ts',
    piece: "  if (startedBy === 'gate') return still\n  if (keepsTurn({ id, startedBy, gates, size: members.length }))",
    instead: "  if (keepsTurn({ id, startedBy: 'pick', gates, size: members.length }))",
  },
  {
    name: 'T17 a message wakes a limit sleep',
    file: 'machines/team.ts',
    piece: "    rateLimited: {\n      entry: 'startWait',\n      exit: 'cancelWait',\n      on: {\n",
    instead:
      "    rateLimited: {\n      entry: 'startWait',\n      exit: 'cancelWait',\n      on: {\n        'message.posted': { target: 'choosing', actions: ['wake', 'tell', 'takeMessage'] },\n",
  },
  {
    name: 'G11 a message wakes an outage',
    file: 'machines/team.ts',
    piece: "    unreachable: {\n      entry: 'startWait',\n      exit: 'cancelWait',\n      on: {\n",
    instead:
      "    unreachable: {\n      entry: 'startWait',\n      exit: 'cancelWait',\n      on: {\n        'message.posted': { target: 'choosing', actions: ['wake', 'tell', 'takeMessage'] },\n",
  },
  {
    name: 'T15 returns to the primary only',
    file: 'src/policy/team/team-step.ts',
    piece: '  const { id, at, startedBy, position, giver } = whose\n',
    instead:
      '  const { id, startedBy, position, giver } = whose\n  const stood = placeOf(memory, id).at\n  const at = whose.at > 0 && whose.at < stood && !register.limits.has(memberOf(fixed, id).entries[stood].engine) ? stood : whose.at\n',
  },
  {
    name: 'T15 never returns',
    file: 'src/policy/team/team-step.ts',
    piece: '  const { id, at, startedBy, position, giver } = whose\n',
    instead:
      '  const { id, startedBy, position, giver } = whose\n  const stood = placeOf(memory, id).at\n  const at = whose.at < stood && !register.limits.has(memberOf(fixed, id).entries[stood].engine) ? stood : whose.at\n',
  },
  {
    name: 'T17 charges sleep to the runtime',
    file: 'src/policy/team/team-step.ts',
    piece: "return { step: { to: 'wait' }, register, wait, due: null,",
    instead: "return { step: { to: 'wait' }, register, wait, chargedSince: memory.elapsedMs, due: null,",
  },
  {
    name: 'G01 counts a limited turn as an iteration',
    file: 'src/policy/team/budget.ts',
    piece: "return result !== 'limited' && result !== 'network'",
    instead: "return result !== 'network'",
  },
  {
    name: 'T6 takes a limit of one model for one of its provider',
    file: 'src/policy/team/register.ts',
    piece: 'limits: new Map(register.limits).set(engine, {',
    instead: 'limits: new Map(register.limits).set(provider, {',
  },
  {
    name: 'G20 lets a crash break a row of silent turns',
    file: 'src/policy/team/silence.ts',
    piece: "result === 'posted' || result === 'waiting' ? 0 : row",
    instead: "result === 'posted' || result === 'waiting' || result === 'failed' ? 0 : row",
  },
  {
    name: 'T19 takes a wait up again that a message had cut',
    file: 'src/policy/team/team-taken.ts',
    piece: "return { ...facts, ...charged(memory, facts), due: null, news: [{ type: 'wait.ended', wokenBy }] }",
    instead:
      "return { ...facts, ...charged(memory, facts), ...(wokenBy === 'message' ? {} : { due: null }), news: [{ type: 'wait.ended', wokenBy }] }",
  },
  {
    name: 'G10 sleeps on after a suspend for what was left of the sleep',
    file: 'src/runtime/team/running-team.ts',
    piece: 'clock.after(Math.min(leftMs, this.#sliceMs), () => {',
    instead: 'clock.after(leftMs, () => {',
  },
]

const ROOT = join(import.meta.dirname, '../..')

/** Loads the product anew, with one piece of one source exchanged; null: as it is. */
export function plantedProducts(): (bug: PlantedBug | null) => Product {
  const sources = readSources(ROOT, ['src', 'machines'])
  const linked = linkerOf(sources)
  return (bug) => {
    const load = linked(bug === null ? null : changed(sources, bug))
    const files = ['runtime/team/running-team', 'simulate/team-clock', 'policy/team/chain', 'policy/team/order']
    return Object.assign({}, ...files.map((file) => load(join(ROOT, 'src', `${file}.ts`)))) as Product
  }
}

function changed(sources: ReadonlyMap<string, string>, { name, file, piece, instead }: PlantedBug): { path: string; text: string } {
  const path = join(ROOT, file)
  const parts = sources.get(path)?.split(piece) ?? []
  if (parts.length !== 2) throw new Error(`${file} does not hold, once, what is exchanged to plant "${name}": ${piece}`)
  return { path, text: parts.join(instead) }
}
