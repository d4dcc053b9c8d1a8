import { hasImage, type Message, textOf } from '../../model/message.ts'
import { CannotSend } from '../cannot-send.ts'
import type { CallOptions } from '../contract.ts'

/**
 * A conversation as the one text that a CLI takes.
 *
 * 1. A user's message that stands alone is the prompt byte for byte.
 * 2. A longer history is a transcript in its own order. Every message stands in a mark of its role, and no message can close its mark or
 *    open another: where one contains the mark, the mark gets a number that none contains.
 * 3. What cannot be written as text is refused, never left out.
 */
export interface CliPrompt {
  /** What the system messages say, joined; null without any. */
  readonly system: string | null
  readonly prompt: string
}

/** `program` is how a person calls it. */
export function promptOf(messages: readonly Message[], program: string): CliPrompt {
  const system: string[] = []
  const conversation: Message[] = []
  if (hasImage(messages))
    throw new CannotSend(`${program} takes no image with its prompt; leave the image out, or put an entry with vision into the chain`)
  for (const message of messages) {
    if (message.role !== 'system') conversation.push(message)
    else if (!isBlank(message.content)) system.push(message.content)
  }
  if (!conversation.some(asks)) throw new CannotSend(`there is nothing to ask ${program}; end the messages with one of the user that is not blank`)
  const [first] = conversation
  const prompt = conversation.length === 1 && first?.role === 'user' ? textOf(first) : transcriptOf(conversation)
  return { system: system.length === 0 ? null : system.join('\n\n'), prompt }
}

/** What a program can be told only in front of its prompt. */
export function behindSystem(system: string | null, prompt: string): string {
  return system === null ? prompt : `${system}\n\n${prompt}`
}

/** Said of an option that is left to the program either way. */
const HARMLESS: Readonly<Partial<Record<keyof CallOptions, readonly unknown[]>>> = { toolChoice: ['auto', 'none'] }

/**
 * Throws CannotSend for the first stated option that the program cannot be told, since a call without it would be another call. `able`
 * names those that it can. Options for another family or profile never arrive here (R1).
 */
export function refuseOptions(options: CallOptions, family: string, able: readonly (keyof CallOptions)[]): void {
  const { providerOptions, ...common } = options
  for (const [name, value] of Object.entries(common) as [keyof CallOptions, unknown][]) {
    if (value === undefined || able.includes(name) || HARMLESS[name]?.includes(value) === true) continue
    if (Array.isArray(value) && value.length === 0) continue
    throw new CannotSend(`${family} cannot be told \`${name}\`; leave it out, or put an entry that takes it into the chain`)
  }
  for (const name of Object.keys(providerOptions ?? {}))
    if (name === family || name.startsWith(`${family}.`))
      throw new CannotSend(`${family} takes no \`providerOptions.${name}\`; write what its command line needs into \`cli.args\` of the profile`)
}

const OPENING =
  'Below is a conversation, oldest message first, each message in a mark that names its role. Answer its last message; the earlier ones are context.'

function transcriptOf(messages: readonly Message[]): string {
  const mark = unusedMark(messages)
  const parts = [OPENING]
  for (const message of messages) {
    const lines = linesOf(message, mark)
    if (lines.length > 0) parts.push([`<${mark} role=${JSON.stringify(message.role)}${detailOf(message)}>`, ...lines, `</${mark}>`].join('\n'))
  }
  return parts.join('\n\n')
}

function linesOf(message: Message, mark: string): string[] {
  const text = textOf(message)
  const lines = text === '' && message.role !== 'tool' ? [] : [text]
  if (message.role !== 'assistant') return lines
  for (const { id, name, arguments: written } of message.toolCalls ?? [])
    lines.push(`<${mark}-tool-call${id === null ? '' : ` id=${JSON.stringify(id)}`} name=${JSON.stringify(name)}>${written}</${mark}-tool-call>`)
  return lines
}

function detailOf(message: Message): string {
  if (message.role !== 'tool') return ''
  return `${message.toolCallId === null ? '' : ` tool-call=${JSON.stringify(message.toolCallId)}`}${message.isError === true ? ' failed' : ''}`
}

const MARK = 'message'
const MARKS = /<\/?message(?:-(\d{1,9}))?/gi

/** `message`, or with the least number that no text has in such a mark. */
function unusedMark(messages: readonly Message[]): string {
  const used = new Set<number>()
  for (const message of messages) for (const text of textsOf(message)) for (const [, number] of text.matchAll(MARKS)) used.add(Number(number ?? 0))
  let number = 0
  while (used.has(number)) number += 1
  return number === 0 ? MARK : `${MARK}-${number}`
}

function textsOf(message: Message): readonly string[] {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : []
  return [textOf(message), ...calls.flatMap(({ id, name, arguments: written }) => [id ?? '', name, written])]
}

/** Whether it is something to answer: of the user, or a tool. */
function asks(message: Message): boolean {
  return message.role === 'user' ? !isBlank(textOf(message)) : message.role === 'tool'
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}
