import type { KernelCore } from './core.ts'

/** The kernel as a turn of this caller has it: its rows, lines and messages say whose request it was, and nothing else is another. */
export function callerCore(core: KernelCore, caller: string): KernelCore {
  const { ledger } = core
  return {
    clock: core.clock,
    random: core.random,
    log: core.log.of({ caller }),
    pricing: core.pricing,
    spending: core.spending,
    get settings() {
      return core.settings
    },
    ledger: {
      append: (row) => ledger.append({ ...row, caller }),
      close: (turn, n, close) => ledger.close(turn, n, close),
      rows: () => ledger.rows(),
    },
    facts: () => core.facts(),
    engineOf: (profile) => core.engineOf(profile),
    spawnTurn: (input) => core.spawnTurn(input),
    reportHold: (hold, by) => core.reportHold(hold, by),
    waitingStarted: (run) => core.waitingStarted(run),
    waitingEnded: (run) => core.waitingEnded(run),
    turnEnded: (run) => core.turnEnded(run),
  }
}
