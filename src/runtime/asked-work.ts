import { hasImage, type Message, textOf } from '../model/message.ts'
import type { Diagnostic, Plan } from '../model/plan.ts'
import { shortenHistory } from '../policy/context.ts'
import { type CheckedRequest, messagesOf, type TurnRequest } from './request.ts'
import type { TurnHandle } from './turn-handle.ts'
import type { CallPlan, TurnWork } from './turn-work.ts'

/** What a turn works on when a host asked for it. */
export function workOf(
  { settings: { reliability, budgets, endMarkers }, before }: Pick<CallPlan, 'settings' | 'before'>,
  request: CheckedRequest,
  plan: Plan,
  handle: TurnHandle,
): TurnWork {
  const messages = messagesOf(request)
  const tools = request.tools ?? []
  const { eventSink, draftSink } = sinksOf(request, handle)
  return {
    plan,
    messages,
    shortened: shortenHistory(messages),
    tools,
    options: request.options ?? {},
    // A draft is the whole text each time, so nothing of it may go unread.
    passThrough: draftSink ? undefined : request.passThrough,
    needs: { streaming: (eventSink || draftSink) && request.stream !== false, tools: tools.length > 0, vision: hasImage(messages) },
    eventSink,
    draftSink,
    reliability,
    budgets,
    endMarkers,
    before,
    warnings: turnWarnings(plan.warnings, handle.id),
  }
}

function sinksOf(request: TurnRequest, handle: TurnHandle): { eventSink: boolean; draftSink: boolean } {
  const { sinks } = request
  if (sinks === undefined) return { eventSink: handle.isWatched, draftSink: false }
  if (Array.isArray(sinks)) return { eventSink: sinks.includes('event'), draftSink: sinks.includes('draft') }
  const callbacks = sinks as { event?: unknown; draft?: unknown }
  return { eventSink: callbacks.event !== undefined, draftSink: callbacks.draft !== undefined }
}

export function lastPrompt(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === 'user')
  return last === undefined ? '' : textOf(last)
}

/** Of a plan's warnings those that this turn itself brought; the settings' own are told once, by the kernel. */
function turnWarnings(warnings: readonly Diagnostic[], turn: string): Diagnostic[] {
  return warnings.filter((warning) => warning.path === 'model').map((warning) => ({ ...warning, path: `turns.${turn}.model` }))
}
