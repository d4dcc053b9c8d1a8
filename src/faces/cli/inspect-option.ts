import { InvalidArgumentError, Option } from 'commander'
import { type InspectionRelay, inspectionRelay, isLoopbackHost } from '../../host.ts'
import type { Inspector } from '../../index.ts'
import { connectInspector } from '../inspector/inspector-client.ts'
import { type InspectorServer, type InspectorServerAsk, startInspectorServer } from '../inspector/inspector-server.ts'
import { installedWs, type WsPackage } from '../inspector/ws-package.ts'
import { BadInput } from './problems.ts'

/** Where inspectors are: those that come to a port of ours, or a server that runs already. */
export type InspectTarget = { readonly port: number } | { readonly url: string }

/** That of `@statelyai/inspect`: its receivers look there. */
const USUAL_PORT = 8080

/** Absent unless `--inspect` was given. */
export interface InspectOptions {
  readonly inspect?: InspectTarget | undefined
}

export function inspectOption(): Option {
  return new Option(
    '--inspect [port|url]',
    `tell inspectors of XState what the actors do: those that connect to a port of 127.0.0.1 (${USUAL_PORT}), or a server at ws://127.0.0.1:<port>; behind an equals sign`,
  ).argParser(inspectTarget)
}

/**
 * The command line with `--inspect` that takes nothing from the word behind it, which is a prompt or a folder. What stands behind `--` is no
 * option.
 */
export function withBareInspect(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return argv.map((word, at) => (word === '--inspect' && (end < 0 || at < end) ? '--inspect=' : word))
}

/** Throws where it is no port and no address of this machine. */
export function inspectTarget(text: string): InspectTarget {
  if (text === '') return { port: USUAL_PORT }
  if (/^\d+$/.test(text)) {
    const port = Number(text)
    if (port > 65_535) throw new InvalidArgumentError('A port is at most 65535.')
    return { port }
  }
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.protocol !== 'ws:') throw new InvalidArgumentError('Give a port, or the address of a server: ws://127.0.0.1:<port>.')
  if (!isLoopbackHost(url.hostname))
    throw new InvalidArgumentError(
      'Inspectors are told on this machine only. Forward the port from where the inspector is, and give ws://127.0.0.1:<port>.',
    )
  if (url.username !== '' || url.password !== '') throw new InvalidArgumentError('Leave the user and the password out of the address.')
  // A name may stand for any address; this one is meant.
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1'
  return { url: url.href }
}

export interface Inspection {
  /** For the port `inspect` of a kernel. */
  readonly inspect: Inspector
  close(): Promise<void>
}

export interface InspectionStart {
  /** A line for the person, on stderr. */
  readonly tell: (line: string) => void
  /** One that is made already, whose kernels are told of. */
  readonly relay?: InspectionRelay | undefined
  /** The package of sockets; null where it is not installed. */
  readonly ws?: WsPackage | null | undefined
}

/** Begins to tell inspectors. Undefined where none was asked for. Throws BadInput where it cannot be done. */
export async function startInspection(
  target: InspectTarget | undefined,
  { tell, relay = inspectionRelay(), ws: given }: InspectionStart,
): Promise<Inspection | undefined> {
  if (target === undefined) return undefined
  const ws = given === undefined ? installedWs() : given
  if (ws === null) throw new BadInput(['--inspect needs the package ws, which is not installed. Install it beside relevo: npm install ws'])
  const end = 'url' in target ? connectInspector({ relay, url: target.url, ws, tell }) : await served(target.port, { relay, ws, tell })
  return { inspect: relay.inspect, close: () => end.close() }
}

/** Work of which inspectors are told, from before it begins to after it is over. */
export async function whileInspected<Result>(
  target: InspectTarget | undefined,
  tell: (line: string) => void,
  work: (inspect: Inspector | undefined) => Promise<Result>,
): Promise<Result> {
  const inspection = await startInspection(target, { tell })
  try {
    return await work(inspection?.inspect)
  } finally {
    await inspection?.close()
  }
}

async function served(port: number, { relay, ws, tell }: Omit<InspectorServerAsk, 'port'>): Promise<InspectorServer> {
  try {
    const server = await startInspectorServer({ relay, port, ws, tell })
    tell(`inspector: ${server.url}`)
    return server
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? 'is taken' : `cannot be had (${code ?? String(error)})`
    throw new BadInput([
      `--inspect: port ${port} of 127.0.0.1 ${why}. Give another one: --inspect=<port>; or, where an inspector server has it: --inspect=ws://127.0.0.1:${port}`,
    ])
  }
}
