import { z } from 'zod'
import { presentModel } from '../config/graph.ts'
import type { CallOptions, Flow, PassThrough } from '../engines/contract.ts'
import {
  type Message,
  type MessageInput,
  messageSchema,
  providerOptionsSchema,
  type ToolDefinition,
  type ToolDefinitionInput,
  toolDefinitionSchema,
} from '../model/message.ts'
import type { Diagnostic, Target } from '../model/plan.ts'
import type { TurnEvent } from '../model/turn-event.ts'
import { ConfigError } from './errors.ts'
import { isFlow, isPassThrough, passThroughSchema } from './pass-through.ts'

/** What a host asks of one turn. */
export interface TurnRequest {
  /** Name of the turn in events and ledger; minted when left out. */
  readonly id?: string | undefined
  /** The conversation; or `prompt` alone for a single question, never both. */
  readonly messages?: readonly MessageInput[] | undefined
  readonly prompt?: string | undefined
  /** A model, `hint:<name>`, or nothing for the settings' own choice. */
  readonly model?: string | null | undefined
  /**
   * Profiles that the caller names itself, in place of `model`: a choice of the call, like a model (R40). One is called as a route to it would
   * be, with its fallback models and profiles, and serves `model` where that is given. Of several each is tried alone, in this order, with its
   * pool of keys and without any fallback of its own; nothing else is tried.
   */
  readonly targets?: readonly Target[] | undefined
  /** Where the operator may have chosen a model, nearest first, such as a session and its channel (R40). */
  readonly scope?: Scopes | undefined
  /** Whose request it is, such as the id of a gateway's key: stands in ledger, log and telemetry, and decides nothing. */
  readonly caller?: string | undefined
  readonly tools?: readonly ToolDefinitionInput[] | undefined
  readonly options?: CallOptions | undefined
  /**
   * The request as a client of one protocol wrote it. An entry over HTTP that speaks this protocol, and takes what OpenAI's own takes where
   * that is the chat protocol, is sent this body in place of the messages, tools and options: with the entry's model, with or without
   * streaming as the attempt is made, and with the profile's own fields on top. Its answer is then told as it came (`bytes`, `ending`, the
   * `body` of an `answer`). Every other entry, and a history that had to be shortened, is asked from `messages`, which say the same. Once text
   * was shown, plain text is passed without being read: the outcome's `text`, `message` and `partialText` then hold only what was read. A draft
   * sink needs all of it, so with one nothing is passed.
   */
  readonly passThrough?: PassThrough | undefined
  /** False asks without streaming whatever sinks there are. True by default. */
  readonly stream?: boolean | undefined
  /**
   * Who sees the content. `event` is handed text once and for all, `draft` may be corrected (R27); a list names the kinds that exist, an
   * object brings the callbacks. Left out: an event sink exists when somebody reads the turn's events by the time the code that made it first
   * waits; otherwise the call does not stream and keeps every recovery open.
   */
  readonly sinks?: readonly ('event' | 'draft')[] | Sinks | undefined
  readonly signal?: AbortSignal | undefined
}

/** Names of the host for where an operator chooses; one, or several from the nearest to the farthest. */
export type Scopes = string | readonly string[]

/** What a host asks of a turn of several calls. */
export interface OpenTurnRequest extends Pick<TurnRequest, 'id' | 'model' | 'targets' | 'scope' | 'caller' | 'signal'> {
  /** What the user asked: its effort is classed (R37). */
  readonly prompt?: string | undefined
}

/** A request that was checked: nothing is left out that has a default. */
export interface CheckedRequest extends TurnRequest {
  readonly messages?: readonly Message[] | undefined
  readonly tools?: readonly ToolDefinition[] | undefined
}

export interface Sinks {
  readonly event?: ((event: TurnEvent) => void) | undefined
  /** Handed the whole draft each time, and at the end an answer that did not stream, which takes its place. */
  readonly draft?: ((text: string) => void) | undefined
  /** Demand of these sinks: while it is full the provider is not read. */
  readonly flow?: Flow | undefined
}

const callOptionsSchema = z.strictObject({
  maxTokens: z.number().int().positive().optional(),
  temperature: z.number().min(0).optional(),
  topP: z.number().min(0).max(1).optional(),
  stop: z.array(z.string()).optional(),
  reasoningEffort: z.enum(['low', 'medium', 'high']).optional(),
  toolChoice: z.union([z.enum(['auto', 'none', 'required']), z.strictObject({ name: z.string() })]).optional(),
  responseSchema: z.strictObject({ name: z.string(), schema: z.record(z.string(), z.unknown()) }).optional(),
  providerOptions: providerOptionsSchema.optional(),
})

const callback = z.custom<(told: never) => void>((value) => typeof value === 'function')

/** An object of the host may hold more; one that holds something, and no sink, was meant otherwise. */
const sinkCallbacks = z
  .looseObject({ event: callback.optional(), draft: callback.optional(), flow: z.custom<Flow>(isFlow).optional() })
  .refine((sinks) => sinks.event !== undefined || sinks.draft !== undefined || Object.values(sinks).every((each) => each === undefined))

/** More than these nobody means to have tried. */
const MOST_TARGETS = 32

/** A name of the host's goes into logs and ledgers, and a host may put it into a header: it stays on its line. */
const name = z.string().min(1).refine(isPlainText, 'must not contain control characters')
const modelSchema = z.string().refine(isPlainText, 'must not contain control characters').nullable()
const scopesSchema = z.union([name, z.array(name)])
const targetsSchema = z
  .array(z.strictObject({ profile: name, model: modelSchema.optional() }))
  .min(1, 'must name a profile')
  .max(MOST_TARGETS)
/** What the call asks for itself. */
const askedModel = { model: modelSchema.optional(), targets: targetsSchema.optional() }

const ASKED_TWICE = { path: ['targets'], message: 'They stand beside `model`; a turn asks for one of them.' }

const requestSchema = z
  .strictObject({
    id: name.optional(),
    messages: z.array(messageSchema).optional(),
    prompt: z.string().optional(),
    ...askedModel,
    scope: scopesSchema.optional(),
    caller: name.optional(),
    tools: z.array(toolDefinitionSchema).optional(),
    options: callOptionsSchema.optional(),
    passThrough: passThroughSchema.optional(),
    stream: z.boolean().optional(),
    sinks: z.union([z.array(z.enum(['event', 'draft'])), sinkCallbacks]).optional(),
    signal: z.custom<AbortSignal>((value) => value instanceof AbortSignal).optional(),
  })
  .refine((request) => request.messages === undefined || request.prompt === undefined, {
    path: ['prompt'],
    message: 'It stands beside `messages`; a turn asks one of them.',
  })
  .refine(asksOnce, ASKED_TWICE)

const openTurnSchema = z
  .strictObject({
    id: name.optional(),
    prompt: z.string().optional(),
    ...askedModel,
    scope: scopesSchema.optional(),
    caller: name.optional(),
    signal: z.custom<AbortSignal>((value) => value instanceof AbortSignal).optional(),
  })
  .refine(asksOnce, ASKED_TWICE)

const askedSchema = z.strictObject(askedModel).refine(asksOnce, ASKED_TWICE)

/** A model that is none, null or blank, asks for nothing. */
function asksOnce({ model, targets }: Pick<TurnRequest, 'model' | 'targets'>): boolean {
  return targets === undefined || presentModel(model ?? null) === null
}

/** Throws a ConfigError that names every field that cannot be used. */
export function checkOpenTurn(request: OpenTurnRequest): OpenTurnRequest {
  const read = openTurnSchema.safeParse(request)
  if (!read.success) throw new ConfigError(read.error.issues.map(problemOf))
  return request
}

/** Throws a ConfigError for targets that cannot be used, wherever a plan is asked for. */
export function checkTargets({ model, targets }: Pick<TurnRequest, 'model' | 'targets'>): void {
  if (targets === undefined) return
  const read = askedSchema.safeParse({ model, targets })
  if (!read.success) throw new ConfigError(read.error.issues.map(problemOf))
}

/** The choice for a scope, or null for none. Throws a ConfigError. */
export function checkChoice(scope: string, model: string | null): string | null {
  const read = z.strictObject({ scope: name, model: modelSchema }).safeParse({ scope, model })
  if (!read.success) throw new ConfigError(read.error.issues.map(problemOf))
  return model === null || model.trim() === '' ? null : model
}

/** The messages of a request: its own, or its prompt as the only one. */
export function messagesOf(request: CheckedRequest): readonly Message[] {
  return request.messages ?? [{ role: 'user', content: request.prompt ?? '' }]
}

/**
 * The request with its defaults filled in and lists of its own: what the host does to them later is not what was checked (R12). Throws a
 * ConfigError that names every field that cannot be used. A plain text request passes without a schema.
 */
export function checkRequest(request: TurnRequest): CheckedRequest {
  if (isPlain(request))
    return request.messages === undefined ? { ...request } : { ...request, messages: request.messages.map((each) => ({ ...each })) }
  const read = requestSchema.safeParse(request)
  if (!read.success) throw new ConfigError(read.error.issues.map(problemOf))
  const { messages, targets, tools, options } = read.data
  return { ...request, messages, targets, tools, options }
}

function problemOf(issue: z.core.$ZodIssue): Diagnostic {
  return {
    code: 'invalid_request',
    path: z.core.toDotPath(issue.path) || 'request',
    message: issue.message,
    remedy: 'docs/embedding.md lists the fields of a request.',
  }
}

const PLAIN_FIELDS: ReadonlySet<string> = new Set(['id', 'messages', 'prompt', 'model', 'caller', 'sinks', 'signal', 'stream', 'passThrough'])

/** The common request, checked by hand: a schema costs more than the rest of the planning. */
function isPlain(request: TurnRequest): request is CheckedRequest {
  if (typeof request !== 'object' || request === null) return false
  for (const field in request) if (!PLAIN_FIELDS.has(field)) return false
  if (request.sinks !== undefined && !isPlainSinks(request.sinks)) return false
  if (request.signal !== undefined && !(request.signal instanceof AbortSignal)) return false
  if (!isPassThrough(request.passThrough)) return false
  if (!hasPlainNames(request) || !isLeftOutOr('string', request.prompt) || !isLeftOutOr('boolean', request.stream)) return false
  if (request.messages === undefined) return true
  if (request.prompt !== undefined) return false
  return Array.isArray(request.messages) && request.messages.every(isPlainMessage)
}

function hasPlainNames({ id, model, caller }: TurnRequest): boolean {
  if (id === '' || caller === '' || !isLeftOutOr('string', id) || !isLeftOutOr('string', caller)) return false
  if (!(model === null || isLeftOutOr('string', model))) return false
  return isPlainText(id ?? '') && isPlainText(model ?? '') && isPlainText(caller ?? '')
}

function isPlainSinks(sinks: unknown): boolean {
  if (Array.isArray(sinks)) return sinks.every((sink) => sink === 'event' || sink === 'draft')
  if (typeof sinks !== 'object' || sinks === null) return false
  const { event, draft, flow } = sinks as { event?: unknown; draft?: unknown; flow?: unknown }
  if (!isFlow(flow)) return false
  return isLeftOutOr('function', event) && isLeftOutOr('function', draft) && (event !== undefined || draft !== undefined)
}

function isLeftOutOr(type: 'string' | 'boolean' | 'function', value: unknown): boolean {
  return value === undefined || typeof value === type
}

function isPlainMessage(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return false
  const { role, content } = message as { role?: unknown; content?: unknown }
  if (typeof content !== 'string' || (role !== 'user' && role !== 'system' && role !== 'assistant')) return false
  for (const field in message) if (field !== 'role' && field !== 'content') return false
  return true
}

const CONTROL = /\p{Cc}/u

function isPlainText(text: string): boolean {
  return !CONTROL.test(text)
}
