import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PageEvent } from '../../../src/faces/page/page-event.ts'
import { BROWSER, type Looked, launch, lookAt, open, show, WITHOUT_BROWSER } from './rig.ts'
import { actor, attemptEnded, attemptStarted, BEGIN, planned, recordedLines, sampleEvents, told, turnEnded } from './sample.ts'

type ChainEvent = Extract<PageEvent, { readonly type: 'chain.planned' }>

const REQUESTED = { profile: 'openai.main', model: 'gpt-5' }
/** Names as the gateway gives them, and one as a host does. */
const NAMES = ['3484f7ce-12345', '3484f7ce-12346', 'the stream was cut early and recovered']
/** Those of a host that names its sessions: what tells them apart is behind more letters than a column has. */
const SESSIONS = ['session-550e8400-e29b-41d4-a716-446655440000-1', 'session-550e8400-e29b-41d4-a716-446655440000-2']

/** How far the last letters of the name of each turn in sight stand over the edge of its column, px. */
function overEdge(page: Page): Promise<number[]> {
  return page.locator('.turn').evaluateAll((labels) =>
    labels.map((label) => {
      const name = label.querySelector('b') as HTMLElement
      const walker = document.createTreeWalker(name, NodeFilter.SHOW_TEXT)
      let last: Node = name
      while (walker.nextNode() !== null) last = walker.currentNode
      const range = document.createRange()
      range.setStart(last, Math.max(0, (last.textContent?.length ?? 0) - 3))
      range.setEnd(last, last.textContent?.length ?? 0)
      return Math.max(0, Math.round(range.getBoundingClientRect().right - label.getBoundingClientRect().right))
    }),
  )
}

describe.skipIf(!BROWSER)(`what the page shows can be told apart${WITHOUT_BROWSER}`, { timeout: 60_000 }, () => {
  let browser: Browser
  let looked: Looked
  beforeAll(async () => {
    browser = await launch()
    looked = await lookAt()
    for (const event of sampleEvents()) looked.sources.add(event)
    for (const [index, turn] of [...NAMES, ...SESSIONS].entries()) {
      const at = BEGIN + index * 100
      looked.sources.add(told({ type: 'turn.started', turn, at, requested: REQUESTED, entries: [] }))
      looked.sources.add(told(attemptStarted(turn, at + 1, 1, 'openai.main/gpt-5')))
      looked.sources.add(told(attemptEnded(turn, at + 90, 1, 'ok')))
      looked.sources.add(told(turnEnded(turn, at + 90, at, REQUESTED, REQUESTED)))
    }
    for (let line = 0; line < 80; line++) looked.sources.add({ type: 'team.logged', at: BEGIN + line, line: `line ${line}` })
  }, 60_000)
  afterAll(async () => {
    await looked?.close()
    await browser?.close()
  })

  it.each([390, 700, 1280])('the timeline at %i px: names that begin alike end in sight, bars stand below their times', async (width) => {
    const { page, faults, close } = await open(browser, looked.address, { width })
    await show(page, 'Timeline')
    await page.getByRole('option', { name: `${NAMES[0]}: ok` }).waitFor()
    expect(await page.locator('.turn b').allTextContents()).toEqual(
      expect.arrayContaining([...NAMES, expect.stringMatching(/0000-1$/), expect.stringMatching(/0000-2$/)]),
    )
    expect((await overEdge(page)).filter((over) => over > 0)).toEqual([])
    const right = async (selector: string): Promise<number> => {
      const { x = 0, width: wide = 0 } = (await page.locator(selector).first().boundingBox()) ?? {}
      return x + wide
    }
    expect(Math.abs((await right('.axis')) - (await right('[role=option] > svg')))).toBeLessThanOrEqual(2)
    await close()
    expect(faults).toEqual([])
  })

  it.each([390, 1280])('the timeline at %i px: no commit strikes through the words of its bar', async (width) => {
    const { page, faults, close } = await open(browser, looked.address, { width })
    await show(page, 'Timeline')
    await page.getByRole('option', { name: /^turn-1: ok/ }).waitFor()
    const bars = await page.locator('.turn + svg .bar:has(.commit)').evaluateAll((marked) =>
      marked.map((bar) => {
        const mark = bar.querySelector('.commit')?.getBoundingClientRect() ?? new DOMRect()
        const text = bar.querySelector('text')?.getBoundingClientRect()
        const middle = mark.left + mark.width / 2
        return text !== undefined && text.left < middle && middle < text.right
      }),
    )
    expect(bars).toEqual([false])
    await close()
    expect(faults).toEqual([])
  })

  it('the timeline has no times where no turn fits, and what happened at one instant in the order of its causes', async () => {
    const { page, faults, close } = await open(browser, looked.address)
    await show(page, 'Timeline')
    await page.getByRole('option', { name: /^turn-1: ok/ }).click()
    const table = page.getByRole('region', { name: 'Attempts and waits of turn-1' })
    await table.getByText('wait: backoff').waitFor()
    expect(await table.locator('td:nth-child(2)').allTextContents()).toEqual([
      'attempt 1, stream',
      'hold on anthropic.main: limit',
      'wait: backoff',
      'attempt 2, stream',
    ])
    expect(await page.locator('.axis text').count()).toBeGreaterThan(0)
    await page.getByRole('searchbox', { name: 'Filter' }).fill('no turn has this name')
    await page.getByText('No turn fits the filter.').waitFor()
    expect(await page.locator('.axis text').count()).toBe(0)
    await close()
    expect(faults).toEqual([])
  })

  it.each([390, 1280])('the actors at %i px: names that begin alike end in sight', async (width) => {
    const { page, faults, close } = await open(browser, looked.address, { width })
    await page.getByText('live', { exact: true }).waitFor()
    for (const [index, name] of SESSIONS.entries()) looked.sources.add(actor(`t:${index}`, 'turn', name, 'backingOff', 'attempt.ended'))
    await page.getByRole('option', { name: /0000-2:/ }).waitFor()
    const tails = await page.locator('.actor .name').evaluateAll((names) =>
      names.map((name) => {
        const tail = name.lastChild as Text
        const range = document.createRange()
        range.selectNode(tail)
        return `${tail.data.slice(-6)} ${range.getBoundingClientRect().right <= name.getBoundingClientRect().right + 1}`
      }),
    )
    expect(tails).toEqual(expect.arrayContaining(['0000-1 true', '0000-2 true']))
    await close()
    expect(faults).toEqual([])
  })

  it.each([390, 1280])('the lit state of a chart at %i px is in sight when an actor is chosen, and when it comes to another state', async (width) => {
    const { page, faults, close } = await open(browser, looked.address, { width })
    await page.getByText('live', { exact: true }).waitFor()
    const step = (state: string): void => looked.sources.add(actor('t:9', 'turn', 'followed', state, 'attempt.ended'))
    /** How far the lit state stands over the sides of the drawing, px. */
    const outside = (): Promise<number> =>
      page.evaluate(() => {
        const lit = document.querySelector('.canvas .state.lit')?.getBoundingClientRect()
        const box = document.querySelector('.canvas')?.getBoundingClientRect()
        return lit === undefined || box === undefined ? Number.NaN : Math.max(0, lit.right - box.right, box.left - lit.left)
      })
    step('served')
    await page.getByRole('option', { name: 'followed: served' }).click()
    await page.getByRole('img', { name: 'its state is served' }).waitFor()
    await expect.poll(outside).toBe(0)
    step('selecting')
    await page.getByRole('img', { name: 'its state is selecting' }).waitFor()
    await expect.poll(outside).toBe(0)
    await close()
    expect(faults).toEqual([])
  })

  it.each([390, 1280])('thread and log at %i px: their names stay in sight when they are long', async (width) => {
    const { page, faults, close } = await open(browser, looked.address, { width })
    await show(page, 'Team')
    await page.getByText('line 79').waitFor()
    const box = await page.getByRole('region', { name: 'Log' }).boundingBox()
    const heading = await page.getByRole('heading', { name: 'Log' }).boundingBox()
    expect(heading?.y).toBeGreaterThanOrEqual(box?.y ?? Number.POSITIVE_INFINITY)
    await close()
    expect(faults).toEqual([])
  })

  it.each([
    ['Asia/Kolkata', /^17:30:\d\d UTC\+5:30$/],
    ['America/New_York', /^07:00:\d\d UTC−5$/],
    ['UTC', /^12:00:\d\d UTC$/],
  ])('says in which zone its times are: %s', async (zone, clock) => {
    const { page, faults, close } = await open(browser, looked.address, { width: 390, zone })
    await page.getByText('live', { exact: true }).waitFor()
    await expect.poll(() => page.locator('.clock').textContent()).toMatch(clock)
    await close()
    expect(faults).toEqual([])
  })

  it('says where the chains of a team stand, whose settings have no choice of their own', async () => {
    const of = async (team: boolean): Promise<string | null> => {
      const other = await lookAt({ team })
      const { page, close } = await open(browser, other.address)
      await page.getByText('live', { exact: true }).waitFor()
      await show(page, 'Chain')
      const words = await page.locator('.empty').textContent()
      await close()
      await other.close()
      return words
    }
    expect(await of(true)).toBe('What each participant would try stands in the view Team.')
    expect(await of(false)).toBe('No kernel has told what it would try yet.')
  })

  it('of the path of a file its end is seen', async () => {
    const { page, faults, close } = await open(browser, looked.address)
    const participants = ['planner', 'reviewer'].map((id) => ({ id, path: `/srv/teams/of/the/night/watch/participants/${id}.md` }))
    looked.sources.add({ type: 'team.opened', at: BEGIN, name: 'night watch', participants })
    await show(page, 'Team')
    const file = page.getByRole('textbox', { name: 'File of reviewer' })
    await expect.poll(() => file.inputValue()).toContain('/watch/')
    expect(await file.evaluate((field) => field.scrollWidth - field.scrollLeft - field.clientWidth)).toBeLessThanOrEqual(1)
    await close()
    expect(faults).toEqual([])
  })

  it('R36 a recording has no texts, and nobody is told how to see them; that it takes no orders is said once', async () => {
    const { page, faults, close } = await open(browser, looked.address)
    await show(page, 'Trace')
    const other: PageEvent = { ...(planned(null, []) as ChainEvent), kernel: 'another' }
    const buffer = Buffer.from(recordedLines([...sampleEvents(), other]).join('\n'))
    await page.getByLabel('Open a recording').setInputFiles({ name: 'night.jsonl', mimeType: 'text/plain', buffer })
    await page.getByRole('slider', { name: 'Place in the recording' }).press('End')
    await show(page, 'Team')
    await page.getByText('Texts are in no recording.').waitFor()
    expect(await page.getByText('--show-text').count()).toBe(0)
    await show(page, 'Chain')
    await page.getByRole('heading', { name: 'Kernel another' }).waitFor()
    expect(await page.getByText('A recording takes no orders.').count()).toBe(1)
    await close()
    expect(faults).toEqual([])
  })
})
