import type { CliProgram } from '../program.ts'
import { AGY_ENVIRONMENT, AGY_VARIABLES, agyInvocation } from './command.ts'
import { AgyDecoder } from './decode.ts'

/** Antigravity. It has its own login and takes no key: variables with one are passed over (antigravity-cli 78, 223, 632). */
export const agy: CliProgram = {
  family: 'agy',
  provider: 'agy',
  command: 'agy',
  install: 'curl -fsSL https://antigravity.google/cli/install.sh | bash',
  keyVariable: null,
  variables: AGY_VARIABLES,
  environment: AGY_ENVIRONMENT,
  invocation: agyInvocation,
  decoder: (mode) => new AgyDecoder(mode),
}
