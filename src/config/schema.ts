import { z } from 'zod'
import { isZone } from '../model/zone.ts'
import { credentialSchema, modelName, profileSchema } from './profile-schema.ts'
import { teamSchema } from './team/team-schema.ts'

/**
 * What the operator writes. Every field has a description and a default, or is required; the settings reference is printed from here.
 * What a schema cannot see (references, credentials, the graph of fallbacks) is found in check.ts.
 */

const milliseconds = z.number().int().nonnegative()
const hintName = z.string().refine((value) => value.trim() === '' || !/\p{Cc}/u.test(value), 'must not contain control characters')

/** Requests at once of a key that says nothing else. */
export const DEFAULT_CONCURRENCY = 64

/** Whole words and phrases that make a prompt look complex (R38, C34). */
export const DEFAULT_SIGNALS = [
  'explain',
  'why',
  'analyze',
  'compare',
  'design',
  'implement',
  'refactor',
  'debug',
  'optimize',
  'architecture',
  'trade-off',
  'tradeoff',
  'reasoning',
  'step by step',
  'think through',
  'evaluate',
  'critique',
  'pros and cons',
]

const routeSchema = z.strictObject({
  hint: hintName.describe('Name that a caller asks for as `hint:<name>`; exact case, once only'),
  modelProvider: z.string().describe('Profile id of the target whose domain the call runs in'),
  model: modelName.describe('Model asked of the target; a target that has a model of its own serves that one instead'),
  apiKey: credentialSchema
    .nullable()
    .default(null)
    .describe('Credential of the target, before its own; the first route to a target that gives one counts, blank counts as none'),
})

const reliabilitySchema = z.strictObject({
  providerRetries: z.number().int().nonnegative().default(2).describe('Further attempts at an entry after its first one'),
  providerBackoffMs: milliseconds.default(500).describe('First wait before a retry, in ms, doubled after each; below 50 it acts as 50'),
  maxBackoffMs: milliseconds.default(10_000).describe('Longest backoff, in ms'),
  maxInTurnWaitMs: milliseconds.default(30_000).describe('Longest wait inside a turn, in ms; a longer one holds the profile instead'),
  defaultCooldownMs: milliseconds.default(10_000).describe('How long a rate limit without a stated end holds a profile, in ms'),
  onAllHeld: z.enum(['wait', 'fail']).default('wait').describe('Every entry held: wait for the earliest within `maxInTurnWaitMs`, or end the turn'),
  onRefusal: z.enum(['stop', 'advance']).default('stop').describe('A refusal by the model: end the turn, or ask the next entry'),
  jitter: z.number().min(0).max(1).default(0.2).describe('Share of a backoff that chance may add or take off, 0 to 1'),
})

const ledgerFile = z.string().min(1).nullable().default(null)
const ledgerSchema = z
  .strictObject({
    jsonl: ledgerFile.describe(
      'File to which the command line appends every attempt, from the settings file on; null: none is kept beyond the process',
    ),
    sqlite: ledgerFile.describe('SQLite database instead, for which the package `better-sqlite3` is needed, from the settings file on; null: none'),
  })
  .check((context) => {
    const { jsonl, sqlite } = context.value
    if (jsonl !== null && sqlite !== null)
      context.issues.push({
        code: 'custom',
        path: ['sqlite'],
        message: 'must not stand beside `ledger.jsonl`: attempts are kept in one place',
        input: null,
      })
  })

const usd = z.number().nonnegative()
const budgetsSchema = z.strictObject({
  perTurn: usd.nullable().default(null).describe('USD that one turn may cost, all its attempts together; null: no bound'),
  perRun: usd.nullable().default(null).describe('USD over the life of a kernel, of a team over its run; null: no bound'),
  perDay: usd.nullable().default(null).describe('USD a day; null: no bound'),
  perProfile: z
    .union([usd, z.record(z.string().describe('id'), usd)])
    .nullable()
    .default(null)
    .describe('USD a day: a number for each profile, or numbers by profile id; null: no bound'),
  unknownPrice: z
    .enum(['exceeds', 'ignored'])
    .default('exceeds')
    .describe('An entry that is paid by the call and whose price nobody knows: over every budget, or not counted'),
  zone: z.string().refine(isZone, 'must be a time zone such as UTC or Europe/Madrid').default('UTC').describe('Time zone in which a day begins'),
})

const keySchema = z.strictObject({
  id: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, `.`, `_` or `-`')
    .describe('Name of who has the key, as the ledger says it'),
  key: credentialSchema.describe('The bearer key'),
  models: z.array(z.string()).nullable().default(null).describe('What it may ask for: hints as `hint:<name>`, profile ids, models; null: all'),
  concurrency: z.number().int().positive().default(DEFAULT_CONCURRENCY).describe('Requests of it at once'),
  perDay: usd.nullable().default(null).describe('USD a day of all its requests; null: no bound'),
})

const gatewaySchema = z.strictObject({
  port: z.number().int().min(0).max(65_535).default(4141).describe('Port to listen on; 0: any free one'),
  host: z.string().min(1).default('127.0.0.1').describe('Address to listen on; any but loopback needs `keys`'),
  keys: z
    .array(z.union([credentialSchema, keySchema]))
    .default([])
    .describe('Bearer keys of clients, bare or with an id and bounds; none: whoever reaches the port is let in'),
  firstByteMs: milliseconds.default(600_000).describe('Longest time until the first byte of an answer, in ms; 0: none'),
})

const effortSchema = z.strictObject({
  localHint: z.string().describe('Hint of the route for simple and standard prompts; only its local profiles are called'),
  cloudHint: z.string().describe('Hint of the route for complex prompts'),
  escalation: z
    .string()
    .default('never')
    .describe('Exactly "auto" lets a complex prompt take the cloud hint; anything else keeps every prompt local'),
  signals: z.array(z.string()).default(DEFAULT_SIGNALS).describe('Whole words or phrases, case ignored; two different ones make a prompt complex'),
  complexOver: z.number().int().nonnegative().default(200).describe('A prompt of more code points is complex'),
  simpleUnder: z.number().int().nonnegative().default(50).describe('A prompt of fewer code points and no signal is simple'),
})

export const settingsSchema = z.strictObject({
  primary: z
    .string()
    .nullable()
    .default(null)
    .describe('Profile id of the default domain; required, unless there is a `team`: its participants name their own providers'),
  model: modelName.nullable().default(null).describe('Model of the primary profile instead of its own; null or blank: none'),
  profiles: z.record(z.string().describe('id'), profileSchema).default({}).describe('Provider profiles by id, `<family>.<alias>`'),
  modelRoutes: z.array(routeSchema).default([]).describe('Targets that a caller picks by hint'),
  reliability: reliabilitySchema.prefault({}).describe('Retries, waits and holds'),
  effortRouting: effortSchema
    .nullable()
    .default(null)
    .describe('Automatic choice between a local and a cloud route by the effort of a prompt; null: off'),
  unknownHint: z
    .enum(['forward', 'reject'])
    .default('forward')
    .describe('A hint that no route has: warn and use the default domain, or refuse the turn'),
  modelFallbackNotice: z
    .enum(['off', 'redacted', 'detailed'])
    .default('off')
    .describe('What a person is told about a fallback inside one family; a change of family is always told'),
  budgets: budgetsSchema.nullable().default(null).describe('What may be spent, in USD, asked before every attempt; null: no bound'),
  team: teamSchema.nullable().default(null).describe('How a team works; null: there is none'),
  ledger: ledgerSchema.prefault({}).describe('Where attempts are kept with their tokens and costs'),
  gateway: gatewaySchema.prefault({}).describe('How `relevo serve` listens'),
  endpoints: z
    .enum(['local-allowed', 'public-only'])
    .default('local-allowed')
    .describe('Hosts that an endpoint may lead to, resolved names included: any but link-local and metadata ones, or public ones alone'),
  endMarkers: z.array(z.string().min(1)).default(['<eom>', '<|eom|>']).describe('Markers that are cut out of visible text'),
})
export type SettingsInput = z.infer<typeof settingsSchema>
