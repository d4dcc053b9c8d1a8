import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readSettingsText } from '../config/settings-text.ts'
import type { Diagnostic } from '../model/plan.ts'

/** What a settings file says, not yet looked at for what it means; or why it says nothing. `text` is null where there is none. */
export type ReadSettings =
  | { readonly text: string; readonly written: unknown }
  | { readonly text: string | null; readonly problems: readonly Diagnostic[] }

/** Reads a settings file, `.json` as JSON and any other as YAML. `path` of a problem is that of the file, with line and column where it has some. */
export function readSettingsFile(path: string): ReadSettings {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const message = `The settings file ${whyUnread(error)}.`
    return { text: null, problems: [{ code: 'unreadable_file', path, message, remedy: 'Check the path and its permissions.' }] }
  }
  const language = path.endsWith('.json') ? 'json' : 'yaml'
  const read = readSettingsText(text, language)
  if ('value' in read) return { text, written: read.value }
  const problems = read.faults.map(({ line, column, message }) => ({
    code: 'invalid_text',
    path: `${path}:${line}:${column}`,
    message: `This is no ${language.toUpperCase()}: ${message}.`,
    remedy: 'Correct the text at this place.',
  }))
  return { text, problems }
}

function whyUnread(error: unknown): string {
  const { code = 'unknown reason' } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist'
  if (code === 'EISDIR') return 'is a folder'
  return code === 'EACCES' || code === 'EPERM' ? 'may not be read' : `cannot be read (${code})`
}

/** The files that credentials of these settings stand in, as far as the settings can be made out. */
export function keyFilesOf(written: unknown, folder: string): string[] {
  const named: unknown[] = []
  for (const profile of Object.values(record(record(written)['profiles']))) {
    const { apiKey, apiKeys } = record(profile)
    named.push(apiKey, ...list(apiKeys))
  }
  for (const route of list(record(written)['modelRoutes'])) named.push(record(route)['apiKey'])
  const paths = named.map((key) => record(key)['file']).filter((path) => typeof path === 'string')
  return [...new Set(paths.map((path) => resolve(folder, path)))]
}

/** Tells one state of files from another without keeping what stands in them: a key file has nothing else in it than the key. */
export function fingerprintOf(text: string | null, keyFiles: readonly string[]): { readonly print: string; readonly isWhole: boolean } {
  const hash = createHash('sha256').update(JSON.stringify(text))
  let isWhole = text !== null
  for (const path of keyFiles) {
    const key = textOf(path)
    isWhole &&= key !== null
    // White space around a key is no part of it.
    hash.update(JSON.stringify([path, key?.trim()]))
  }
  return { print: hash.digest('base64'), isWhole }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
