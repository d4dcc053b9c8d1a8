/**
 * The door `relevo/host`: what a Node process needs beside the core door, which also bundles for a browser and has neither: settings files, and
 * a pino logger that takes every configured secret out of its lines by path and by value.
 */
export { literalCredentials } from './config/literal-credential.ts'
export { readSettingsText } from './config/settings-text.ts'
export { createLogger, LOG_LEVELS, type LogLevel, secretValues } from './runtime/pino-logger.ts'
