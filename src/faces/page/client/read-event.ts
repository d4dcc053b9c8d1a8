import type { PageEvent } from '../page-event.ts'
import { byField, type Check, fields, figure, flag, instant, list, maybe, name, oneOf, orNull, text } from './shape.ts'

export type Read = { readonly event: PageEvent } | { readonly problem: string }

/** A value as an event, when everything that the page reads of it is there. Live and recorded events come through this one door. */
export function readEvent(value: unknown): Read {
  const problem = EVENT(value)
  return problem === null ? { event: value as PageEvent } : { problem }
}

/** One line of a recording, or the data of a server-sent event. */
export function readLine(line: string): Read {
  try {
    return readEvent(JSON.parse(line))
  } catch {
    return { problem: 'is no JSON' }
  }
}

const identity = fields({ profile: name, model: name })
const usage = orNull(fields({ input: maybe(figure), output: maybe(figure), cachedInput: maybe(figure) }))
const hold = fields({ key: name, untilAt: instant, reason: name })
const failure = fields({ reason: name, kind: name })

const fact = (checks: Readonly<Record<string, Check>>): Check => fields({ turn: name, at: instant, ...checks })

const FACT = byField(
  'type',
  new Map([
    ['turn.started', fact({ requested: identity })],
    ['warning.raised', fact({ warning: fields({ message: text }) })],
    ['attempt.started', fact({ n: figure, entry: name, mode: oneOf('stream', 'call') })],
    ['attempt.ended', fact({ n: figure, result: name, accepted: flag, cost: orNull(figure) })],
    ['attempt.failed', fact({ n: figure, event: failure })],
    ['entry.skipped', fact({ entry: name, event: failure })],
    ['output.committed', fact({ n: figure })],
    ['recovery.started', fact({ from: name })],
    ['history.shortened', fact({ kept: figure, dropped: figure })],
    ['hold.set', fact({ hold })],
    ['wait.started', fact({ ms: figure, why: name, key: name })],
    ['wait.ended', fact({ cut: flag })],
    ['turn.ended', fact({ kind: name, requested: orNull(identity), served: orNull(identity), attempts: figure, cost: orNull(figure) })],
  ]),
)

const ROW = fields({
  turn: name,
  n: figure,
  participant: maybe(name),
  requested: identity,
  profile: name,
  model: name,
  mode: name,
  startedAt: instant,
  endedAt: orNull(instant),
  outcome: orNull(name),
  accepted: flag,
  usage,
  cost: orNull(figure),
  costPicoUsd: orNull(figure),
  costBasis: oneOf('metered', 'subscription', 'unknown'),
})

const ENTRY = fields({ profile: name, model: orNull(name), pinned: flag, hold: name, heldUntil: orNull(name), skip: orNull(name) })
const PLAN = fields({
  target: name,
  requested: identity,
  entries: list(ENTRY),
  allow: orNull(list(name)),
  warnings: list(fields({ code: name, path: name })),
})

const ENGINE = fields({ engine: name, model: orNull(name), limitedUntil: orNull(instant), stated: flag, outUntil: orNull(instant) })
const PARTICIPANT = fields({
  id: name,
  engine: orNull(name),
  chain: list(ENGINE),
  gate: orNull(figure),
  approved: flag,
  done: flag,
  silentRow: figure,
})
const STATUS = fields({
  state: name,
  since: instant,
  paused: orNull(name),
  end: orNull(name),
  ending: orNull(name),
  turns: figure,
  iterations: figure,
  chargedMs: figure,
  running: orNull(fields({ n: figure, participant: name, engine: name, startedBy: name, since: instant })),
  wake: orNull(fields({ at: instant, by: name })),
  participants: list(PARTICIPANT),
  lastPost: figure,
})
const POST = fields({
  id: figure,
  at: instant,
  participant: orNull(name),
  engine: orNull(name),
  text: orNull(text),
  notice: maybe(text),
})

const event = (checks: Readonly<Record<string, Check>>): Check => fields({ at: instant, ...checks })
const PARTICIPANTS = list(fields({ id: name, path: orNull(name) }))
const TEAM = orNull(fields({ name, participants: PARTICIPANTS }))

const EVENT = byField(
  'type',
  new Map([
    ['page.opened', event({ version: oneOf(1), title: name, showsText: flag, team: TEAM, takesOrders: flag })],
    ['page.closed', event({ why: oneOf('slow', 'over') })],
    ['team.opened', event({ name, participants: PARTICIPANTS })],
    ['page.time', event({ rate: figure })],
    ['turn.told', event({ kernel: name, participant: orNull(name), fact: FACT })],
    ['row.closed', event({ row: ROW })],
    ['chain.planned', event({ kernel: name, model: orNull(name), plan: PLAN })],
    ['holds.changed', event({ kernel: name, holds: list(hold) })],
    [
      'actor.stepped',
      event({
        kernel: name,
        session: name,
        parent: orNull(name),
        machine: name,
        name,
        state: name,
        status: oneOf('active', 'done', 'error', 'stopped'),
        event: orNull(name),
      }),
    ],
    // Of what the team told the page reads how it stands, and whose gate opened.
    ['team.told', event({ event: fields({ type: name, participant: maybe(orNull(name)) }), status: STATUS })],
    ['team.logged', event({ line: text })],
    ['team.posted', event({ post: POST })],
  ]),
)
