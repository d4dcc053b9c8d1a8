import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { onTestFinished } from 'vitest'
import type { AnyActorRef, InspectionEvent } from 'xstate'
import { checkConfig } from '../../src/config/check.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import { secretValues } from '../../src/model/secret-values.ts'
import type { LedgerRow } from '../../src/model/usage.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import type { Kernel, KernelConfig, KernelPorts } from '../../src/runtime/kernel-door.ts'
import type { Ledger, RowClose } from '../../src/runtime/ledger.ts'
import { jsonlLedger } from '../../src/runtime/ledger-file.ts'
import { createLogger } from '../../src/runtime/pino-logger.ts'
import type { TurnRequest } from '../../src/runtime/request.ts'
import type { Turn } from '../../src/runtime/turn-handle.ts'
import { absent, kept } from '../adapters/sqlite/rig.ts'
import { folder } from '../runtime/ledger-file/rig.ts'
import { textsIn } from './reached.ts'

/** Where a secret may stand in the settings, each with a mark of its own. */
const FIELDS = ['apiKey', 'first of a pool', 'second of a pool', 'header', 'query', 'body', 'variable', 'argument', 'route', 'env', 'file'] as const
export type Field = (typeof FIELDS)[number]

/** Any eight characters of it hold the mark, so that a part that is left over is found as well. */
export function canary(field: Field): string {
  const letter = String.fromCharCode('a'.charCodeAt(0) + FIELDS.indexOf(field))
  return `CNRY${letter}CNRY/CNRY+CNRY${letter}CNRY=`
}

const MARK = /cnry/i

/** The texts in which the mark stands, as it is or in base64, each cut to its neighbourhood. */
function marked(text: string): string[] {
  const found: string[] = []
  const at = text.search(MARK)
  if (at >= 0) found.push(text.slice(Math.max(0, at - 80), at + 60))
  for (const run of text.match(/[A-Za-z0-9+/_-]{12,}/g) ?? []) {
    const decoded = [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), 'base64').toString('latin1'))
    if (decoded.some((each) => MARK.test(each))) found.push(`base64 ${run.slice(0, 80)}`)
  }
  return found
}

/** What prints make of a value. JSON of a circle says nothing. */
function printsOf(value: unknown): string[] {
  const deep = { depth: 12, maxArrayLength: null, maxStringLength: null } as const
  const prints = [`${String(value)}`, inspect(value, deep), inspect(value, { ...deep, showHidden: true })]
  try {
    prints.push(JSON.stringify(value) ?? '')
  } catch {}
  return prints
}

/** Keeps what leaves a kernel, and knows where a mark stands in it. */
export class Witness {
  readonly leaks: string[] = []
  readonly heard = new Map<string, number>()
  /** Texts from which something was taken out. */
  redactions = 0

  readonly #seen = new WeakSet<object>()

  /** Looks through its fields and its prints. */
  take(where: string, value: unknown): void {
    this.#look(where, typeof value === 'string' ? [value] : [...printsOf(value), textsIn(value)])
  }

  /** Looks through what is never changed once it is told, and is told again and again. */
  takeFields(where: string, value: unknown): void {
    this.#look(where, [textsIn(value, this.#seen)])
  }

  takePrints(where: string, value: unknown): void {
    this.#look(where, printsOf(value))
  }

  #look(where: string, texts: readonly string[]): void {
    this.heard.set(where, (this.heard.get(where) ?? 0) + 1)
    this.redactions += texts.filter((text) => text.includes('[redacted]')).length
    for (const each of texts.flatMap(marked)) this.leaks.push(`${where}: ${each}`)
  }
}

export interface Stage {
  readonly kernel: Kernel
  readonly witness: Witness
  /** A turn to its end, with everything that is told of it taken down. */
  turn(request?: TurnRequest, onEvent?: (type: string, turn: Turn) => void): Promise<Outcome>
  /** Takes down what is left when everything is over. */
  close(): Promise<void>
}

/** A ledger in memory, in a file of lines and in a database. */
function ledgers(directory: string): Ledger {
  const rows: LedgerRow[] = []
  const files = [jsonlLedger(join(directory, 'ledger.jsonl')), ...(absent === null ? [kept(join(directory, 'ledger.db'))] : [])]
  return {
    append(row) {
      rows.push(row)
      for (const file of files) file.append(row)
    },
    close(turn: string, n: number, close: RowClose) {
      rows.push({ ...rows.find((row) => row.turn === turn && row.n === n), ...close } as LedgerRow)
      for (const file of files) file.close(turn, n, close)
    },
    rows: () => rows,
  }
}

export function stage(config: KernelConfig, ports: KernelPorts = {}): Stage {
  const witness = new Witness()
  const directory = folder()
  const { settings } = checkConfig(config, { secrets: ports.secrets ?? NO_SECRETS })
  const pino = createLogger({
    level: 'debug',
    secrets: settings === null ? [] : secretValues(settings),
    write: (line) => witness.take('log line', line),
  })
  const log = (level: 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    witness.take('log fields', { fields, message })
    pino[level](fields, message)
  }
  const warned = (warning: Error): void => witness.take('process warning', warning)
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  const actors = new Set<AnyActorRef>()
  const kernel = createKernel(config, {
    random: () => 0.5,
    secrets: NO_SECRETS,
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    inspect: (event) => takeInspected(witness, actors, event),
    ledger: ledgers(directory),
    ...ports,
  })
  onTestFinished(() => kernel.stop())
  return {
    kernel,
    witness,
    turn: (request, onEvent) => play(kernel, witness, request, onEvent),
    close: () => conclude(kernel, witness, actors, directory),
  }
}

const NO_SECRETS = { env: () => undefined, file: () => undefined }

/** What a tool shows of an actor: what it was given, hears, does and knows. Its chart is the same for all. */
function takeInspected(witness: Witness, actors: Set<AnyActorRef>, event: InspectionEvent): void {
  actors.add(event.actorRef as AnyActorRef)
  const { actorRef: _, rootId: __, ...told } = event
  const { machine: ___, children: ____, ...snapshot } = { ...('snapshot' in told ? told.snapshot : {}) } as Record<string, unknown>
  witness.takeFields(event.type, { ...told, snapshot, _nextEvents: null, sourceRef: null })
}

async function play(kernel: Kernel, witness: Witness, request: TurnRequest = {}, onEvent?: (type: string, turn: Turn) => void): Promise<Outcome> {
  const turn = kernel.turn({ prompt: 'hi', sinks: ['event', 'draft'], ...request })
  turn.events$.subscribe((event) => {
    witness.take(event.type, event)
    onEvent?.(event.type, turn)
  })
  const error = turn.text.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  const outcome = await turn.outcome
  witness.take('outcome', outcome)
  witness.take('error', await error)
  witness.takePrints('turn', turn)
  return outcome
}

async function conclude(kernel: Kernel, witness: Witness, actors: ReadonlySet<AnyActorRef>, directory: string): Promise<void> {
  witness.take('plan', kernel.plan())
  witness.take('holds', kernel.holds())
  witness.take('rows', kernel.ledger.rows())
  witness.take('warnings', kernel.warnings)
  witness.takePrints('kernel', kernel)
  for (const actor of actors) {
    witness.take('persisted snapshot', actor.getPersistedSnapshot())
    witness.takePrints('actor', actor.toJSON?.())
  }
  await kernel.stop()
  for (const file of ['ledger.jsonl', ...(absent === null ? ['ledger.db', 'ledger.db-wal'] : [])])
    witness.take(file, contentOf(join(directory, file)))
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
