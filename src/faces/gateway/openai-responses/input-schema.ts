import { z } from 'zod'
import { list } from '../request-fields.ts'

/**
 * The input items of a request (platform.openai.com/docs/api-reference/responses/create#responses-create-input). A kind that is not known
 * here is `other`: it reaches an entry of the same protocol as it is.
 */

/** What refers to something that a provider keeps cannot be asked of another. */
const REFERENCE =
  'refers to an item that is kept at a provider, and nothing is kept here; send the item itself (`store: false` makes most clients do so)'

const TEXTS = ['input_text', 'output_text', 'text', 'summary_text'] as const
const PARTS: readonly string[] = [...TEXTS, 'refusal', 'input_image', 'input_file']

/** Anything of a kind that is not among these, as it came. */
function otherThan(known: readonly string[]) {
  return z
    .looseObject({ type: z.string().refine((type) => !known.includes(type), 'is not whole') })
    .transform((value) => ({ type: 'other' as const, value: value as Readonly<Record<string, unknown>> & { readonly type: string } }))
}

const part = z.union([
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.enum(TEXTS), text: z.string() }),
    z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
    z.looseObject({ type: z.literal('input_image'), image_url: z.string().nullish() }),
    z.looseObject({ type: z.literal('input_file'), filename: z.string().nullish() }),
  ]),
  otherThan(PARTS),
])
export type InputPart = z.infer<typeof part>

const content = z.union([z.string(), list(part)])

const message = z.looseObject({ type: z.literal('message'), role: z.enum(['user', 'assistant', 'system', 'developer']), content })
const call = z.looseObject({ type: z.literal('function_call'), call_id: z.string(), name: z.string(), arguments: z.string().default('') })
const OUTPUTS = ['function_call_output', 'custom_tool_call_output'] as const
const callOutput = z.looseObject({ type: z.enum(OUTPUTS), call_id: z.string(), output: content })
const reference = z.looseObject({ type: z.literal('item_reference'), id: z.null(REFERENCE) })

export type MessageItem = z.infer<typeof message>

const ITEMS: readonly string[] = ['message', 'function_call', ...OUTPUTS, 'item_reference']

/** A message may leave its type out. */
export const inputItem = z.preprocess(
  (item) => (typeof item === 'object' && item !== null && !('type' in item) && 'role' in item ? { ...item, type: 'message' } : item),
  z.union([z.discriminatedUnion('type', [message, call, callOutput, reference]), otherThan(ITEMS)]),
)
export type InputItem = z.infer<typeof inputItem>
