import type { Scenario } from '../../src/simulate/scenario.ts'
import type { SimulationPorts } from '../../src/simulate/simulate.ts'
import type { Trace } from '../../src/simulate/trace.ts'
import { ActorWatch } from './actors.ts'
import { FactWatch } from './facts.ts'

/** What is true of every simulated scenario beyond what it expects: its actors and its facts agree with its trace. */
export class Watch {
  readonly ports: SimulationPorts
  readonly #actors: ActorWatch
  readonly #facts: FactWatch

  constructor(scenario: Scenario) {
    this.#actors = new ActorWatch(scenario)
    this.#facts = new FactWatch(scenario)
    this.ports = { inspect: this.#actors.inspect, logger: this.#facts.logger }
  }

  /** Everything that is wrong, a line each. */
  problems(trace: Trace): readonly string[] {
    return [...this.#actors.problems(trace), ...this.#facts.problems(trace)]
  }
}
