import { createLogger, type LogLevel, secretValues } from '../../host.ts'
import { ConfigError, checkConfig, type Failure, type Kernel, type KernelPorts, type Outcome, type OutcomeKind, type Turn } from '../../index.ts'
import { durationText } from '../demo/duration-text.ts'
import { engineNames, withEngines } from './engine-option.ts'
import { type InspectOptions, whileInspected } from './inspect-option.ts'
import { type Io, inputText } from './io.ts'
import { type KeptLedger, keptLedgerOf } from './ledger-file.ts'
import { BadInput, diagnosticLine, EXIT, oneLine } from './problems.ts'
import { kernelOf, optionalSettings, requireSettings, type SettingsFile } from './settings-file.ts'
import { jsonView, PlainView } from './turn-view.ts'

export interface TurnOptions extends InspectOptions {
  readonly config?: string | undefined
  readonly logLevel: LogLevel
  readonly model?: string | undefined
  /** Command line engines to run on, in order, instead of the primary of the settings. */
  readonly engine?: readonly string[] | undefined
  readonly json?: boolean | undefined
  readonly sinks: 'event' | 'draft'
}

/** `relevo turn`: one turn on the configured profiles. The settings are checked before the prompt is read. */
export async function turn(io: Io, prompt: string | undefined, options: TurnOptions): Promise<number> {
  const file = settingsOf(io, options)
  const tell = (line: string): void => void io.stderr.write(`${line}\n`)
  return whileInspected(options.inspect, tell, (inspect) => answered(io, { file, prompt, options, inspect }))
}

interface Asked {
  readonly file: SettingsFile
  readonly prompt: string | undefined
  readonly options: TurnOptions
  readonly inspect: KernelPorts['inspect']
}

async function answered(io: Io, { file, prompt, options, inspect }: Asked): Promise<number> {
  const unkept: string[] = []
  const { kept, logger } = keepingOf(io, file, options.logLevel, unkept)
  const kernel = kernelOf(io, file, { logger, inspect, ledger: kept?.ledger, earlier: kept?.earlier })
  kept?.follow(kernel)
  try {
    await tellLeftOut(io, kernel)
    const asked = prompt ?? (await promptFromInput(io))
    if (asked.trim() === '') throw new BadInput(['The prompt is blank. Write it behind `relevo turn`, or pipe it in.'])
    const view = options.json === true ? jsonView(io) : new PlainView(io)
    const running = kernel.turn({ prompt: asked, model: options.model, sinks: [options.sinks], signal: io.interrupt })
    for await (const event of running) await view.take(event)
    const outcome = await running.outcome
    await view.end(outcome)
    return await conclude(io, running, outcome)
  } finally {
    await kernel.stop()
    kept?.release()
    // Behind the answer, which it does not touch.
    for (const line of unkept) await io.stderr.write(`warning: ${line}\n`)
  }
}

function settingsOf(io: Io, { config, engine, model }: TurnOptions): SettingsFile {
  if (engine === undefined) return requireSettings(io, config)
  if (model !== undefined)
    throw new BadInput(['--model and --engine cannot stand together. Write the model behind the engine: `--engine claude:opus`.'])
  const file = optionalSettings(io, config)
  return { ...file, written: withEngines(file.written, engineNames(engine)) }
}

/** A turn that goes on without one of its engines says so once (T10). */
async function tellLeftOut(io: Io, kernel: Kernel): Promise<void> {
  for (const warning of kernel.warnings.filter(({ code }) => code === 'cli_not_installed')) {
    await io.stderr.write(`note: ${oneLine(diagnosticLine(warning))}\n`)
  }
}

interface Keeping {
  readonly logger: NonNullable<KernelPorts['logger']>
  readonly kept: KeptLedger | null
}

/** `unkept` is given the reasons why attempts could not be entered, or those of before not be read. */
function keepingOf(io: Io, { path, written, secrets }: SettingsFile, level: LogLevel, unkept: string[]): Keeping {
  const { settings } = checkConfig(written, { secrets })
  const logger = createLogger({ level, secrets: settings === null ? [] : secretValues(settings), write: (line) => void io.stderr.write(line) })
  if (settings === null) return { logger, kept: null }
  const kept = keptLedgerOf(settings, {
    path,
    onError(error) {
      logger.error({ err: error }, 'ledger.failed')
      unkept.push(`${oneLine(error.message)} (${error.code})`)
    },
    onUnread: (line) => unkept.push(line),
  })
  return { logger, kept }
}

async function promptFromInput(io: Io): Promise<string> {
  if (io.stdin.isTty) await io.stderr.write('Write the prompt; end it with Ctrl-D.\n')
  try {
    return await inputText(io, PROMPT_TEXT)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new BadInput(['standard input: the prompt is no UTF-8 text. Convert it, as with `iconv -t UTF-8`, and pipe it in again.'])
  }
}

/** A prompt arrives as it was given or not at all: no byte is replaced, and none is left out. */
const PROMPT_TEXT = { fatal: true, ignoreBOM: true } as const

/** Says why there is no answer, and what to do. */
async function conclude(io: Io, running: Turn, outcome: Outcome): Promise<number> {
  const { kind } = outcome
  if (kind === 'incomplete') await io.stderr.write('note: the answer was cut at its length limit. Ask for more tokens, or for the rest.\n')
  if (kind === 'ok' || kind === 'incomplete') return EXIT.ok
  if (kind === 'cancelled') return EXIT.interrupted
  const error = await running.text.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof ConfigError) throw error
  const refusal = refusalOf(outcome, error)
  if (refusal !== null) {
    await io.stderr.write(`error: nothing was sent: ${oneLine(refusal)} (${kind})\n`)
    return EXIT.badInput
  }
  if (kind === 'exhausted') await tellCause(io, error)
  const message = error instanceof Error ? error.message : kind
  await io.stderr.write(`error: ${oneLine(message)} (${kind}). ${remedyOf(outcome)}\n`)
  return kind === 'all_held' || kind === 'budget' ? EXIT.limited : EXIT.no
}

/**
 * Why no engine could be asked this at all, in the words of the last one; null where any of them was. What it was asked is then to be
 * changed, and the aggregate, which names nobody (R21), says neither what nor how.
 */
function refusalOf({ kind, failures }: Outcome, error: unknown): string | null {
  const isUnsent = kind === 'exhausted' && failures.every((failed) => failed.kind === 'invalid_request' && failed.phase === 'connect')
  const cause = error instanceof Error ? (error.cause as Partial<Failure> | undefined) : undefined
  return isUnsent ? (cause?.message ?? null) : null
}

/** The last real cause, which stays attached to an error that names nobody (R21): asking again only to read it may cost minutes and money. */
async function tellCause(io: Io, error: unknown): Promise<void> {
  const cause = error instanceof Error ? (error.cause as Partial<Failure> | undefined) : undefined
  if (cause?.message === undefined || cause.message === '') return
  await io.stderr.write(`note: the last one failed with: ${oneLine(cause.message)}${cause.code == null ? '' : ` (${cause.code})`}\n`)
}

const REMEDIES: Partial<Record<OutcomeKind, string>> = {
  exhausted: 'Run it again with --log-level warn to see what the others said.',
  interrupted: 'What was printed is a part of the answer; ask again for all of it.',
  refused: 'Ask differently, or set reliability.onRefusal to advance.',
  context_window: 'Shorten the prompt, or add a fallback with a larger contextWindow.',
  provider_tools_without_final: 'Look at what the tools did before you ask again.',
}

/** The farthest instant that ISO 8601 text can name: settings may hold a profile for longer. */
const LAST_INSTANT = 8_640_000_000_000_000

function remedyOf({ kind, retryAt, endedAt, failures }: Outcome): string {
  if (kind === 'exhausted' && failures.length > 0 && failures.every((failed) => failed.kind === 'auth'))
    return 'Sign in with the program, or correct `apiKey`; --log-level warn shows what was said.'
  if (kind === 'budget')
    return retryAt === null
      ? 'Raise `budgets`, or give a price to what has none.'
      : `Raise \`budgets\`, or ask again with the next day, at ${new Date(Math.min(retryAt, LAST_INSTANT)).toISOString()}.`
  if (kind === 'all_held' && retryAt !== null)
    return `The first is back at ${new Date(Math.min(retryAt, LAST_INSTANT)).toISOString()}, in ${durationText(retryAt - endedAt)}; ask again then.`
  return REMEDIES[kind] ?? 'Run it again with --log-level debug and report what it prints.'
}
