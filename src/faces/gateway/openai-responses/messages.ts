import type { ContentPart, MessageInput } from '../../../index.ts'
import { BadRequest } from '../problem.ts'
import { imagePart } from '../request-fields.ts'
import type { InputItem, InputPart, MessageItem } from './input-schema.ts'

/**
 * Input items as the messages that they say, for entries of other protocols and for a history that has to be shortened.
 *
 * 1. Calls that follow each other, and the text before or between them, are one answer: a call is not parted from its siblings.
 * 2. A tool that the caller runs is a call and a result under whatever name it has. What ran at a provider, and thoughts, are left out:
 *    nobody else can read them, and the answer behind them says what came of them.
 * 3. A part that only this protocol knows is not dropped in silence: its place says what stood there.
 */
export function messagesOf(instructions: string | null | undefined, items: readonly InputItem[]): MessageInput[] {
  const transcript = new Transcript()
  if (instructions != null && instructions !== '') transcript.add({ role: 'system', content: instructions })
  items.forEach((item, index) => void take(transcript, item, `input[${index}]`))
  return transcript.messages
}

function take(transcript: Transcript, item: InputItem, path: string): void {
  switch (item.type) {
    case 'message':
      return item.role === 'assistant' ? transcript.say(textOf(item.content)) : transcript.add(messageOf(item, path))
    case 'function_call':
      return transcript.call({ id: item.call_id, name: item.name, arguments: item.arguments })
    case 'function_call_output':
    case 'custom_tool_call_output':
      return transcript.result(item.call_id, contentOf(item.output, `${path}.output`), path)
    case 'other':
      return takeOther(transcript, item.value, path)
  }
}

const CALL = /^(.+)_call$/
const OUTPUT = /_call_output$/

function takeOther(transcript: Transcript, value: Extract<InputItem, { type: 'other' }>['value'], path: string): void {
  const { type, id, call_id, status, ...rest } = value
  const [, tool] = CALL.exec(type) ?? []
  if (tool !== undefined && typeof call_id === 'string') {
    const { name, ...input } = rest
    return transcript.call({ id: call_id, name: typeof name === 'string' ? name : tool, arguments: JSON.stringify(input) })
  }
  // The result of a local shell names its call by `id`.
  const answered = call_id ?? id
  if (OUTPUT.test(type) && typeof answered === 'string') {
    transcript.result(answered, typeof rest['output'] === 'string' ? rest['output'] : JSON.stringify(rest['output'] ?? null), path)
  }
}

type Call = { readonly id: string; readonly name: string; readonly arguments: string }

/** Grows by an item at a time without copying what is there: a client may send a hundred thousand. */
class Transcript {
  readonly messages: MessageInput[] = []
  readonly #ids = new Set<string>()
  /** The calls of the last message, where it has any. */
  #calls: Call[] | null = null

  add(message: MessageInput): void {
    this.#calls = null
    this.messages.push(message)
  }

  say(text: string): void {
    const last = this.messages.at(-1)
    if (this.#calls === null || last?.role !== 'assistant') this.add({ role: 'assistant', content: text })
    else this.#replaceLast(`${String(last.content)}${text}`, this.#calls)
  }

  call(call: Call): void {
    this.#ids.add(call.id)
    if (this.#calls !== null) return void this.#calls.push(call)
    const last = this.messages.at(-1)
    if (last?.role === 'assistant') this.#replaceLast(String(last.content), [call])
    else {
      const calls = [call]
      this.add({ role: 'assistant', content: '', toolCalls: calls })
      this.#calls = calls
    }
  }

  #replaceLast(content: string, calls: Call[]): void {
    this.messages[this.messages.length - 1] = { role: 'assistant', content, toolCalls: calls }
    this.#calls = calls
  }

  /** Throws BadRequest for the result of a call that is not in the input. */
  result(id: string, content: string | ContentPart[], path: string): void {
    if (!this.#ids.has(id)) {
      throw new BadRequest(
        `${path}.call_id: no call before it has this id, and nothing is kept here between requests; send the call in front of its output`,
        `${path}.call_id`,
      )
    }
    this.add({ role: 'tool', content, toolCallId: id })
  }
}

function messageOf({ role, content }: MessageItem, path: string): MessageInput {
  return role === 'user' ? { role, content: contentOf(content, `${path}.content`) } : { role: 'system', content: textOf(content) }
}

function contentOf(content: string | readonly InputPart[], path: string): string | ContentPart[] {
  return typeof content === 'string' ? content : content.map((part, at) => partOf(part, `${path}[${at}]`))
}

function partOf(part: InputPart, path: string): ContentPart {
  if (part.type === 'input_image' && part.image_url != null) return imagePart(part.image_url, `${path}.image_url`)
  return { type: 'text', text: wordsOf(part) }
}

function textOf(content: string | readonly InputPart[]): string {
  return typeof content === 'string' ? content : content.map(wordsOf).join('')
}

function wordsOf(part: InputPart): string {
  switch (part.type) {
    case 'refusal':
      return part.refusal
    case 'input_image':
      return '[an image that cannot be shown here]'
    case 'input_file':
      return `[the file ${part.filename ?? 'without a name'}, which cannot be shown here]`
    case 'other':
      return `[${part.value.type}, which cannot be shown here]`
    default:
      return part.text
  }
}
