import type { Message } from '../../model/message.ts'

type ToolMessage = Extract<Message, { role: 'tool' }>

/**
 * A history whose every tool call and result has an id, for the protocols that demand one. A call without an id gets one from its place;
 * a result without an id answers the oldest call that is still open. An id of the provider is kept as it is.
 */
export function withCallIds(messages: readonly Message[]): readonly Message[] {
  let open: string[] = []
  return messages.map((message, at) => {
    if (message.role === 'assistant' && message.toolCalls !== undefined && message.toolCalls.length > 0) {
      const toolCalls = message.toolCalls.map((call, number) => ({ ...call, id: call.id ?? `call_${at}_${number}` }))
      open = toolCalls.map((call) => call.id)
      return { ...message, toolCalls }
    }
    return message.role === 'tool' ? answered(message, open) : message
  })
}

function answered(message: ToolMessage, open: string[]): ToolMessage {
  const id = message.toolCallId ?? open[0] ?? 'call_unknown'
  const at = open.indexOf(id)
  if (at >= 0) open.splice(at, 1)
  return { ...message, toolCallId: id }
}
