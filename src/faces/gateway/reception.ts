import type { IncomingMessage, ServerResponse } from 'node:http'
import { Members } from '../../host.ts'
import type { GatewayKey, GatewaySettings, Kernel, Logger } from '../../index.ts'
import { headersSentOn, timeoutOf } from './client-headers.ts'
import type { Dialect } from './dialect.ts'
import type { Door } from './door.ts'
import { type Over, type Running, retryAfter, startExchange } from './exchange.ts'
import { health } from './health.ts'
import { BodyRoom, ClientGone, checkHead, readBody } from './json-body.ts'
import type { Limits } from './listener.ts'
import type { Metrics } from './metrics.ts'
import { modelNames } from './models.ts'
import { BadRequest, type Problem, problemOf } from './problem.ts'
import { type Admission, DEFAULT_RULES, Quota, type QuotaRules } from './quota.ts'
import { aimWithin } from './reach.ts'
import { respond } from './respond.ts'
import { dialectOfClient, modelsVoiceOf, type Route, routeOf } from './routes.ts'
import { TypedModels } from './typed-models.ts'

export interface GatewayOptions {
  readonly kernel: Kernel
  readonly settings: GatewaySettings
  /** `budgets` of the settings in force: how days and unknown costs of keys count. Days of UTC, unknown costs exceed, without any. */
  readonly budgets?: (() => QuotaRules | null) | undefined
  /** Pico-USD that earlier processes spent today, by the id of a key: `spentByCallerOnDay` of a ledger. */
  readonly earlier?: ReadonlyMap<string, number> | undefined
  /** Answers what is no path of the gateway, such as the page; false where it is none of its either. Asked for this host and from no other site, but for no key. */
  readonly beside?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  readonly onOver?: ((over: Over) => void) | undefined
  /** A line for each answer, at `error` with what happened for each fault of ours; never text of a request or an answer. */
  readonly logger?: Logger | undefined
  /** What is stood of clients; the rest stays as it is. */
  readonly limits?: Partial<Limits> | undefined
  /** Epoch ms; the wall clock. */
  readonly now?: (() => number) | undefined
}

/**
 * What comes in, from the head of a request to the start of its exchange.
 *
 * 1. In this order: is it for this host, is there such a path, may it be asked so, who asks, may they ask now. Before all of that is answered
 *    nothing of the body is read.
 * 2. Whatever goes wrong is answered in the dialect of the path; a fault of ours without a word of its cause, which the log has.
 */
export class Reception {
  readonly #options: GatewayOptions
  readonly #door: Door
  readonly #quota: Quota
  readonly #metrics: Metrics
  readonly #room: BodyRoom
  readonly #isDraining: () => boolean
  readonly #startedAt: number
  readonly #running = new Members<Running>()
  readonly #typed = new TypedModels()

  constructor({ options, door, metrics, limits, isDraining }: ReceptionParts) {
    const { kernel, budgets, earlier = new Map(), now = Date.now } = options
    this.#options = options
    this.#door = door
    this.#quota = new Quota({ kernel, rules: () => budgets?.() ?? DEFAULT_RULES, earlier, now })
    this.#metrics = metrics
    this.#room = new BodyRoom(limits.bodiesBytes)
    this.#isDraining = isDraining
    this.#startedAt = now()
  }

  /** Ends what is under way; each client is told in the way of its protocol. */
  cancelAll(): void {
    for (const running of this.#running) running.cancel()
  }

  /** A request has come; `goOn` tells a client that waits for it that its body is wanted. */
  came(request: IncomingMessage, response: ServerResponse, goOn: () => void): void {
    // What breaks is told by `close`; there is nothing else to do about it.
    request.on('error', () => {})
    response.on('error', () => {})
    const route = routeOf(request)
    try {
      const misdirected = this.#door.misdirected(request)
      if (misdirected !== null) return this.#refuse(request, response, route, misdirected)
      if (route === null) return this.#beside(request, response)
      this.#routed(request, response, route, goOn)
    } catch (error) {
      this.#failed(request, response, route, error)
    }
  }

  #beside(request: IncomingMessage, response: ServerResponse): void {
    if (this.#options.beside?.(request, response) === true) return
    this.#refuse(request, response, null, problemOf('not_found', 'There is nothing here.'))
  }

  #routed(request: IncomingMessage, response: ServerResponse, route: Route, goOn: () => void): void {
    if (!route.methods.includes(request.method ?? '')) {
      const allow = route.methods.join(', ')
      const problem = problemOf('invalid_request', `This path takes ${allow}.`, { status: 405, code: 'method_not_allowed' })
      return this.#refuse(request, response, route, problem, { allow })
    }
    if (route.name === 'health') {
      const { status, body } = health(this.#isDraining())
      return this.#tell(request, response, route, status, body)
    }
    const caller = this.#door.callerOf(request)
    if (caller !== null && 'status' in caller) return this.#refuse(request, response, route, caller, { 'www-authenticate': 'Bearer' })
    if (this.#isDraining()) return this.#refuse(request, response, route, STOPPING)
    this.#asked(request, response, route, caller, goOn)
  }

  #asked(request: IncomingMessage, response: ServerResponse, route: Route, key: GatewayKey | null, goOn: () => void): void {
    switch (route.name) {
      case 'models':
        return this.#models(request, response, route, key)
      case 'metrics':
        return void this.#measured(request, response, route, key)
      default:
        return void this.#posted(request, response, route, key, goOn)
    }
  }

  #models(request: IncomingMessage, response: ServerResponse, route: Route, key: GatewayKey | null): void {
    const names = modelNames(this.#options.kernel, key)
    const voice = modelsVoiceOf(request)
    const { id } = route
    if (id === null) return this.#tell(request, response, route, 200, voice.list(names, this.#startedAt))
    if (names.includes(id)) return this.#tell(request, response, route, 200, voice.one(id, this.#startedAt))
    const problem = problemOf('not_found', 'There is no such model; GET /v1/models lists what there is.', { code: 'model_not_found', param: 'model' })
    this.#refuse(request, response, route, problem)
  }

  /** The figures are those of all keys: who may not ask for everything is not told them (GW-03). */
  async #measured(request: IncomingMessage, response: ServerResponse, route: Route, key: GatewayKey | null): Promise<void> {
    if (key !== null && key.models !== null) {
      return this.#refuse(request, response, route, problemOf('permission', 'Keys with a list of models are not told the figures of all.'))
    }
    const text = await this.#metrics.text()
    respond(request, response, 200, text, { 'content-type': this.#metrics.contentType })
  }

  async #posted(request: IncomingMessage, response: ServerResponse, route: Route, key: GatewayKey | null, goOn: () => void): Promise<void> {
    const entered = key === null ? NO_QUOTA : this.#quota.enter(key)
    if ('status' in entered) return this.#refuse(request, response, route, entered)
    const lease = this.#room.lease()
    const admission: Admission = {
      leave(outcome) {
        lease.end()
        entered.leave(outcome)
      },
    }
    try {
      const { dialect, count } = route
      checkHead(request)
      const headers = headersSentOn(dialect.api, request.headers)
      const timeoutMs = timeoutOf(request.headers)
      goOn()
      const body = await readBody(request, lease)
      if (count === null) return this.#exchange(request, response, { route, key, admission, headers, timeoutMs, body })
      this.#tell(request, response, route, 200, count(body), { 'x-relevo-estimate': 'true' })
      admission.leave(null)
    } catch (error) {
      admission.leave(null)
      this.#failed(request, response, route, error)
    }
  }

  /** Throws where no turn was begun. */
  #exchange(request: IncomingMessage, response: ServerResponse, posted: Posted): void {
    const { kernel, settings } = this.#options
    const { route, key, admission, headers, timeoutMs, body } = posted
    let isStream = false
    let hasLeft = false
    let leave = (): void => {}
    response.once('close', () => {
      hasLeft = !response.writableEnded
    })
    const running = startExchange(
      {
        kernel,
        dialect: route.dialect,
        body,
        aim: (asked) => {
          isStream = asked.stream
          return this.#typed.checked(kernel, key?.id ?? null, aimWithin(kernel, key, asked))
        },
        caller: key?.id ?? null,
        headers,
        firstByteMs: settings.firstByteMs,
        timeoutMs,
        onOver: (told) => {
          leave()
          if (isStream) this.#metrics.streamEnded()
          admission.leave(told.outcome)
          this.#over(route, key, hasLeft ? { ...told, status: CLIENT_LEFT } : told)
        },
      },
      request,
      response,
    )
    leave = this.#running.add(running)
    if (isStream) this.#metrics.streamBegan()
  }

  #over({ name }: Route, key: GatewayKey | null, over: Over): void {
    const { status, outcome, startedAt } = over
    const ms = Math.max(0, Date.now() - startedAt)
    this.#metrics.over(name, over, ms)
    const fields = { path: name, status, outcome: outcome?.kind, caller: key?.id, ms }
    if (status === 500) this.#options.logger?.error(fields, 'gateway.answered')
    else this.#options.logger?.info(fields, 'gateway.answered')
    this.#options.onOver?.(over)
  }

  #failed(request: IncomingMessage, response: ServerResponse, route: Route | null, error: unknown): void {
    if (error instanceof ClientGone) return this.#metrics.answered(route?.name ?? 'none', CLIENT_LEFT)
    if (error instanceof BadRequest) return this.#refuse(request, response, route, error.problem)
    this.#options.logger?.error({ err: error, path: route?.name ?? 'none' }, 'gateway.fault')
    this.#refuse(request, response, route, problemOf('internal', 'The gateway failed at this request; its log says how.'))
  }

  #refuse(request: IncomingMessage, response: ServerResponse, route: Route | null, problem: Problem, headers: Record<string, string> = {}): void {
    const dialect: Dialect = route?.dialect ?? dialectOfClient(request)
    const fields = { path: route?.name ?? 'none', status: problem.status, code: problem.code }
    this.#options.logger?.debug(fields, 'gateway.refused')
    this.#metrics.answered(fields.path, problem.status)
    respond(request, response, problem.status, JSON.stringify(dialect.error(problem, null)), { ...retryAfter(problem), ...headers })
  }

  #tell(
    request: IncomingMessage,
    response: ServerResponse,
    { name }: Route,
    status: number,
    body: object,
    headers: Record<string, string> = {},
  ): void {
    this.#metrics.answered(name, status)
    respond(request, response, status, JSON.stringify(body), headers)
  }
}

/** What a gateway is put together of. */
export interface ReceptionParts {
  readonly options: GatewayOptions
  readonly door: Door
  readonly metrics: Metrics
  readonly limits: Limits
  readonly isDraining: () => boolean
}

/** A request whose body has been read. */
interface Posted {
  readonly route: Route
  readonly key: GatewayKey | null
  readonly admission: Admission
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly body: Readonly<Record<string, unknown>>
}

/** What logs of HTTP servers say of a client that did not wait; it is sent to nobody. */
const CLIENT_LEFT = 499

const STOPPING = problemOf('overloaded', 'The gateway is stopping; ask again in a moment.', { code: 'stopping', retryAfterS: 1 })

/** Whoever comes without a key is bounded by nothing but the listener. */
const NO_QUOTA: Admission = { leave() {} }
