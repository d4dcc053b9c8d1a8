import { agy } from '../engines/cli/agy/program.ts'
import { claude } from '../engines/cli/claude/program.ts'
import { codex } from '../engines/cli/codex/program.ts'
import { geminiCli } from '../engines/cli/gemini-cli/program.ts'
import { NoticeListener } from '../engines/cli/notice/listener.ts'
import { outputLine } from '../engines/cli/output-line.ts'
import type { CliProgram } from '../engines/cli/program.ts'
import type { Notice } from '../model/notice.ts'
import { familyOf } from '../model/plan.ts'
import type { RunResult } from '../model/team.ts'

/** What a program printed, and its exit. */
export interface RawRun {
  readonly stdout: string
  readonly stderr: string
  readonly exit: number
}

const READERS: ReadonlyMap<string, CliProgram> = new Map([claude, codex, agy, geminiCli].map((program) => [program.family, program]))

/** The program of a provider, or null when it is none. */
export function readerOf(provider: string): CliProgram | null {
  return READERS.get(familyOf(provider)) ?? null
}

/**
 * What a run of a program came to, by the decoder and the reader of notices that its engine has (T3, T4, T21, G21).
 *
 * 1. A finished answer with text is a post, whatever it quotes.
 * 2. Plain text that ended well and is no notice is one too: so the programs print an answer when nobody asked for events.
 * 3. A stop of money and a throttle are no usage limit (T3). They are failed calls, as is whatever was never seen (T21).
 */
export function readRaw(program: CliProgram, { stdout, stderr, exit }: RawRun, now: number, zone: string): RunResult {
  const decoder = program.decoder('call')
  const listener = new NoticeListener(program.provider, zone)
  const lines = [...linesOf(stdout).map((text) => outputLine('stdout', text)), ...linesOf(stderr).map((text) => outputLine('stderr', text))]
  let answer = ''
  const tell: Parameters<typeof decoder.take>[1] = (event) => {
    if (event.type === 'text') answer += event.text
  }
  for (const line of lines) {
    listener.take(line)
    decoder.take(line, tell)
  }
  if (decoder.end(exit, tell).completed) return answer.trim() === '' ? { kind: 'silent' } : { kind: 'posted', limit: null }
  const notice = listener.read({ exitCode: exit, killed: false, now })
  const isPlain = exit === 0 && lines.every(({ json }) => json === null) && stdout.trim() !== ''
  return resultOf(notice, exit, isPlain)
}

function resultOf({ kind, resetAt }: Notice, exit: number, isPlain: boolean): RunResult {
  switch (kind) {
    case 'limit_reset':
      return { kind: 'limited', limit: { resetAt } }
    case 'limit_no_reset':
      return { kind: 'limited', limit: { resetAt: null } }
    case 'network':
      return { kind: 'network' }
    case 'none':
      if (isPlain) return { kind: 'posted', limit: null }
  }
  return exit === 0 ? { kind: 'silent' } : { kind: 'failed', fault: { kind: 'exited', code: exit } }
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n')
}
