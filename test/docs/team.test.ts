import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { readParticipant } from '../../src/config/team/participant-file.ts'
import { frontMatterSchema, teamSchema } from '../../src/config/team/team-schema.ts'
import { mentioned } from '../../src/policy/team/mention.ts'
import { endOfTurn } from '../../src/policy/team/plays.ts'
import { postOf } from '../../src/runtime/thread/thread-line.ts'
import { ROOT } from '../architecture/source.ts'

const page = readFileSync(`${ROOT}docs/team.md`, 'utf8')

/** Rows "| `name` | … |" of a section, cell by cell. */
function rowsOf(heading: string): string[][] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...section.matchAll(/^\| (`[^\n]*) \|$/gm)].map(([, row = '']) => row.split(' | ').map((cell) => cell.replace(/^`([^`]*)`$/, '$1')))
}

const blockOf = (language: string): string => new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``).exec(page)?.[1] ?? ''

/** Default as JSON, or a word. */
const defaultOf = (field: z.ZodType): string => {
  const read = field.safeParse(undefined)
  return read.success ? (read.data === null ? 'null' : JSON.stringify(read.data)) : 'required'
}

describe('docs/team.md', () => {
  it('lists the settings of a team with their defaults', () => {
    const told = rowsOf('Settings of a team').map(([name, value]) => [name, value])
    expect(told).toEqual(Object.entries(teamSchema.shape).map(([name, field]) => [name, defaultOf(field)]))
  })

  it('lists the fields of a participant with theirs', () => {
    const told = rowsOf('A participant').map(([name, value]) => [name, value?.replace('none', 'null')])
    expect(told).toEqual(Object.entries(frontMatterSchema.shape).map(([name, field]) => [name, defaultOf(field)]))
  })

  it('shows a file that is read without a finding', () => {
    const { participant, errors, warnings } = readParticipant({ path: 'ana.md', text: blockOf('markdown') }, 'ana', ['anthropic.prod'])
    expect([errors, warnings]).toEqual([[], []])
    expect(participant).toMatchObject({ provider: 'claude', model: 'opus', failover: ['codex', 'claude:haiku', 'anthropic.prod'] })
  })

  it('shows a line of a thread, whose mention is one', () => {
    const post = postOf(Buffer.from(blockOf('json')))
    expect(post).toMatchObject({ id: 7, participant: 'ana', engine: 'codex' })
    expect('text' in post && mentioned(post.text, 'ana', ['ana', 'bo'])).toBe('bo')
  })

  it('lists every play, as it is read', () => {
    const kinds = rowsOf('What ends a turn').map(([line = '']) => endOfTurn(`A post.\n\n${line}`).play?.kind)
    expect(kinds).toEqual(['wait', 'gate', 'done'])
  })

  it('would notice a row that says something else', () => expect(defaultOf(teamSchema.shape.sleepSliceMs)).toBe('60000'))
})
