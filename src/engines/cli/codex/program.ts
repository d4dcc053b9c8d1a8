import type { CliProgram } from '../program.ts'
import { CODEX_SIGN_IN, CODEX_VARIABLES, codexInvocation } from './command.ts'
import { CodexDecoder } from './decode.ts'

/**
 * OpenAI Codex. Without a key it uses its own login. `CODEX_API_KEY` is the variable that `codex exec` takes one in (codex-rs/exec,
 * tests/suite/auth_env.rs; measured); `OPENAI_API_KEY` it does not read.
 */
export const codex: CliProgram = {
  family: 'codex',
  provider: 'codex',
  command: 'codex',
  install: 'npm install -g @openai/codex',
  keyVariable: 'CODEX_API_KEY',
  variables: CODEX_VARIABLES,
  signIn: CODEX_SIGN_IN,
  environment: {},
  invocation: codexInvocation,
  decoder: () => new CodexDecoder(),
}
