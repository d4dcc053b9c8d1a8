import type { z } from 'zod'
import type { Diagnostic } from '../../model/plan.ts'
import type { Participant } from '../../model/team.ts'
import { CLI_FAMILIES } from '../families.ts'
import { nearest } from '../nearest.ts'
import { readFrontMatter } from './front-matter.ts'
import { quotable } from './quotable.ts'
import { frontMatterSchema } from './team-schema.ts'

/**
 * One file of a participant: front matter between two lines `---`, and the prompt below.
 *
 * 1. Every problem is told at once, each with its line; one field that cannot be read hides none of the others.
 * 2. A chain is kept as it was written (T8): what stands in it again or is blank is left out with a warning, what names nobody is an error.
 * 3. A line ends with LF, CRLF or CR, and a byte order mark is no text; the prompt has LF only.
 */
export interface ParticipantText {
  /** As a person would name the file: `participants/ana.md`. */
  readonly path: string
  readonly text: string
}

/** What a file says of its participant. */
export interface ParticipantFile extends Participant {
  readonly path: string
  readonly prompt: string
}

export interface ReadParticipant {
  /** Null when there is any error. */
  readonly participant: ParticipantFile | null
  readonly errors: readonly Diagnostic[]
  readonly warnings: readonly Diagnostic[]
}

/** Longer prompts are the work of a program, not of a person. */
const MAX_LENGTH = 1_048_576
const FENCE = /^---[\t ]*$/

/** `profiles`: the ids of the configured ones. */
export function readParticipant({ path, text }: ParticipantText, id: string, profiles: readonly string[]): ReadParticipant {
  const findings = new Findings(path)
  const parts = partsOf(text, findings)
  if (parts === null) return { participant: null, ...findings.inOrder() }
  const fields = readFields(parts.frontMatter, findings, profiles)
  if (parts.prompt.trim() === '') {
    findings.error('empty_prompt', parts.promptLine, 'The participant has no prompt.', 'Write below the second `---` who it is and what it is to do.')
  }
  const nul = parts.prompt.indexOf('\0')
  if (nul >= 0) {
    const line = parts.promptLine + parts.prompt.slice(0, nul).split('\n').length - 1
    findings.error('invalid_text', line, 'The prompt has the character NUL, which no program can be given.', 'Remove it.')
  }
  const isSound = fields !== null && findings.errors.length === 0
  return { participant: isSound ? { id, path, ...fields, prompt: trimmed(parts.prompt) } : null, ...findings.inOrder() }
}

interface Finding extends Place {
  readonly diagnostic: Diagnostic
}

class Findings {
  readonly errors: Finding[] = []
  readonly warnings: Finding[] = []
  readonly #path: string

  constructor(path: string) {
    this.#path = quotable(path, 200)
  }

  error(code: string, line: number, message: string, remedy: string, column = 1): void {
    this.errors.push({ line, column, diagnostic: { code, path: `${this.#path}:${line}:${column}`, message, remedy } })
  }

  warn(code: string, { line, column }: Place, message: string, remedy: string): void {
    this.warnings.push({ line, column, diagnostic: { code, path: `${this.#path}:${line}:${column}`, message, remedy } })
  }

  /** As somebody who reads the file comes to them. */
  inOrder(): Pick<ReadParticipant, 'errors' | 'warnings'> {
    const sorted = (found: readonly Finding[]) =>
      [...found].sort((a, b) => a.line - b.line || a.column - b.column).map(({ diagnostic }) => diagnostic)
    return { errors: sorted(this.errors), warnings: sorted(this.warnings) }
  }
}

interface Place {
  readonly line: number
  readonly column: number
}

interface Parts {
  readonly frontMatter: string
  readonly prompt: string
  readonly promptLine: number
}

const EXAMPLE = 'Begin the file with the lines `---`, `provider: claude`, `---`'

function partsOf(text: string, findings: Findings): Parts | null {
  if (text.length > MAX_LENGTH) {
    findings.error('file_too_large', 1, `The file has more than ${MAX_LENGTH} characters.`, 'Keep the prompt short; name files that are to be read.')
    return null
  }
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)
  if (!FENCE.test(lines[0] ?? '')) {
    findings.error('missing_front_matter', 1, 'The file does not begin with a line `---`.', `${EXAMPLE}; the prompt follows.`)
    return null
  }
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line))
  if (end < 0) {
    findings.error(
      'unclosed_front_matter',
      1,
      'No line `---` ends the front matter.',
      'Write `---` on a line of its own between the fields and the prompt.',
    )
    return null
  }
  return { frontMatter: lines.slice(1, end).join('\n'), prompt: lines.slice(end + 1).join('\n'), promptLine: end + 2 }
}

function trimmed(prompt: string): string {
  return prompt.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd()
}

type Fields = Pick<ParticipantFile, 'provider' | 'model' | 'failover'>

function readFields(text: string, findings: Findings, profiles: readonly string[]): Fields | null {
  const matter = readFrontMatter(text)
  const placeOf = (at: number): Place => {
    const { line, column } = matter.lineOf(at)
    return { line: line + 1, column }
  }
  for (const { at, problem, remedy } of matter.faults) {
    const { line, column } = placeOf(at)
    findings.error('invalid_text', line, `The front matter ${problem}.`, remedy, column)
  }
  if (matter.fields === null) return null
  const written = Object.fromEntries([...matter.fields].filter(([name]) => name !== '__proto__'))
  const place = (path: string): Place => placeOf(matter.places.get(path) ?? 0)
  if (matter.fields.has('__proto__')) tellUnknown('__proto__', place('__proto__'), findings)
  const read = frontMatterSchema.safeParse(written)
  if (!read.success) for (const issue of read.error.issues) tellIssue(issue, place, findings)
  const { provider, failover } = written
  if (typeof provider === 'string') tellProvider(provider, place('provider'), findings, profiles)
  const chain = chainOf(Array.isArray(failover) ? failover : [], place, findings, profiles)
  return read.success ? { provider: read.data.provider.trim(), model: presentModel(read.data.model), failover: chain } : null
}

function presentModel(model: string | null): string | null {
  return model === null || model.trim() === '' ? null : model.trim()
}

const KNOWN = Object.keys(frontMatterSchema.shape)

function tellUnknown(name: string, { line, column }: Place, findings: Findings): void {
  const meant = nearest(quotable(name), KNOWN)
  const remedy = meant === null ? `Remove it; known here: ${KNOWN.join(', ')}.` : `Write \`${meant}\`, or remove it.`
  findings.error('unknown_setting', line, `\`${quotable(name)}\` is no field of a participant.`, remedy, column)
}

function tellIssue(issue: z.core.$ZodIssue, place: (path: string) => Place, findings: Findings): void {
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) tellUnknown(key, place(key), findings)
    return
  }
  const [field = '', index] = issue.path
  const name = String(field)
  const { line, column } = place(index === undefined ? name : `${name}[${Number(index)}]`)
  if (issue.code === 'custom') findings.error('invalid_setting', line, `\`${name}\` ${issue.message}.`, 'Remove them.', column)
  else if (index !== undefined) {
    const remedy = 'Write `provider` or `provider:model`, without a space behind the colon.'
    findings.error('invalid_setting', line, `An entry of \`${name}\` is no text.`, remedy, column)
  } else if (name === 'provider') {
    const remedy = `Write \`provider: claude\`, or another of: ${CLI_FAMILIES.join(', ')}, or a profile id.`
    findings.error('required_field_empty', line, 'No provider is named.', remedy, column)
  } else {
    const form = name === 'failover' ? 'a list: `failover: [codex]`' : 'text, or nothing'
    findings.error('invalid_setting', line, `\`${name}\` has not the form it must have.`, `Write ${form}.`, column)
  }
}

function tellProvider(provider: string, at: Place, findings: Findings, profiles: readonly string[]): void {
  const name = provider.trim()
  if (name === '') {
    findings.error('required_field_empty', at.line, 'No provider is named.', `Name one of: ${[...CLI_FAMILIES, ...profiles].join(', ')}.`, at.column)
    return
  }
  const parts = entryParts(name)
  if (parts.model !== null && isKnown(parts.provider, profiles)) {
    const remedy = `Write \`provider: ${parts.provider}\` and \`model: ${quotable(parts.model)}\`.`
    findings.error('unknown_provider', at.line, '`provider` names a model, which has a field of its own.', remedy, at.column)
  } else if (!isKnown(name, profiles)) tellStranger(name, at, findings, profiles)
}

function isKnown(name: string, profiles: readonly string[]): boolean {
  return CLI_FAMILIES.includes(name) || profiles.includes(name)
}

function tellStranger(name: string, { line, column }: Place, findings: Findings, profiles: readonly string[]): void {
  const known = [...CLI_FAMILIES, ...profiles]
  const ofFamily = profiles.find((profile) => profile.startsWith(`${name}.`))
  const meant = ofFamily ?? nearest(quotable(name), known)
  const remedy = `${meant === null ? 'Name' : `Write \`${meant}\`, or name`} one of: ${known.join(', ')}.`
  const message =
    name === '' ? 'An entry of `failover` names no provider.' : `\`${quotable(name)}\` is neither a command line engine nor a configured profile.`
  findings.error('unknown_provider', line, message, remedy, column)
}

/** A model may hold colons: the first one ends the provider. */
function entryParts(entry: string): { readonly provider: string; readonly model: string | null } {
  const colon = entry.indexOf(':')
  if (colon < 0) return { provider: entry.trim(), model: null }
  return { provider: entry.slice(0, colon).trim(), model: entry.slice(colon + 1).trim() }
}

/** The entries that say something, each once. */
function chainOf(written: readonly unknown[], placeOf: (path: string) => Place, findings: Findings, profiles: readonly string[]): string[] {
  const chain = new Set<string>()
  for (const [index, item] of written.entries()) {
    if (typeof item !== 'string' && item !== null) continue
    const at = placeOf(`failover[${index}]`)
    const { provider, model } = entryParts(item ?? '')
    const entry = model === null ? provider : `${provider}:${model}`
    if (entry === '') findings.warn('empty_failover_entry', at, 'An entry of `failover` is blank; it is left out.', 'Name a provider, or remove it.')
    else if (!isKnown(provider, profiles)) tellStranger(provider, at, findings, profiles)
    else if (model === '') {
      const remedy = `Write \`${provider}\`, or the model behind the colon.`
      findings.error('invalid_setting', at.line, `\`${entry}\` in \`failover\` names no model.`, remedy, at.column)
    } else if (chain.has(entry)) {
      const message = `\`${quotable(entry)}\` stands earlier in \`failover\` already; it is tried only there.`
      findings.warn('duplicate_failover_entry', at, message, 'Remove one of the two.')
    } else chain.add(entry)
  }
  return [...chain]
}
