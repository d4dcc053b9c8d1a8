import { z } from 'zod'
import { CHAT_DIALECTS } from '../model/dialect.ts'
import { cliSchema } from './cli-schema.ts'
import { endpointProblem, headerProblem, isPlain } from './wire-safety.ts'

/** A model name. Blank counts as none (C50); a control character could leave its place in a request. */
export const modelName = z.string().refine(isPlain, 'must not contain control characters')

const milliseconds = z.number().int().positive()

/** The forms in which a credential may be written (faces.md §2). */
export const credentialSchema = z.union(
  [
    z.string(),
    z.strictObject({ env: z.string().min(1).describe('Name of the environment variable that holds the key') }),
    z.strictObject({ file: z.string().min(1).describe('Path of the file that holds the key') }),
  ],
  { error: 'expected a key, "env:NAME", { env: NAME } or { file: PATH }' },
)
export type CredentialInput = z.infer<typeof credentialSchema>

const capabilitiesSchema = z.strictObject({
  streaming: z.boolean().default(true).describe('Answers can be streamed'),
  toolEvents: z.boolean().default(true).describe('Tool calls can be streamed; false keeps a call with tools from being streamed here'),
  tools: z.boolean().default(true).describe('Tools can be sent at all; false takes the profile out of every call with tools'),
  vision: z.boolean().default(true).describe('Images can be sent; false takes the profile out of every call with an image'),
})

const priceSchema = z.strictObject({
  input: z.number().nonnegative().describe('USD per million input tokens'),
  output: z.number().nonnegative().describe('USD per million output tokens'),
  cachedInput: z.number().nonnegative().nullable().default(null).describe('USD per million input tokens read from a cache; null: the input rate'),
})

const timeoutsSchema = z.strictObject({
  connectMs: milliseconds.nullable().default(10_000).describe('Longest wait for a connection, in ms; null: none'),
  firstByteMs: milliseconds.nullable().default(null).describe('Longest wait for the first byte of the answer, in ms; null: none'),
  firstOutputMs: milliseconds
    .nullable()
    .default(null)
    .describe('Longest wait for the first output (comments and pings do not count), in ms; null: none'),
  idleMs: milliseconds.nullable().default(90_000).describe('Longest silence between bytes, in ms; any byte counts; null: none'),
  totalMs: milliseconds.nullable().default(null).describe('Longest duration of one attempt, in ms; null: none'),
})

const headersSchema = z.record(z.string().describe('name'), z.string()).check((context) => {
  for (const [name, value] of Object.entries(context.value)) {
    const problem = headerProblem(name, value)
    if (problem !== null) context.issues.push({ code: 'custom', path: [name], message: problem, input: null })
  }
})

const endpointSchema = z.string().check((context) => {
  // What no policy allows; `endpoints` is asked once every setting is known.
  const problem = endpointProblem(context.value, 'local-allowed')
  if (problem !== null) context.issues.push({ code: 'custom', message: problem, input: null })
})

/** One provider profile as the operator writes it (R1). Nothing of it reaches another profile. */
export const profileSchema = z.strictObject({
  api: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('Protocol of the endpoint, such as openai-chat or anthropic-messages; null: the one of the family'),
  endpoint: endpointSchema.nullable().default(null).describe('Base address of the provider, http or https; null: the one of the family'),
  headers: headersSchema.default({}).describe('Further request headers; those that sign, frame or route a request are refused'),
  dialect: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      `Which server speaks openai-chat or openai-responses: ${CHAT_DIALECTS.join(', ')}; null: the one named like the family, else compatible`,
    ),
  body: z
    .record(z.string().describe('field'), z.unknown().meta({ title: 'JSON' }))
    .default({})
    .describe('Further fields of every request body; those the walk decides stay'),
  model: modelName.nullable().default(null).describe('Model the profile is pinned to; null or blank: it sends the model the caller asks for'),
  fallbackModels: z
    .array(modelName)
    .default([])
    .describe('Models tried after `model` on this profile, in order; without effect when there is no model'),
  fallback: z.array(z.string()).default([]).describe('Profile ids tried after this profile, in order, each with its own models and fallbacks'),
  apiKey: credentialSchema
    .nullable()
    .default(null)
    .describe('Credential: a key, "env:NAME", { env: NAME } or { file: PATH }; a local profile and a coding-agent CLI need none'),
  apiKeys: z
    .array(credentialSchema)
    .nullable()
    .default(null)
    .describe('Pool of credentials, tried in order, each with its own hold; not together with `apiKey`'),
  capabilities: capabilitiesSchema.prefault({}).describe('What the profile can do'),
  zone: z.enum(['local', 'cloud']).nullable().default(null).describe('Where prompts go; null: by family and host, cloud unless it is this machine'),
  contextWindow: z.number().int().positive().nullable().default(null).describe('Context window in tokens; null: unknown'),
  price: z.record(z.string().describe('model'), priceSchema).default({}).describe('Price by model; the cost of a model not named is unknown'),
  timeouts: timeoutsSchema.prefault({}).describe('Deadlines of one attempt, each its own failure'),
  cli: cliSchema.nullable().default(null).describe('How the program is run; for a profile of a coding-agent CLI only'),
  completion: z
    .enum(['strict', 'lenient', 'done', 'finish', 'either'])
    .default('strict')
    .describe('What ends a stream: strict or lenient for every protocol; done, finish or either for openai-chat'),
})
export type ProfileInput = z.infer<typeof profileSchema>
