import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { createLogger, type LogLevel } from '../../host.ts'
import { ConfigError, checkConfig, type GatewayKey, type GatewaySettings, type Settings } from '../../index.ts'
import { type RunningGateway, startGateway } from '../gateway/gateway.ts'
import { createPage, type Page } from '../page/page-server.ts'
import { PageSources } from '../page/page-sources.ts'
import { boundedLog } from './bounded-log.ts'
import { type InspectOptions, startInspection } from './inspect-option.ts'
import type { Io } from './io.ts'
import { type KeptLedger, keptLedgerOf } from './ledger-file.ts'
import { LiveSettings } from './live-settings.ts'
import { BadInput, diagnosticLine, EXIT, oneLine } from './problems.ts'
import { kernelOf, requireSettings, type SettingsFile } from './settings-file.ts'
import { pathsFrom } from './settings-paths.ts'

export interface ServeOptions extends InspectOptions {
  readonly config?: string | undefined
  readonly logLevel: LogLevel
  readonly port?: number | undefined
  readonly host?: string | undefined
}

/** How long requests in flight may take to end after the first signal. */
const GRACE_MS = 30_000
/** What the page calls the kernel. */
const KERNEL = 'gateway'

/** `relevo serve`: the gateway and the page, until it is told to stop. Requests in flight are let end; the second signal ends the process. */
export async function serve(io: Io, options: ServeOptions): Promise<number> {
  const file = requireSettings(io, options.config)
  const { settings, errors } = checkConfig(file.written, { secrets: file.secrets })
  if (settings === null) throw new BadInput(errors.map((problem) => `${file.path}: ${diagnosticLine(problem)}`))
  const tell = (line: string): void => void io.stderr.write(`${oneLine(line)}\n`)
  const serving = await begun(io, { file, settings, options, tell })
  io.serves()
  try {
    const { gateway, page } = serving
    for (const warning of gateway.warnings) tell(`warning: ${warning}`)
    await io.stdout.write(`relevo gateway on ${gateway.address}\n`)
    // With its token it is for the person at the terminal; a log of standard output does not have it.
    tell(`page: ${gateway.address}/${page.fragment}`)
    await interrupted(io)
    tell('ending: requests in flight are let end; once more to end at once')
    page.close()
    await gateway.close(GRACE_MS)
  } finally {
    await serving.end()
  }
  return io.interrupt.reason === 'SIGINT' ? EXIT.interrupted : EXIT.ok
}

interface Begin {
  readonly file: SettingsFile
  readonly settings: Settings
  readonly options: ServeOptions
  readonly tell: (line: string) => void
}

interface Serving {
  readonly gateway: RunningGateway
  readonly page: Page
  /** Of everything but the gateway. */
  end(): Promise<void>
}

/** Whatever was begun is ended where the next thing cannot be. */
async function begun(io: Io, { file, settings, options, tell }: Begin): Promise<Serving> {
  const ends: (() => unknown)[] = []
  const end = async (): Promise<void> => {
    for (const each of ends.reverse()) await each()
  }
  try {
    const listen = listening(settings.gateway, options)
    const inspection = await startInspection(options.inspect, { tell })
    if (inspection !== undefined) ends.push(() => inspection.close())
    const sources = new PageSources()
    ends.push(() => sources.close())
    const kept = keptOf(file, settings, tell)
    if (kept !== null) ends.push(() => kept.release())
    const live = liveSettings(file, settings)
    ends.push(() => live.close())
    const logger = createLogger({ level: options.logLevel, secrets: () => live.secrets, write: boundedLog(io.stderr) })
    const ports = sources.ports(KERNEL, { inspect: inspection?.inspect, ledger: kept?.ledger })
    const kernel = kernelOf(io, file, { logger, ...ports, earlier: kept?.earlier })
    ends.push(() => kernel.stop())
    kept?.follow(kernel)
    for (const warning of kernel.warnings) tell(`warning: ${file.path}: ${diagnosticLine(warning)}`)
    live.follow(kernel, logger, tell)
    const page = createPage({ sources, title: 'gateway', host: listen.host, showsText: false })
    sources.follow(KERNEL, kernel)
    page.orderKernel(KERNEL, kernel)
    const gateway = await startGateway({
      kernel,
      settings: listen,
      budgets: () => live.present.budgets,
      earlier: kept?.callers,
      logger,
      beside: page.handle,
    })
    return { gateway, page, end }
  } catch (error) {
    await end()
    throw error
  }
}

function listening(gateway: GatewaySettings, { port, host }: ServeOptions): GatewaySettings {
  return { ...gateway, ...(port === undefined ? {} : { port }), ...(host === undefined ? {} : { host }) }
}

function keptOf(file: SettingsFile, settings: Settings, tell: (line: string) => void): KeptLedger | null {
  return keptLedgerOf(settings, {
    path: file.path,
    onError: (error) => tell(`warning: ${error.message} (${error.code})`),
    onUnread: (line) => tell(`warning: ${line}`),
  })
}

/** The settings of the gateway, taken anew as their file changes. How it listens and where attempts are kept is read once. */
function liveSettings(file: SettingsFile, settings: Settings): LiveSettings {
  return new LiveSettings({
    file,
    settings,
    read: (written) => {
      const config = pathsFrom(dirname(file.path), written)
      const { settings: next, errors, warnings } = checkConfig(config, { secrets: file.secrets })
      if (next === null) throw new ConfigError(errors)
      return { config, settings: next, warnings }
    },
    later: (next, begun) => [
      ...(isSameGateway(next.gateway, begun.gateway) ? [] : ['gateway']),
      ...(isDeepStrictEqual(next.ledger, begun.ledger) ? [] : ['ledger']),
    ],
  })
}

/** Keys are compared by their values: one that was exchanged counts from the next start, and whoever did so has to know. */
function isSameGateway({ keys, ...rest }: GatewaySettings, { keys: others, ...before }: GatewaySettings): boolean {
  const isSameKey = ({ secret, ...bounds }: GatewayKey, other: GatewayKey | undefined): boolean => {
    if (other === undefined) return false
    const { secret: known, ...otherBounds } = other
    return isDeepStrictEqual(bounds, otherBounds) && (secret === null || known === null ? secret === known : secret.equals(known))
  }
  return isDeepStrictEqual(rest, before) && keys.length === others.length && keys.every((key, at) => isSameKey(key, others[at]))
}

function interrupted(io: Io): Promise<void> {
  return new Promise((resolve) => {
    if (io.interrupt.aborted) resolve()
    else io.interrupt.addEventListener('abort', () => resolve(), { once: true })
  })
}
