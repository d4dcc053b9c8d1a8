import { z } from 'zod'

const NUL = '\0'
const withoutNul = z.string().refine((text) => !text.includes(NUL), 'must not contain the character NUL, which no program can be given')

const variables = z.record(
  z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'is no name of an environment variable')
    .describe('name'),
  withoutNul,
)

/** How a coding-agent CLI is run (platform.md §5). */
export const cliSchema = z.strictObject({
  command: withoutNul.min(1).nullable().default(null).describe('Name or path of the program; null: the one of the family, found on PATH'),
  args: z.array(withoutNul).default([]).describe('Further arguments of every run, such as ["--permission-mode", "acceptEdits"]'),
  directory: withoutNul.min(1).nullable().default(null).describe('Directory that it works in; null: that of this process'),
  env: variables.default({}).describe('Environment variables it gets beside those on the list of its engine; TZ here changes its zone'),
  stallMs: z
    .number()
    .int()
    .positive()
    .nullable()
    .default(600_000)
    .describe('Longest silence of a run, in ms, instead of timeouts.idleMs; null: none'),
})
