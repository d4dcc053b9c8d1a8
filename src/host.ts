/** A door inside the house: what a face that is a Node process needs beside the core door, which also bundles for a browser and has neither. */
export { literalCredentials } from './config/literal-credential.ts'
export { readSettingsText } from './config/settings-text.ts'
export { createLogger, LOG_LEVELS, type LogLevel, secretValues } from './runtime/pino-logger.ts'
