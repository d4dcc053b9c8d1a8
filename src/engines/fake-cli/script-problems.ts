import { z } from 'zod'
import { FAKE_CLI_NAMES, type FakeCliScript, type FakeRun } from './script.ts'

/** What each run of a script must say; a misspelt word would have another run played, or half of one. */
const yes = z.literal(true)
const flag = z.boolean().optional()
const ms = z.number().int().nonnegative()
const exit = z.number().int().min(0).max(255)
const manner = { afterMs: ms.optional(), ignoreTerm: flag, grandchild: flag, exit: exit.optional() }

const tool = z.strictObject({
  name: z.string().min(1),
  arguments: z.record(z.string(), z.unknown()).optional(),
  output: z.string(),
  isError: flag,
})

const usage = z.strictObject({ input: ms, output: ms, cachedInput: ms.optional() })

const some = z.string().min(1)
const pieces = z.array(z.union([some, z.strictObject({ text: some, afterMs: ms.optional() })], { error: 'expected texts, or { text, afterMs }' }))

const answer = z
  .strictObject({ text: z.union([some, pieces]), reasoning: some.optional(), tools: z.array(tool).optional(), usage: usage.nullable().optional() })
  .extend({ late: some.optional(), finish: z.enum(['length', 'refusal']).optional(), costUsd: z.number().nonnegative().optional() })
  .extend({ stall: flag, cut: flag, ...manner })
  .refine((run) => !(run.stall && run.cut), { error: 'stall and cut are two ends of one answer; give one', path: ['cut'] })

const expected = { error: 'expected an ISO 8601 instant with its offset, or epoch ms' }
const instant = z.union([z.iso.datetime({ offset: true, ...expected }), z.number().positive()], expected)

const limit = z
  .strictObject({
    resetAt: instant.optional(),
    resetInMs: ms.optional(),
    scope: z.string().min(1).optional(),
  })
  .refine((one) => one.resetAt === undefined || one.resetInMs === undefined, {
    error: 'resetAt and resetInMs say the same; give one',
    path: ['resetInMs'],
  })

const failing = { after: pieces.optional(), ...manner }

const lines = z.array(z.string().regex(/^[^\n]*$/, 'a line holds no line feed; give two')).optional()

/** Deciding key → the run. */
const RUNS = {
  text: answer,
  limit: z.strictObject({ limit, ...failing }),
  throttle: z.strictObject({ throttle: yes, ...failing }),
  overloaded: z.strictObject({ overloaded: yes, ...failing }),
  auth: z.strictObject({ auth: z.union([yes, z.strictObject({ said: some })]), ...failing }),
  spend: z.strictObject({ spend: yes, ...failing }),
  context: z.strictObject({ context: yes, ...failing }),
  model: z.strictObject({ model: yes, ...failing }),
  server: z.strictObject({ server: yes, ...failing }),
  says: z.strictObject({ says: some, ...failing }),
  network: z.strictObject({ network: z.literal('down'), ...failing }),
  crash: z.strictObject({ crash: z.strictObject({ exit, stderr: z.string().optional() }), ...manner }),
  silence: z.strictObject({ silence: yes, ...manner }),
  busy: z.strictObject({ busy: yes, ...manner }),
  flood: z.strictObject({ flood: z.number().int().positive(), ...manner }),
  raw: z.strictObject({ raw: z.strictObject({ stdout: lines, stderr: lines, exit: exit.optional() }), ...manner }),
} satisfies Readonly<Record<string, z.ZodType<FakeRun>>>

type Decider = keyof typeof RUNS
const DECIDERS = Object.keys(RUNS) as Decider[]

/** Every problem of a script as one line with its path; empty when it can be played. */
export function fakeScriptProblems(script: unknown): string[] {
  if (!isObject(script)) return ['script: give an object of lists, such as { "claude": [{ "text": "hello" }] }']
  return Object.entries(script).flatMap(([queue, runs]) => {
    const name = queue.split(':', 1)[0] ?? ''
    if (!(FAKE_CLI_NAMES as readonly string[]).includes(name)) return [`${queue}: no fake CLI has this name; there are ${FAKE_CLI_NAMES.join(', ')}`]
    if (queue === `${name}:`) return [`${queue}: names no model; write "${name}" for any, or the model behind the colon`]
    if (!Array.isArray(runs) || runs.length === 0) return [`${queue}: give a list of runs, at least one; the last one repeats`]
    return runs.flatMap((run: unknown, index) => [...runProblems(run, `${queue}[${index}]`), ...wordsOfClaude(run, name, `${queue}[${index}]`)])
  })
}

/** The script, or an error that lists what is wrong with it. */
export function checkedFakeScript(script: FakeCliScript): FakeCliScript {
  const problems = fakeScriptProblems(script)
  if (problems.length > 0) throw new TypeError(`the script of the fake CLIs cannot be played: ${problems.join('; ')}`)
  return script
}

function runProblems(run: unknown, path: string): string[] {
  const deciding = isObject(run) ? DECIDERS.filter((key) => Object.hasOwn(run, key)) : []
  const [key] = deciding
  if (key === undefined || deciding.length > 1) {
    return [`${path}: needs exactly one of ${DECIDERS.join(', ')}; it has ${deciding.join(' and ') || 'none'}`]
  }
  const read = RUNS[key].safeParse(run)
  if (read.success) return []
  return read.error.issues.map((issue) => `${[path, ...(issue.path.length === 0 ? [] : [z.core.toDotPath(issue.path)])].join('.')}: ${issue.message}`)
}

function wordsOfClaude(run: unknown, name: string, path: string): string[] {
  if (name === 'claude' || !isObject(run)) return []
  return [
    ...(run['finish'] === undefined ? [] : [`${path}.finish: ${name} does not say why an answer ended; only claude does`]),
    ...(run['costUsd'] === undefined ? [] : [`${path}.costUsd: ${name} does not say what a run cost; only claude does`]),
  ]
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
