import {
  ConfigError,
  checkConfig,
  createKernel,
  type EntryDescription,
  type KernelConfig,
  type PlanDescription,
  type PlanQuery,
} from '../../index.ts'
import { scriptedEngine } from '../../testing.ts'
import { columns } from '../demo/columns.ts'
import { batch, type Document, isObject, LineError } from './batch.ts'
import type { Io } from './io.ts'
import { earlierOf } from './ledger-file.ts'
import { diagnosticLine, EXIT, oneLine } from './problems.ts'
import { kernelOf, requireSettings } from './settings-file.ts'

export interface PlanOptions {
  readonly config?: string | undefined
  readonly json?: boolean | undefined
  readonly jsonl?: boolean | undefined
  readonly tools?: boolean | undefined
  /** The prompt whose effort decides (R37). */
  readonly effort?: string | undefined
}

/** `relevo plan`: what a turn would try, in which order, and why not. Calls nobody. */
export async function plan(io: Io, model: string | undefined, options: PlanOptions): Promise<number> {
  if (options.jsonl === true) return batch(io, (document) => ({ result: planOfLine(document) }))
  const file = requireSettings(io, options.config)
  // Settings that are wrong are told by the kernel.
  const { settings } = checkConfig(file.written, { secrets: file.secrets })
  const unread: string[] = []
  const earlier = settings === null ? [] : earlierOf(settings, { path: file.path, onUnread: (line) => unread.push(line) })
  const kernel = kernelOf(io, file, { earlier })
  try {
    const query: PlanQuery = { model, tools: options.tools, prompt: options.effort }
    const description = kernel.plan(query)
    if (options.json === true) await io.stdout.write(`${JSON.stringify(description)}\n`)
    else await print(io, description, options)
    // The plan repeats those of the settings; its own is about what was asked.
    for (const { path, code } of description.warnings.filter(({ path }) => path === 'model')) {
      await io.stderr.write(`warning: ${path}: ${model} is not what the settings know (${code}). Ask for a configured hint or model.\n`)
    }
    for (const line of unread) await io.stderr.write(`warning: ${line}\n`)
    for (const warning of kernel.warnings) await io.stderr.write(`warning: ${file.path}: ${oneLine(diagnosticLine(warning))}\n`)
    return EXIT.ok
  } finally {
    await kernel.stop()
  }
}

/** One line of `--jsonl`. Families need no protocol there, as in a scenario: nobody will be called. */
function planOfLine(document: Document): PlanDescription {
  const { config, ask = {} } = document
  if (!isObject(config)) throw new LineError('invalid_line', 'config', 'Give the settings as an object in `config`.')
  const query = queryOf(ask)
  try {
    const engine = scriptedEngine({})
    const kernel = createKernel(config as unknown as KernelConfig, { engines: () => engine })
    try {
      return kernel.plan(query)
    } finally {
      void kernel.stop()
    }
  } catch (error) {
    const problem = error instanceof ConfigError ? error.problems[0] : undefined
    if (problem === undefined) throw error
    throw new LineError(problem.code, problem.path, `${problem.message} ${problem.remedy}`)
  }
}

function queryOf(ask: unknown): PlanQuery {
  if (!isObject(ask)) throw new LineError('invalid_line', 'ask', 'Give `ask` as an object, or leave it out.')
  const { model, tools, effortPrompt } = ask
  if (model !== undefined && model !== null && typeof model !== 'string') throw new LineError('invalid_line', 'ask.model', 'Give a text.')
  if (tools !== undefined && typeof tools !== 'boolean') throw new LineError('invalid_line', 'ask.tools', 'Give true or false.')
  if (effortPrompt !== undefined && effortPrompt !== null && typeof effortPrompt !== 'string') {
    throw new LineError('invalid_line', 'ask.effortPrompt', 'Give a text.')
  }
  return { model, tools, prompt: effortPrompt }
}

async function print(io: Io, { target, requested, entries, allow }: PlanDescription, { tools }: PlanOptions): Promise<void> {
  const rows = entries.map((entry, index) => [
    String(index + 1),
    `${entry.profile}/${entry.model ?? '*'}`,
    entry.pinned ? 'pinned' : `sends ${requested.model}`,
    entry.hold,
    entry.heldUntil === null ? 'free' : `until ${entry.heldUntil}`,
    whySkipped(entry),
  ])
  const lines = [
    `requested  ${requested.profile}/${requested.model}${tools === true ? ', with tools' : ''}`,
    `target     ${target}`,
    `allowed    ${allow === null ? 'every profile of the plan' : allow.join(', ')}`,
    '',
    ...columns([['#', 'entry', 'model', 'hold', 'held', 'at the first attempt'], ...rows], new Set([0])),
  ]
  await io.stdout.write(`${lines.join('\n')}\n`)
}

const WHY: Readonly<Record<NonNullable<EntryDescription['skip']>, string>> = {
  held: 'passed over: it is held',
  over_budget: 'passed over: over a budget, or at a price that nobody knows',
  not_allowed: 'passed over: not on the allow-list',
  no_streaming: 'passed over: it does not stream; it is asked if the stream fails',
  no_tool_events: 'passed over: it streams no tool events; it is asked if the stream fails',
  not_capable: 'never asked: it cannot take what the call sends',
}

function whySkipped({ skip }: EntryDescription): string {
  return skip === null ? 'may be asked' : WHY[skip]
}
