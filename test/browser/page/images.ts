import { mkdirSync, statSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PageEvent } from '../../../src/faces/page/page-event.ts'
import { ROOT } from '../../architecture/source.ts'
import { type Look, type Looked, launch, lookAt, open, show, VIEWS } from './rig.ts'
import { actor, attemptEnded, attemptStarted, BEGIN, participant, recordedLines, row, sampleEvents, status, told, turnEnded } from './sample.ts'

/** Takes a picture of every view for docs/images; the run that it shows is made up. */
const FOLDER = `${ROOT}docs/images`
const MOST_BYTES = 150_000

const REQUESTED = { profile: 'anthropic.main', model: 'claude-sonnet' }
const SERVED = { profile: 'openai.spare', model: 'gpt-5' }

/** A row of the ledger at another time than that of the sample. */
function ended(endedAt: number, event: PageEvent): PageEvent {
  return event.type === 'row.closed' ? { ...event, at: endedAt, row: { ...event.row, startedAt: endedAt - 640, endedAt } } : event
}

/** Turns beside and behind each other; every figure follows from its number. */
function turns(count: number): PageEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const [turn, at, long] = [`turn-${index + 3}`, BEGIN - 40_000 + index * 1_900, 900 + ((index * 7_919) % 2_300)]
    const fails = index % 3 === 1
    const first = [
      told({ type: 'turn.started', turn, at, requested: REQUESTED, entries: [] }),
      told(attemptStarted(turn, at + 20, 1, 'anthropic.main/claude-sonnet')),
    ]
    if (!fails) {
      const rest = index % 7 === 3 ? [] : [told({ type: 'output.committed', turn, at: at + 420, n: 1 })]
      const result = index % 7 === 3 ? ('cancelled' as const) : ('ok' as const)
      const usage = { input: 900 + index * 31, output: 120 + index * 17, cachedInput: 512 }
      const paid = ended(at + long, row(turn, 1, REQUESTED.profile, REQUESTED.model, usage, 0.0041 + index / 9_000))
      const end = turnEnded(turn, at + long, at, REQUESTED, result === 'ok' ? REQUESTED : null, result)
      return [...first, ...rest, told(attemptEnded(turn, at + long, 1, result)), paid, told(end)]
    }
    return [
      ...first,
      told(attemptEnded(turn, at + 340, 1, 'server')),
      told({ type: 'wait.started', turn, at: at + 340, ms: 600, why: 'backoff', key: 'anthropic.main' }),
      told({ type: 'wait.ended', turn, at: at + 940, cut: false }),
      told(attemptStarted(turn, at + 940, 2, 'openai.spare/gpt-5')),
      told({ type: 'output.committed', turn, at: at + 1_300, n: 2 }),
      told(attemptEnded(turn, at + 1_000 + long, 2, 'ok')),
      ended(at + 340, row(turn, 1, REQUESTED.profile, REQUESTED.model, null, null)),
      ended(at + 1_000 + long, row(turn, 2, SERVED.profile, SERVED.model, { input: 1_100, output: 300 }, 0.0123)),
      told(turnEnded(turn, at + 1_000 + long, at, REQUESTED, SERVED)),
    ]
  }).flat()
}

const POSTS = [
  ['planner', 'claude', 'The migration has three steps. I begin with the schema.'],
  ['reviewer', 'codex', 'The schema lacks an index on `turn`; everything else stands. @planner'],
  ['planner', 'codex', 'Index added, tests are green. Shall I go on with the second step?'],
] as const

function run(): PageEvent[] {
  const talk = POSTS.map(
    ([id, engine, text], index): PageEvent => ({
      type: 'team.posted',
      at: BEGIN + index * 900,
      post: { id: index + 1, at: BEGIN + index * 900, participant: id, engine, text },
    }),
  )
  const log = ['planner: limited until 14:00; codex takes over', 'reviewer: turn 2 done in 41 s', 'planner asks: waiting for approval']
  const lines = log.map((line, index): PageEvent => ({ type: 'team.logged', at: BEGIN + index * 900, line }))
  const asks = status({ state: 'running', participants: [{ ...participant('planner'), gate: 3 }, participant('reviewer')] })
  const events = sampleEvents().filter(({ type }) => !type.startsWith('team.'))
  return [
    ...turns(22),
    ...events,
    ...talk,
    ...lines,
    { type: 'team.told', at: BEGIN, event: { type: 'gate.opened', at: BEGIN, participant: 'planner', post: 3 }, status: asks },
  ]
}

async function fill(page: Page, view: (typeof VIEWS)[number]): Promise<void> {
  await show(page, view)
  if (view === 'Live') await page.getByRole('option', { name: /^turn-2/ }).click()
  if (view === 'Timeline') await page.getByRole('option', { name: /^turn-1:/ }).click()
  if (view !== 'Trace') return
  const buffer = Buffer.from(recordedLines(run()).join('\n'))
  await page.getByRole('button', { name: 'Open a recording' }).setInputFiles({ name: 'night.jsonl', mimeType: 'text/plain', buffer })
  await page.getByRole('slider', { name: 'Place in the recording' }).fill('60')
}

let browser: Browser
let looked: Looked
beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true })
  browser = await launch()
  looked = await lookAt({ showsText: true })
  for (const event of run()) looked.sources.add(event)
})
afterAll(async () => {
  await looked?.close()
  await browser?.close()
})

it.each<[string, Look]>([
  ['light', { height: 720 }],
  ['dark', { height: 720, dark: true }],
  ['narrow', { width: 390, height: 844 }],
])('pictures of every view, %s', async (name, look) => {
  const { page, faults, close } = await open(browser, looked.origin, look)
  await page.getByText('live', { exact: true }).waitFor()
  for (const event of sampleEvents()) if (event.type === 'actor.stepped') looked.sources.add(event)
  for (let index = 3; index < 9; index++)
    looked.sources.add(actor(`t:${index}`, 'turn', `turn-${index}`, index % 2 === 0 ? 'streaming' : 'backingOff', 'attempt.ended'))
  for (const view of VIEWS) {
    await fill(page, view)
    // A frame of the page, so that what was clicked is drawn.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    const path = `${FOLDER}/page-${view.toLowerCase()}-${name}.png`
    await page.screenshot({ path })
    expect(statSync(path).size, path).toBeLessThan(MOST_BYTES)
  }
  await close()
  expect(faults).toEqual([])
})
