import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GatewaySettings, Kernel } from '../../index.ts'
import { aimOf } from './aim.ts'
import { countTokens } from './anthropic-messages/count-tokens.ts'
import { anthropicMessagesDialect } from './anthropic-messages/dialect.ts'
import type { Dialect } from './dialect.ts'
import { type Over, retryAfter, startExchange } from './exchange.ts'
import { readBody } from './json-body.ts'
import { openaiChatDialect } from './openai-chat/dialect.ts'
import { openaiResponsesDialect } from './openai-responses/dialect.ts'
import { BadRequest, type Problem, problemOf } from './problem.ts'

export interface GatewayOptions {
  readonly kernel: Kernel
  readonly settings: GatewaySettings
  /** Answers what is no path of the gateway, such as the page; false where it is none of its either. */
  readonly beside?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  readonly onOver?: ((over: Over) => void) | undefined
}

export interface RunningGateway {
  /** Where it listens: `http://127.0.0.1:4141`. */
  readonly address: string
  /** Takes no more requests, lets those in flight end, and cancels what is left after `graceMs`. */
  close(graceMs?: number): Promise<void>
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  '/v1/chat/completions': openaiChatDialect,
  '/v1/responses': openaiResponsesDialect,
  '/v1/messages': anthropicMessagesDialect,
  '/v1/messages/count_tokens': anthropicMessagesDialect,
}

/** What is answered without a turn, as an estimate: `x-relevo-estimate` says so. */
const ESTIMATES: Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => object>> = {
  '/v1/messages/count_tokens': countTokens,
}

/** Starts to listen. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { settings } = options
  const server = createServer((request, response) => void answer(options, request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.port, settings.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port } = server.address() as AddressInfo
  return {
    address: `http://${settings.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}

async function answer(options: GatewayOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { kernel, settings } = options
  const path = (request.url ?? '').split('?')[0] ?? ''
  const dialect = DIALECTS[path]
  if (dialect === undefined) {
    if (options.beside?.(request, response) !== true) refuse(response, openaiChatDialect, problemOf('not_found', 'there is nothing here'))
    return
  }
  try {
    const body = await readBody(request)
    const estimate = ESTIMATES[path]
    if (estimate !== undefined) return say(response, 200, estimate(body), { 'x-relevo-estimate': 'true' })
    startExchange(
      {
        kernel,
        dialect,
        body,
        aim: (asked) => aimOf(kernel, asked),
        caller: null,
        headers: {},
        firstByteMs: settings.firstByteMs,
        timeoutMs: 0,
        onOver: options.onOver ?? (() => {}),
      },
      request,
      response,
    )
  } catch (error) {
    refuse(response, dialect, error instanceof BadRequest ? error.problem : problemOf('internal', 'a fault of the gateway'))
  }
}

function refuse(response: ServerResponse, dialect: Dialect, problem: Problem): void {
  say(response, problem.status, dialect.error(problem, null), retryAfter(problem))
}

function say(response: ServerResponse, status: number, answer: object, headers: Readonly<Record<string, string>>): void {
  if (response.headersSent || response.destroyed) return
  const body = JSON.stringify(answer)
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body), ...headers })
  response.end(body)
}
