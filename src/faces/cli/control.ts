import { join, resolve } from 'node:path'
import { ControlError, type ControlRequest, order } from '../daemon/control-client.ts'
import { teamPaths } from '../daemon/team-folder.ts'
import { FootLine } from './foot-line.ts'
import { type Io, inputText } from './io.ts'
import { BadInput, EXIT, oneLine } from './problems.ts'
import { findSettings } from './settings-file.ts'

/** The folder of the team that is meant: the one named, else that of the nearest settings file, else this one. */
export function teamDirectory(io: Io, folder: string | undefined, config: string | undefined): string {
  if (folder !== undefined) return resolve(io.cwd, folder)
  const found = findSettings(io, config)
  return 'faults' in found ? io.cwd : resolve(join(found.path, '..'))
}

/** Sends an order to the daemon of a folder. Throws BadInput where there is none, or where it cannot be reached. */
export async function orderTo(directory: string, request: ControlRequest): ReturnType<typeof order> {
  const { control } = teamPaths(directory)
  try {
    return await order(control, request)
  } catch (error) {
    if (!(error instanceof ControlError)) throw error
    const path = error.code === 'refused' ? directory : control
    throw new BadInput([`${path}: ${error.message.replace(/\.$/, '')}. ${REMEDIES[error.code]}`.trim()])
  }
}

const REMEDIES: Readonly<Record<ControlError['code'], string>> = {
  no_daemon: 'Start it with `relevo run`, or name the folder of the team.',
  not_permitted: 'Ask as the user who started it.',
  no_answer: 'Look at it with `relevo status`, or at the process in its `.relevo/lock`.',
  refused: '',
}

export interface ControlOptions {
  readonly config?: string | undefined
}

export async function pause(io: Io, folder: string | undefined, { config }: ControlOptions): Promise<number> {
  await orderTo(teamDirectory(io, folder, config), { do: 'pause' })
  await io.stdout.write('pausing; a call in flight is let end\n')
  return EXIT.ok
}

export async function resume(io: Io, folder: string | undefined, { config }: ControlOptions): Promise<number> {
  await orderTo(teamDirectory(io, folder, config), { do: 'resume' })
  await io.stdout.write('resumed\n')
  return EXIT.ok
}

/** Waits until the daemon has ended; an interrupt ends the waiting and not the daemon. */
export async function stop(
  io: Io,
  folder: string | undefined,
  { config, now = false }: ControlOptions & { readonly now?: boolean | undefined },
): Promise<number> {
  const { closed, leave } = await orderTo(teamDirectory(io, folder, config), { do: 'stop', immediate: now })
  const foot = new FootLine(io.stderr)
  foot.show(() => 'waiting for the call in flight to end; Ctrl-C stops the waiting, not the team')
  const interrupted = new Promise<'interrupted'>((left) => {
    // It may have come while the order was on its way.
    if (io.interrupt.aborted) left('interrupted')
    else io.interrupt.addEventListener('abort', () => left('interrupted'), { once: true })
  })
  const end = await Promise.race([closed, interrupted])
  leave()
  await foot.end()
  if (end === 'interrupted') return EXIT.interrupted
  await io.stdout.write('stopped\n')
  return EXIT.ok
}

/** Posts for the person; without a text, or with `-`, what stands on standard input. */
export async function say(io: Io, text: string | undefined, folder: string | undefined, { config }: ControlOptions): Promise<number> {
  const said = text === undefined || text === '-' ? await inputText(io) : text
  if (said.trim() === '') throw new BadInput(['The message is blank. Write it behind `relevo say`, or pipe it in.'])
  const { value } = await orderTo(teamDirectory(io, folder, config), { do: 'say', text: said })
  await io.stdout.write(`#${(value as { post?: unknown } | null)?.post ?? '?'}\n`)
  return EXIT.ok
}

export async function approve(io: Io, participant: string, folder: string | undefined, { config }: ControlOptions): Promise<number> {
  const directory = teamDirectory(io, folder, config)
  const { value } = await orderTo(directory, { do: 'approve', participant })
  if ((value as { approved?: unknown } | null)?.approved === true) {
    await io.stdout.write(`approved: ${oneLine(participant)}\n`)
    return EXIT.ok
  }
  await io.stderr.write(`error: ${directory}: ${oneLine(participant)} asked for nothing that is pending. See who did with \`relevo status\`.\n`)
  return EXIT.no
}
