import type { RunEvent } from '../demo/timeline.ts'

const COLOURS: Partial<Record<RunEvent['type'], string>> = {
  'turn.started': '1',
  'attempt.failed': '31',
  'entry.skipped': '33',
  'output.committed': '1;36',
  'recovery.started': '35',
  'hold.set': '33',
  'wait.started': '33',
  'warning.raised': '33',
  'kernel.holds': '2',
  text: '36',
  answer: '36',
  notice: '2',
  'team.posted': '36',
}

/** What the run of a team writes into its log stands out from what is told beside it. */
const TEAM_COLOURS: Partial<Record<Extract<RunEvent, { type: 'team.told' }>['event']['type'], string>> = {
  'line.written': '1;33',
  'run.started': '2',
  'state.entered': '35',
}

/** Emphasis where there is colour, the text itself where there is none. */
export function painter(colour: boolean): { bold(text: string): string; dim(text: string): string } {
  const painted =
    (code: string) =>
    (text: string): string =>
      colour ? `\u001b[${code}m${text}\u001b[0m` : text
  return { bold: painted('1'), dim: painted('2') }
}

/** A line of the timeline in the colour of its event, for a terminal. */
export function paintedLine(line: string, event: RunEvent): string {
  const colour = event.type === 'team.told' ? TEAM_COLOURS[event.event.type] : colourOf(event)
  return colour === undefined ? line : `\u001b[${colour}m${line}\u001b[0m`
}

function colourOf(event: RunEvent): string | undefined {
  return event.type === 'turn.ended' ? (event.outcome.kind === 'ok' ? '32' : '33') : COLOURS[event.type]
}
