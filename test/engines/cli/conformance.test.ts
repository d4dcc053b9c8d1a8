import { afterAll, describe, expect, test } from 'vitest'
import { resolveCliEngine } from '../../../src/engines/cli/cli-engines.ts'
import { type ConformanceCase, notApplicable } from '../../../src/engines/conformance/case.ts'
import { type CliSubjectOptions, cliSubject } from '../../../src/engines/conformance/cli-subject.ts'
import type { ConformanceSubject, Situation } from '../../../src/engines/conformance/subject.ts'
import { conformanceCases } from '../../../src/engines/conformance.ts'
import type { Engine } from '../../../src/engines/contract.ts'
import type { Profile } from '../../../src/model/settings.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { virtualClock } from '../../../src/simulate/virtual-clock.ts'
import { LAWLESS, type Planted } from '../planted-engines.ts'
import { MISLEADING } from '../planted-meanings.ts'

/** The engine contract, with each coding-agent CLI as processes of its fake (house.md §6). */
const START = Date.UTC(2026, 2, 1)

const engines = resolveCliEngine({ clock: systemClock(), environment: { PATH: process.env['PATH'] }, runs: null })
afterAll(() => engines.close())

/** What no coding-agent CLI can be put into. */
const EVERY_LACKS = {
  toolCalls: 'it has tools of its own only, and takes none of a caller',
  earlyUsage: 'its last event alone has counts',
  wire: 'it tells a failure in words: no status, no header and no code of a socket comes with them',
  'kind invalid_request': 'it has no words for a request that its server cannot read; only for a command line that it cannot',
  'kind forbidden': 'it tells what is forbidden in the words of a login that failed',
  'kind timeout': 'it tells a request that timed out in the words of a broken connection',
} as const

const WHOLE_ANSWER = 'its answer is told when it is whole, since it may begin anew until then'
const NO_REASON = 'it does not say why an answer ended where it did'

const SUBJECTS: readonly Omit<CliSubjectOptions, 'engines' | 'clock'>[] = [
  { name: 'the claude engine', family: 'claude', program: 'claude', lacks: EVERY_LACKS },
  {
    name: 'the codex engine',
    family: 'codex',
    program: 'codex',
    lacks: { ...EVERY_LACKS, streaming: WHOLE_ANSWER, finishReasons: NO_REASON },
  },
  {
    name: 'the agy engine',
    family: 'agy',
    program: 'agy',
    lacks: { ...EVERY_LACKS, finishReasons: NO_REASON, reasoning: 'it prints no thoughts', credentials: 'it takes no key, it has its own login' },
  },
  {
    name: 'the gemini-cli engine',
    family: 'gemini-cli',
    program: 'gemini',
    lacks: { ...EVERY_LACKS, streaming: WHOLE_ANSWER, finishReasons: NO_REASON, reasoning: 'it prints no thoughts' },
  },
]

const subjectOf = (one: (typeof SUBJECTS)[number], more: Partial<CliSubjectOptions> = {}): ConformanceSubject =>
  cliSubject({ ...one, engines, clock: () => virtualClock(START), ...more })

// A program takes its time to start, and it is another processor's time.
describe.concurrent.each(SUBJECTS.map((one) => [one.name, subjectOf(one)] as const))('%s conforms', (_name, subject) => {
  for (const one of conformanceCases()) {
    const reason = notApplicable(one, subject)
    if (reason === null) test(one.name, () => one.run(subject))
    else test(one.name, ({ skip }) => skip(`not applicable to ${subject.name}: ${reason}`))
  }
})

/** Those that only a process can tell from sound ones, and some that tell something else than the program said. */
const PLANTED = [...LAWLESS, ...MISLEADING].filter(({ name }) =>
  [
    'lets a cancelled attempt run on in silence',
    'retries by itself',
    'gives two subscribers one attempt',
    'asks before anybody subscribed',
    'takes the end of bytes for success',
    'forgets usage',
  ].includes(name),
)

/** The silence of a program has a bound of its own beside the deadlines. */
const PATIENT: Planted = {
  name: 'waits for ever',
  plant: (sound) => ({
    attempt: (request) => {
      const { profile } = request
      const timeouts = { connectMs: null, firstByteMs: null, firstOutputMs: null, idleMs: null, totalMs: null }
      return sound.attempt({ ...request, profile: { ...profile, timeouts, cli: profile.cli === null ? null : { ...profile.cli, stallMs: null } } })
    },
  }),
  caughtBy: ['R31: no byte within firstByteMs is a timeout (stream)', 'R31: silence of idleMs', 'C40: without firstByteMs', 'at totalMs (call)'],
}

test.each([
  ['a status that no program tells', { mode: 'call', items: [{ http: 403 }] }, 'a status 403'],
  ['a tool of the caller', { mode: 'stream', items: [{ events: [{ toolCall: { name: 'x', arguments: '{}' } }, { final: 'stop' }] }] }, 'toolCall'],
  ['a finish for it', { mode: 'stream', items: [{ events: [{ final: 'tool_calls' }] }] }, 'a tool call of the caller'],
] as const satisfies readonly (readonly [string, Situation, string])[])('nothing else is played in place of %s', async (_what, situation, words) => {
  for (const one of SUBJECTS) {
    const refused = await subjectOf(one)
      .prepare(situation)
      .catch((error: Error) => error.message)
    expect(refused).toBe(`no coding-agent CLI can be put into this: ${words}; name it in the \`lacks\` of the subject`)
  }
})

test('every planted engine is there', () => expect(PLANTED.length).toBe(6))

describe('the kit catches among programs an engine that', () => {
  test.each([...PLANTED, PATIENT].map((one) => [one.name, one] as const))('%s', async (_name, planted) => {
    const [claude] = SUBJECTS
    if (claude === undefined) throw new Error('no subject')
    const subject = subjectOf(claude, { engines: (profile) => plantIn(planted, profile), giveUpMs: 1_500 })
    const wanted = planted.caughtBy.filter((part) => casesOf(part, subject).length > 0)
    expect(wanted).not.toEqual([])
    for (const part of wanted) expect(await complaintsOf(casesOf(part, subject), subject), `no case named "${part}" complained`).not.toEqual([])
  })
})

function plantIn(planted: Planted, profile: Profile): Engine | undefined {
  const sound = engines(profile)
  return sound === undefined ? undefined : planted.plant(sound, {})
}

function casesOf(part: string, subject: ConformanceSubject): ConformanceCase[] {
  return conformanceCases().filter((one) => one.name.includes(part) && notApplicable(one, subject) === null)
}

/** The lines with which cases failed. */
async function complaintsOf(cases: readonly ConformanceCase[], subject: ConformanceSubject): Promise<string[]> {
  const complaints: string[] = []
  for (const one of cases) await one.run(subject).catch((error: Error) => void complaints.push(error.message))
  for (const complaint of complaints) expect(complaint).toMatch(/^[^\n]{5,400}$/)
  return complaints
}
