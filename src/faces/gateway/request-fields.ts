import { z } from 'zod'
import type { ContentPart, MessageInput } from '../../index.ts'
import { BadRequest } from './problem.ts'

/**
 * The longest that a cloud has is the address of a deployment, of 2 048 characters. A name stands in each row of the ledger, on the page and in
 * headers of the answer: one of megabytes would fill them all.
 */
const MAX_NAME = 2_048
const modelName = z.string().max(MAX_NAME, `is longer than the ${MAX_NAME} characters that a name may have`)

/** Fields that every protocol of clients has alike. */
export const modelFields = {
  model: modelName.nullish(),
  /** Ours: ordered fallbacks for this request. */
  models: list(modelName, 0, 32).nullish(),
}

/** Items that are read before it is looked whether one was wrong. */
const AT_ONCE = 100

/**
 * A list whose first wrong item ends the reading. What is wrong with an item takes a thousand times the room of the item, and one is told: a body
 * of nothing but wrong ones, read to its end, held everybody up for a minute and filled the memory.
 */
export function list<Item extends z.ZodType>(item: Item, least = 0, most = Number.MAX_SAFE_INTEGER) {
  const some = z.array(item)
  return z
    .array(z.unknown())
    .min(least)
    .max(most)
    .transform((items, context): z.output<Item>[] => {
      const read: z.output<Item>[] = []
      for (let from = 0; from < items.length; from += AT_ONCE) {
        const part = some.safeParse(items.slice(from, from + AT_ONCE))
        const [first] = part.error?.issues ?? []
        if (first !== undefined) {
          const [index, ...path] = first.path
          context.issues.push({ ...first, input: items, path: [from + Number(index), ...path] } as z.core.$ZodRawIssue)
          return z.NEVER
        }
        for (const each of part.data ?? []) read.push(each)
      }
      return read
    })
}

/** A value of a kind that is none of these; only what kind it is is kept. */
export function otherThan(...known: readonly string[]) {
  return z
    .looseObject({ type: z.string().refine((type) => !known.includes(type), 'is not written as this type is') })
    .transform(({ type }) => ({ type: 'other' as const, kind: type }))
}

/** The body by its schema; throws BadRequest that names the first field at fault. */
export function parsed<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const read = schema.safeParse(body)
  if (read.success) return read.data
  const issue = deepest(read.error.issues)
  const path = z.core.toDotPath(issue.path)
  throw new BadRequest(`${path === '' ? 'the body' : path}: ${issue.message}`, path === '' ? null : path)
}

/** Of the branches of a union that which got farthest says what is wrong; "invalid input" says nothing. */
function deepest(issues: readonly z.core.$ZodIssue[], above: readonly PropertyKey[] = []): { path: readonly PropertyKey[]; message: string } {
  const [first] = issues
  if (first === undefined) return { path: above, message: 'is not what was expected' }
  const path = [...above, ...first.path]
  if (first.code !== 'invalid_union' || first.errors.length === 0) return { path, message: first.message }
  const branches = first.errors.map((branch) => deepest(branch, path))
  return branches.reduce((best, next) => (next.path.length > best.path.length ? next : best))
}

/** An image by its address or its data; throws BadRequest for a `data:` that is none. */
export function imagePart(url: string, param: string): Extract<ContentPart, { type: 'image' }> {
  if (!url.startsWith('data:')) {
    if (!URL.canParse(url) || !/^https?:/i.test(url))
      throw new BadRequest(`${param}: must be an http(s) address or data:<type>;base64,<bytes>`, param)
    return { type: 'image', mediaType: 'image/png', url }
  }
  const [, mediaType, data] = /^data:([\w.+-]+\/[\w.+-]+);base64,([A-Za-z0-9+/=\s]*)$/.exec(url) ?? []
  if (mediaType === undefined || data === undefined) throw new BadRequest(`${param}: must be data:<type>;base64,<bytes>`, param)
  return { type: 'image', mediaType, data }
}

/** Arguments are an object. OpenAI takes a schema that does not say so, and others refuse it. */
export function argumentsSchema(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return 'type' in schema ? schema : { type: 'object', ...schema }
}

/** OpenAI answers instructions alone; most others refuse a conversation in which nobody asks anything, so there the last of them is the question. */
export function withQuestion(messages: MessageInput[]): MessageInput[] {
  const last = messages.at(-1)
  if (last?.role !== 'system' || messages.some(({ role }) => role !== 'system')) return messages
  return [...messages.slice(0, -1), { role: 'user', content: last.content }]
}

/** Words of protocols for effort that the house has not are told by the nearest it has; no effort at all is none. */
export function effortOf(word: string | null | undefined): 'low' | 'medium' | 'high' | undefined {
  switch (word) {
    case 'minimal':
    case 'low':
      return 'low'
    case 'medium':
      return 'medium'
    case 'high':
    case 'xhigh':
    case 'max':
      return 'high'
    default:
      return undefined
  }
}
