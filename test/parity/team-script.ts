import type { FakeCliName, FakeRun } from '../../src/engines/fake-cli/script.ts'
import { postSays } from '../../src/policy/team/post-says.ts'
import { readerOf, readRaw } from '../../src/simulate/raw-run.ts'
import type { ScriptedRun, TeamScenario } from '../../src/simulate/team-scenario.ts'

/** How a scripted run of a team is played by a program: the words are those of the program, told at the instant at which the run ends. */

/** A call takes so long unless its script says otherwise, as simulated. */
const TOOK_MS = 1_000
/** The longest silence of a program, by default. */
const STALL_MS = 600_000

export function tookMsOf({ tookMs }: ScriptedRun): number {
  return tookMs ?? TOOK_MS
}

export function nameOf(provider: string): FakeCliName {
  return provider as FakeCliName
}

/** Null: it prints nothing and is ended by its deadline. */
export function fakeRunOf(item: ScriptedRun, name: FakeCliName, now: number): FakeRun | null {
  if ('post' in item) return { text: item.post }
  if ('limit' in item) return limitRun(item.limit, name, now)
  if ('network' in item) return { network: 'down' }
  if ('crash' in item) return { crash: item.crash }
  if ('timeout' in item) return null
  if ('wait' in item) return { text: `play: wait ${item.wait.minutes}` }
  if ('raw' in item) return { raw: { stdout: linesOf(item.raw.stdout), stderr: linesOf(item.raw.stderr), exit: item.raw.exit } }
  return { text: [] }
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

type Limit = Extract<ScriptedRun, { limit: unknown }>['limit']

/**
 * A reset in the form in which the program states one, where that is precise enough: claude tells whole seconds, codex a clock of whole
 * minutes, agy a duration of whole seconds. Otherwise in another wording of it that is: a number of ms.
 */
function limitRun(limit: Limit, name: FakeCliName, now: number): FakeRun {
  const at = 'resetInMs' in limit ? now + limit.resetInMs : 'resetAt' in limit ? Date.parse(limit.resetAt) : null
  if (at === null || at % PRECISION_MS[name] === 0) return { limit: at === null ? {} : { resetAt: at } }
  if (name === 'claude') return { raw: { stdout: [claudeLimit(at)], exit: 1 } }
  return {
    says: name === 'codex' ? `You've hit your usage limit. Try again in ${at - now}ms.` : `Individual quota reached. Resets in ${at - now}ms.`,
  }
}

const PRECISION_MS: Readonly<Record<FakeCliName, number>> = { claude: 1_000, codex: 60_000, agy: 1_000, gemini: 1_000 }

function claudeLimit(at: number): string {
  const result = `Claude AI usage limit reached|${at}`
  return JSON.stringify({ type: 'result', subtype: 'success', is_error: true, api_error_status: 429, result })
}

/** Why a scenario cannot be played by programs, or null. Each reason is printed with the documents that it takes out. */
export function whyNot(scenario: TeamScenario): string | null {
  const { participants, engines, steps, zone } = scenario
  const providers = participants.flatMap(({ provider, failover }) => [provider, ...failover.map((entry) => entry.split(':', 1)[0] ?? '')])
  if (providers.some((provider) => readerOf(provider) === null)) return 'calls a profile over HTTP, and here only programs are played'
  if (steps.some((step) => step.do === 'gate' && step.atMs > 0)) return 'opens a gate in the middle of a call, which only a post can do'
  const ids = participants.map(({ id }) => id)
  for (const [engine, runs] of Object.entries(engines)) {
    for (const run of runs) {
      const problem = itemProblem(run, engine.split(':', 1)[0] ?? engine, ids, zone)
      if (problem !== null) return problem
    }
  }
  return null
}

function itemProblem(run: ScriptedRun, provider: string, ids: readonly string[], zone: string): string | null {
  if ('posted' in run && run.posted === true && !('post' in run))
    return 'fails a call that has posted, and the post of a program is the text of a call that came off'
  if ('wait' in run && !Number.isInteger(run.wait.minutes)) return 'waits for a part of a minute, which no play says'
  if ('post' in run) {
    const { asked, done, gate, waitMin } = postSays(run.post, ids[0] ?? null, ids)
    if (run.post.trim() === '' || asked !== null || done || gate || waitMin !== null)
      return 'posts a text that says what comes next, which a scenario leaves unread'
  }
  return 'raw' in run ? rawProblem(run.raw, provider, zone) : null
}

/** Our engine asks a program for events; an answer without them is a run that has no end. */
function rawProblem(raw: Extract<ScriptedRun, { raw: unknown }>['raw'], provider: string, zone: string): string | null {
  const program = readerOf(provider)
  const isPlain = linesOf(raw.stdout).every((line) => !line.trimStart().startsWith('{'))
  const isPost = program !== null && readRaw(program, raw, 0, zone).kind === 'posted'
  return isPlain && isPost ? 'prints its answer as plain text, and a program that is called here is asked for events' : null
}

/** What the operator would set for programs that take so long, or that are given up after a time. */
export function profileOf(scenario: TeamScenario, name: FakeCliName): Readonly<Record<string, unknown>> {
  const runs = Object.entries(scenario.engines).flatMap(([engine, items]) => (engine.split(':', 1)[0] === name ? items : []))
  const timeouts = runs.filter((run) => 'timeout' in run).map(tookMsOf)
  const totalMs = timeouts.length === 0 ? null : Math.max(...timeouts)
  const isLong = runs.some((run) => tookMsOf(run) > STALL_MS)
  return { timeouts: { totalMs }, cli: { env: { TZ: scenario.zone }, ...(isLong ? { stallMs: null } : {}) } }
}
