import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { agyVoice } from './agy-voice.ts'
import { readArguments } from './arguments.ts'
import { claudeVoice } from './claude-voice.ts'
import { codexVoice } from './codex-voice.ts'
import { claimCall, claimRun, type FakeCall, readScript, writeCall } from './folder.ts'
import { geminiVoice } from './gemini-voice.ts'
import { perform, STAY_MS } from './perform.ts'
import { type FakeCliName, type FakePiece, type FakeRun, queueOf } from './script.ts'
import { type Ask, err, exit, type FakeVoice, type Stage, type Step } from './voice.ts'

/** What a fake CLI runs: dist/fake-cli.js, called by the files that `installFakeClis` writes. Each start is one call of one CLI. */
const VOICES: Readonly<Record<FakeCliName, FakeVoice>> = { claude: claudeVoice, codex: codexVoice, agy: agyVoice, gemini: geminiVoice }

const KEPT_TEXT_BYTES = 65_536
const UNSCRIPTED_EXIT = 70

export async function runFakeCli(name: FakeCliName, directory: string): Promise<never> {
  const args = process.argv.slice(2)
  const voice = VOICES[name]
  const record = new CallRecord(name, directory, args)
  const play = (steps: readonly Step[], run: FakeRun | Record<string, never> = {}): Promise<never> => perform(steps, run, (seen) => record.add(seen))
  // Asked for alone, as a person does: behind other arguments it may be the value of one.
  const [first] = args
  if (first === '--version') return play([{ do: 'out', lines: [voice.version] }, exit(0)])
  if (first === '--help') return play([{ do: 'out', lines: [voice.usage] }, exit(0)])
  const read = readArguments(args, voice.flags)
  if ('unknown' in read) return play([err(`error: unknown option '${read.unknown}'`, voice.usage), exit(voice.usageExit)])
  const ask = voice.asked(read)
  if ('refused' in ask) return play(ask.refused)
  const prompt = await promptOf(ask, record)
  if (prompt === '') return play(voice.promptless)

  const script = readScript(directory)
  const queue = queueOf(script, name, ask.model)
  const runs = queue === undefined ? [] : (script[queue] ?? [])
  if (queue === undefined || runs.length === 0) {
    const what = ask.model === null ? name : `${name}:${ask.model}`
    return play([err(`fake ${name}: nothing is scripted for ${what}; give the script a list \`${what}\` or \`${name}\``), exit(UNSCRIPTED_EXIT)])
  }
  const index = Math.min(claimRun(directory, queue), runs.length - 1)
  const run = runs[index] as FakeRun
  heedSignals(name, run)
  record.add({ run: `${queue}[${index}]`, grandchild: run.grandchild === true ? leaveBehind() : null })
  const zone = process.env['TZ'] ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const stage = { ask, prompt, now: Date.now(), zone, environment: process.env, session: randomUUID(), id: randomUUID }
  return play(stepsOf(voice, run, stage), run)
}

function stepsOf(voice: FakeVoice, run: FakeRun, stage: Stage): readonly Step[] {
  if ('silence' in run) return [{ do: 'stay' }]
  if ('flood' in run) return [{ do: 'flood', bytes: run.flood }, exit(0)]
  if ('raw' in run) {
    const { stdout = [], stderr = [], exit: code = 0 } = run.raw
    return [{ do: 'out', lines: stdout }, { do: 'err', lines: stderr }, exit(code)]
  }
  const opening = voice.opening(stage)
  if ('crash' in run) {
    const { stderr = '', exit: code } = run.crash
    return [...opening, err(...(stderr === '' ? [] : stderr.split('\n'))), exit(code)]
  }
  if ('busy' in run) return [...opening, { do: 'repeat', line: JSON.stringify(voice.sign(stage)) }]
  if (!('text' in run)) return [...opening, ...begunOf(voice, run.after, stage), ...voice.failure(run, stage)]
  const { begun, rest } = voice.answer(run, stage)
  if (run.stall === true) return [...opening, ...begun, { do: 'stay' }]
  if (run.cut === true) return [...opening, ...begun, exit(0)]
  const late = begunOf(voice, run.late === undefined ? undefined : [run.late], stage)
  return [...opening, ...begun, ...rest.filter((step) => step.do !== 'exit'), ...late, ...rest.filter((step) => step.do === 'exit')]
}

/** So much of an answer, which does not end. */
function begunOf(voice: FakeVoice, text: readonly FakePiece[] | undefined, stage: Stage): readonly Step[] {
  return text === undefined ? [] : voice.answer({ text, cut: true }, stage).begun
}

/** claude ends with 143 on SIGTERM, the others by the signal; one that floods could not run a handler while its pipe is full. */
function heedSignals(name: FakeCliName, run: FakeRun): void {
  if (run.ignoreTerm === true) for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  else if (name === 'claude' && !('flood' in run)) process.on('SIGTERM', () => process.exit(143))
}

/** A process of the same group that does nothing but hold standard output open. */
function leaveBehind(): number | null {
  const child = spawn(process.execPath, ['-e', `setTimeout(() => {}, ${STAY_MS})`], { stdio: ['ignore', 'inherit', 'ignore'] })
  child.unref()
  return child.pid ?? null
}

async function promptOf(ask: Ask, record: CallRecord): Promise<string> {
  if (!ask.readsStdin || process.stdin.isTTY) return ask.prompt ?? ''
  const hash = createHash('sha256')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  record.add({ stdin: { bytes, sha256: hash.digest('hex'), text: bytes > KEPT_TEXT_BYTES ? null : text } })
  return ask.prompt === null ? text : [ask.prompt, text].filter((part) => part !== '').join('\n\n')
}

/** The record of this call, rewritten as more of it is known. */
class CallRecord {
  readonly #path: string
  #call: FakeCall

  constructor(name: FakeCliName, directory: string, args: readonly string[]) {
    const { path, n } = claimCall(directory, name)
    this.#path = path
    const environment = Object.keys(process.env).sort()
    const { pid } = process
    const place = { n, args, directory: process.cwd(), pid, zone: process.env['TZ'] ?? null, environment }
    this.#call = { ...place, stdin: null, run: null, grandchild: null, stays: false, bytes: 0, exit: null }
    this.add({})
  }

  add(more: Partial<FakeCall>): void {
    this.#call = { ...this.#call, ...more }
    writeCall(this.#path, this.#call)
  }
}
