import { afterAll, describe, expect, test } from 'vitest'
import { type ConformanceCase, notApplicable } from '../../src/engines/conformance/case.ts'
import { loopbackSubject } from '../../src/engines/conformance/loopback-subject.ts'
import type { ConformanceSubject } from '../../src/engines/conformance/subject.ts'
import { virtualSubject } from '../../src/engines/conformance/virtual-subject.ts'
import { conformanceCases } from '../../src/engines/conformance.ts'
import { resolveHttpEngine } from '../../src/engines/http/registry.ts'
import { scriptedEngine } from '../../src/engines/scripted.ts'
import { virtualClock } from '../../src/simulate/virtual-clock.ts'
import { LAWLESS } from './planted-engines.ts'
import { MISLEADING } from './planted-meanings.ts'

const PLANTED = [...LAWLESS, ...MISLEADING]

const START = Date.UTC(2026, 2, 1)

const SCRIPTED_LACKS = { credentials: 'it signs nothing', keepAlive: 'a script has no words for comments' }

const scripted = virtualSubject({
  name: 'the scripted engine',
  engine: (script) => scriptedEngine(script),
  clock: () => virtualClock(START),
  lacks: SCRIPTED_LACKS,
})

const engines = resolveHttpEngine()
afterAll(() => engines.close())

const openaiChat = loopbackSubject({
  name: 'the openai-chat engine',
  protocol: 'openai-chat',
  engines,
  clock: () => virtualClock(START),
  lacks: { providerTools: 'the protocol has no tools that run at the provider' },
})
const openaiResponses = loopbackSubject({
  name: 'the openai-responses engine',
  protocol: 'openai-responses',
  engines,
  clock: () => virtualClock(START),
})
const anthropicMessages = loopbackSubject({
  name: 'the anthropic-messages engine',
  protocol: 'anthropic-messages',
  engines,
  clock: () => virtualClock(START),
})
const gemini = loopbackSubject({
  name: 'the gemini engine',
  protocol: 'gemini',
  engines,
  clock: () => virtualClock(START),
})
const ollamaChat = loopbackSubject({
  name: 'the ollama engine',
  protocol: 'ollama',
  engines,
  clock: () => virtualClock(START),
  lacks: {
    providerTools: 'the protocol has no tools that run at the provider',
    errorKinds: 'an error line holds words and nothing else',
    earlyUsage: 'only the last line has counts',
    cachedUsage: 'the protocol does not count a cache',
  },
})
const bedrockConverse = loopbackSubject({
  name: 'the bedrock-converse engine',
  protocol: 'bedrock-converse',
  engines,
  clock: () => virtualClock(START),
})

const subjects: readonly ConformanceSubject[] = [scripted, openaiChat, openaiResponses, anthropicMessages, gemini, ollamaChat, bedrockConverse]

describe.each(subjects.map((subject) => [subject.name, subject] as const))('%s conforms', (_name, subject) => {
  for (const one of conformanceCases()) {
    const reason = notApplicable(one, subject)
    if (reason === null) test(one.name, () => one.run(subject))
    else test(one.name, ({ skip }) => skip(`not applicable to ${subject.name}: ${reason}`))
  }
})

test('every case has a name of its own', () => {
  const names = conformanceCases().map((one) => one.name)
  expect(new Set(names).size).toBe(names.length)
})

describe('the kit catches an engine that', () => {
  test.each(PLANTED.map((one) => [one.name, one] as const))('%s', async (_name, planted) => {
    const subject = virtualSubject({
      name: planted.name,
      engine: (script) => planted.plant(scriptedEngine(script), script),
      clock: () => virtualClock(START),
      lacks: SCRIPTED_LACKS,
    })
    const complaints = await complaintsAbout(subject)
    for (const part of planted.caughtBy) {
      const caught = [...complaints].filter(([name]) => name.includes(part))
      expect(caught, `no case named "${part}" complained; those that did: ${[...complaints.keys()].join(' | ')}`).not.toEqual([])
    }
    for (const complaint of complaints.values()) expect(complaint).toMatch(/^[^\n]{5,400}$/)
  })
})

/** Those that only a real connection can tell from sound ones, or that it must tell as well. */
const OVER_HTTP = ['lets a cancelled attempt run on in silence', 'reads on while the reader is full', 'retries by itself']

describe('the kit catches over HTTP an engine that', () => {
  test.each(OVER_HTTP)('%s', async (name) => {
    const planted = PLANTED.find((one) => one.name === name)
    if (planted === undefined) throw new Error(`no planted engine ${name}`)
    const subject = loopbackSubject({
      name,
      protocol: 'openai-chat',
      engines: (profile) => {
        const sound = engines(profile)
        return sound === undefined ? undefined : planted.plant(sound, {})
      },
      clock: () => virtualClock(START),
      giveUpMs: 300,
    })
    const complaints = await complaintsAbout(subject, (one) => planted.caughtBy.some((part) => one.name.includes(part)))
    for (const part of planted.caughtBy) expect([...complaints.keys()].join(' | ')).toContain(part)
  })
})

/** Case name → the one line with which it failed. */
async function complaintsAbout(subject: ConformanceSubject, wanted: (one: ConformanceCase) => boolean = () => true): Promise<Map<string, string>> {
  const complaints = new Map<string, string>()
  for (const one of conformanceCases()) {
    if (notApplicable(one, subject) !== null || !wanted(one)) continue
    await one.run(subject).catch((error: Error) => complaints.set(one.name, error.message))
  }
  return complaints
}
