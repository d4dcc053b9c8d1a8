import type { CliProgram } from '../program.ts'
import { GEMINI_SIGN_IN, GEMINI_VARIABLES, geminiInvocation } from './command.ts'
import { GeminiDecoder } from './decode.ts'
import { geminiDefaults } from './defaults.ts'

/** Gemini CLI; its notices and its executable are called `gemini`. Without a key it uses the login of its own settings. */
export const geminiCli: CliProgram = {
  family: 'gemini-cli',
  provider: 'gemini',
  command: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  keyVariable: 'GEMINI_API_KEY',
  variables: GEMINI_VARIABLES,
  signIn: GEMINI_SIGN_IN,
  environment: {},
  defaults: (seen) => geminiDefaults(seen),
  invocation: geminiInvocation,
  decoder: () => new GeminiDecoder(),
}
