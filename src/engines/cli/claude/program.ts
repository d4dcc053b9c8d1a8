import type { CliProgram } from '../program.ts'
import { CLAUDE_ENVIRONMENT, CLAUDE_SIGN_IN, CLAUDE_SWITCHED, CLAUDE_VARIABLES, claudeInvocation } from './command.ts'
import { ClaudeDecoder } from './decode.ts'

/** Claude Code. Without a key it uses its own login, which is how a subscription is used. */
export const claude: CliProgram = {
  family: 'claude',
  provider: 'claude',
  command: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  keyVariable: 'ANTHROPIC_API_KEY',
  variables: CLAUDE_VARIABLES,
  signIn: CLAUDE_SIGN_IN,
  switched: CLAUDE_SWITCHED,
  environment: CLAUDE_ENVIRONMENT,
  invocation: claudeInvocation,
  decoder: (mode) => new ClaudeDecoder(mode),
}
