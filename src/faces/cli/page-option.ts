import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import type { Kernel, TeamHandle } from '../../index.ts'
import type { PageParticipant } from '../page/page-event.ts'
import { recordPage } from '../page/page-record.ts'
import { createPage, type Page } from '../page/page-server.ts'
import { PageSources, type WatchedPorts } from '../page/page-sources.ts'
import { type ServedPage, servePage } from '../page/serve-page.ts'
import type { Io } from './io.ts'
import { BadInput } from './problems.ts'

/** That of `relevo serve`. */
const USUAL_PORT = 4141
/** Nobody but this machine: to look on from elsewhere, forward the port. */
const HOST = '127.0.0.1'

/** Absent unless `--page` and the options beside it were given. */
export interface PageOptions {
  readonly page?: number | undefined
  readonly showText?: boolean | undefined
  readonly record?: string | undefined
}

export function pageOption(): Option {
  return new Option('--page [port]', `show it alive in a browser, on a port of 127.0.0.1 (${USUAL_PORT}); 0: any; behind an equals sign`).argParser(
    pagePort,
  )
}

export function showTextOption(): Option {
  return new Option('--show-text', 'show the texts of posts on the page, too')
}

/** The command line with `--page` that takes nothing from the word behind it, which is a folder. What stands behind `--` is no option. */
export function withBarePage(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return argv.map((word, at) => (word === '--page' && (end < 0 || at < end) ? '--page=' : word))
}

function pagePort(text: string): number {
  if (text === '') return USUAL_PORT
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('Give a port from 0 to 65535.')
  return port
}

/** What is looked at. */
export interface PageSubject {
  readonly title: string
  /** The team that it is about from the beginning. */
  readonly team?: { readonly name: string; readonly participants: readonly PageParticipant[] } | undefined
}

/** Looks at kernels and teams for the page and the recording that were asked for. */
export interface Looking {
  /** Of the page, with its token; null without one. For the person's eyes, and no log. */
  readonly address: string | null
  ports(...named: Parameters<PageSources['ports']>): WatchedPorts
  follow(name: string, kernel: Kernel, clock?: { now(): number }): void
  /** `begun`: where the team is another one than that of the subject. */
  followTeam(team: TeamHandle, begun?: PageSubject['team']): void
  close(): Promise<void>
}

/** Undefined where neither was asked for. Throws BadInput where the port or the file cannot be had: nothing was begun. */
async function startLooking(
  io: Pick<Io, 'cwd'>,
  { page, showText = false, record }: PageOptions,
  subject: PageSubject,
  tell: (line: string) => void,
): Promise<Looking | undefined> {
  if (showText && page === undefined) throw new BadInput(['--show-text is for the page. Give --page, too.'])
  if (page === undefined && record === undefined) return undefined
  const sources = new PageSources()
  const recording = record === undefined ? null : recorded(io, sources, record, subject, tell)
  const shown = page === undefined ? null : createPage({ sources, host: HOST, showsText: showText, ...subject })
  try {
    const served = shown === null ? null : await served127(shown, page ?? 0)
    return lookingWith(sources, shown, served, () => recording?.close())
  } catch (error) {
    recording?.close()
    sources.close()
    throw error
  }
}

/** Looks on while something is done that has been given what looks on. */
export async function whileLooking<Result>(
  io: Pick<Io, 'cwd'>,
  options: PageOptions,
  subject: PageSubject,
  tell: (line: string) => void,
  work: (looking: Looking | undefined) => Promise<Result>,
): Promise<Result> {
  const looking = await startLooking(io, options, subject, tell)
  if (looking !== undefined && looking.address !== null) tell(`page: ${looking.address}`)
  try {
    return await work(looking)
  } finally {
    await looking?.close()
  }
}

function lookingWith(sources: PageSources, page: Page | null, served: ServedPage | null, endRecord: () => void): Looking {
  return {
    address: served?.address ?? null,
    ports: (...named) => sources.ports(...named),
    follow(name, kernel, clock) {
      sources.follow(name, kernel, clock)
      page?.orderKernel(name, kernel)
    },
    followTeam(team, begun) {
      if (begun !== undefined) sources.add({ type: 'team.opened', at: sources.now(), ...begun })
      sources.followTeam(team)
      page?.orderTeam(team)
    },
    async close() {
      sources.close()
      endRecord()
      await served?.close()
    },
  }
}

/** Written before anything else is begun. Throws BadInput where it cannot be, and nothing is looked at then. */
export function recorded(
  { cwd }: Pick<Io, 'cwd'>,
  sources: PageSources,
  file: string,
  { title, team = undefined }: PageSubject,
  tell: (line: string) => void,
): { close(): void } {
  const path = resolve(cwd, file)
  const why = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? error)
  try {
    return recordPage(sources, path, { title, team: team ?? null }, (error) =>
      tell(`${path}: the recording ends here, it cannot be written (${why(error)}); the run goes on. Make room, or see to its permissions.`),
    )
  } catch (error) {
    sources.close()
    throw new BadInput([`${path}: the recording cannot be written (${why(error)}). Name another file.`])
  }
}

async function served127(page: Page, port: number): Promise<ServedPage> {
  try {
    return await servePage(page, { host: HOST, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? 'is taken' : `cannot be had (${code ?? String(error)})`
    throw new BadInput([`--page: port ${port} of ${HOST} ${why}. Give another one: --page=<port>, or --page=0 for any that is free.`])
  }
}
