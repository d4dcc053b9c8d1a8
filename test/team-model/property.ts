import fc from 'fast-check'
import { agree, earlyCommands, START, teamCommands } from './commands.ts'
import { PlainTeam } from './plain-team.ts'
import type { Product } from './product.ts'
import { Rig, START_AT, type Watching } from './rig.ts'
import { type Scene, scene } from './scene.ts'

type Commands = Iterable<fc.Command<PlainTeam, Rig>>

/** Does the same to the product and to the model, and throws where they part; once it is stopped nothing of the team is left. */
export function playedBoth(product: Product, made: Scene, early: Commands, later: Commands, watching: Watching = {}): void {
  const both = { real: new Rig(product, made, watching), model: new PlainTeam(made, START_AT) }
  fc.modelRun(() => both, [...early, START])
  fc.modelRun(() => both, later)
  for (const side of [both.real, both.model]) side.stop(true)
  agree(both.model, both.real)
}

/** Whatever is done to a team, it does what a reader of the rules says. */
export function teamProperty(product: Product, watching: Watching = {}) {
  const commands = fc.commands(teamCommands, { maxCommands: 60, size: 'max' })
  return fc.property(scene, earlyCommands, commands, (made, early, later) => playedBoth(product, made, early, later, watching))
}
