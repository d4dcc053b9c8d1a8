import type { Diagnostic } from '../model/plan.ts'
import { pathText } from './diagnostics.ts'

/**
 * Warns about keys that stand in a settings file as they are: the file is copied, shared and committed, and the key with it. Settings that a
 * program builds are no file, so only who reads one asks.
 *
 * Takes the settings as written, in any shape; never repeats a value.
 */
export function literalCredentials(written: unknown): Diagnostic[] {
  const found: Diagnostic[] = []
  const look = (value: unknown, path: readonly PropertyKey[]): void => {
    if (typeof value === 'string' && value.trim() !== '' && !value.startsWith('env:')) found.push(literalCredential(path, value))
  }
  for (const [id, profile] of Object.entries(record(record(written)['profiles']))) {
    const { apiKey, apiKeys } = record(profile)
    look(apiKey, ['profiles', id, 'apiKey'])
    for (const [index, key] of list(apiKeys).entries()) look(key, ['profiles', id, 'apiKeys', index])
  }
  for (const [index, route] of list(record(written)['modelRoutes']).entries()) look(record(route)['apiKey'], ['modelRoutes', index, 'apiKey'])
  for (const [index, key] of list(record(record(written)['gateway'])['keys']).entries()) {
    look(key, ['gateway', 'keys', index])
    look(record(key)['key'], ['gateway', 'keys', index, 'key'])
  }
  return found
}

/** What a shell or another program would put a variable in place of; here it is sent as it stands. */
const VARIABLE = /^\s*\$(?:[A-Z_][A-Z0-9_]*|\{[^{}]+\})\s*$/

function literalCredential(path: readonly PropertyKey[], value: string): Diagnostic {
  const isVariable = VARIABLE.test(value)
  return {
    code: 'literal_credential',
    path: pathText(path),
    message: isVariable
      ? 'The key is written like a variable, but nothing is put in its place: it would be sent as it stands.'
      : 'A key stands in the file as it is.',
    remedy: isVariable
      ? 'Write "env:NAME" with the name of the variable.'
      : 'Write "env:NAME" or { file: PATH } instead, and change the key if the file was shared.',
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
