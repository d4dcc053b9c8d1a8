import type { Outcome, ToolCall, Turn } from '../../index.ts'
import type { FinishReason, Metadata, ModelContent, ModelUsage } from './specification.ts'

/** What an outcome is in the AI SDK's words. */

export function usageOf({ usage }: Outcome): ModelUsage {
  const { input, output, cachedInput } = usage ?? {}
  return {
    inputTokens: {
      total: input,
      noCache: input === undefined || cachedInput === undefined ? undefined : input - cachedInput,
      cacheRead: cachedInput,
      // Not told apart: the kernel counts them in `input`, and how many of the output were reasoning in `output`.
      cacheWrite: undefined,
    },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
    ...(usage === null ? {} : { raw: { ...usage } }),
  }
}

/** A refusal is an answer of this kind to the AI SDK, not an error; the word of the provider itself does not leave the kernel. */
export function finishReasonOf({ kind, toolCalls }: Outcome): FinishReason {
  return { unified: unified(kind, toolCalls), raw: undefined }
}

function unified(kind: Outcome['kind'], toolCalls: readonly ToolCall[]): FinishReason['unified'] {
  switch (kind) {
    case 'ok':
      return toolCalls.length > 0 ? 'tool-calls' : 'stop'
    case 'incomplete':
      return 'length'
    case 'refused':
      return 'content-filter'
    default:
      return 'error'
  }
}

/** Whether the AI SDK is handed an answer, be it cut short or refused; anything else is an error to it. */
export function isAnswered({ kind }: Outcome): boolean {
  return kind === 'ok' || kind === 'incomplete' || kind === 'refused'
}

/** `providerMetadata.relevo`: who was asked, who served, what it took. No word of prompt or answer is in it (R36). */
export function metadataOf(turn: Turn, outcome: Outcome): Metadata {
  const { kind, requested, served, attempts, attribution, recoveredFrom, historyShortened, unterminated, notice, usage, cost, retryAt } = outcome
  const told = {
    turn: turn.id,
    kind,
    requested,
    served,
    attempts,
    attribution,
    recoveredFrom,
    historyShortened,
    unterminated,
    notice,
    usage,
    cost,
    retryAt,
  }
  // Only what JSON can say: hosts send it on to pages.
  return { relevo: JSON.parse(JSON.stringify(told)) }
}

/** A part that the AI SDK hands back with the history carries what the issuer of the answer wants back. */
export function issuedOf({ message }: Outcome): { providerMetadata?: Metadata } {
  const issued = message?.issued
  return issued === undefined ? {} : { providerMetadata: { relevo: JSON.parse(JSON.stringify({ issued })) } }
}

/** Ids are needed to pair calls and results; a wire that has none gets some. */
export function callIdOf(turn: Turn, call: ToolCall, at: number): string {
  return call.id ?? `${turn.id}-${at + 1}`
}

/**
 * The answer of a call. What its issuer wants back stands on the first tool call, else on the text: those parts are what the AI SDK keeps of
 * an answer, and a host that prunes its history takes them out together.
 */
export function contentOf(turn: Turn, outcome: Outcome): ModelContent[] {
  const { toolCalls } = outcome
  const issued = issuedOf(outcome)
  const content: ModelContent[] = []
  if (outcome.reasoning !== '') content.push({ type: 'reasoning', text: outcome.reasoning })
  const text = outcome.text === '' ? (outcome.partialText ?? '') : outcome.text
  if (text !== '') content.push({ type: 'text', text, ...(toolCalls.length === 0 ? issued : {}) })
  for (const [at, call] of toolCalls.entries()) {
    const { name: toolName, arguments: input } = call
    content.push({ type: 'tool-call', toolCallId: callIdOf(turn, call, at), toolName, input, ...(at === 0 ? issued : {}) })
  }
  return content
}
