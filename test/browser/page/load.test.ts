import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PageEvent } from '../../../src/faces/page/page-event.ts'
import { BROWSER, launch, lookAt, open, show, WITHOUT_BROWSER } from './rig.ts'
import { actor, attemptEnded, attemptStarted, BEGIN, recordedLines, row, sampleEvents, told, turnEnded } from './sample.ts'

const ATTEMPTS = 10_000
const ACTORS = 500
const REQUESTED = { profile: 'anthropic.main', model: 'claude-sonnet' }

/** So many turns of two attempts each, one after another. */
function turns(count: number): PageEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const [turn, at] = [`turn-${index}`, BEGIN + index * 500]
    return [
      told({ type: 'turn.started', turn, at, requested: REQUESTED, entries: [] }),
      told(attemptStarted(turn, at + 5, 1, 'anthropic.main/claude-sonnet')),
      told(attemptEnded(turn, at + 200, 1, index % 3 === 0 ? 'limit' : 'server')),
      told(attemptStarted(turn, at + 260, 2, 'openai.spare/gpt-5')),
      told({ type: 'output.committed', turn, at: at + 300, n: 2 }),
      told(attemptEnded(turn, at + 480, 2, 'ok')),
      row(turn, 2, 'openai.spare', 'gpt-5', { input: 10, output: 5 }, 0.001),
      told(turnEnded(turn, at + 490, at, REQUESTED, REQUESTED)),
    ]
  }).flat()
}

/** What share of the time until `until` the page was too busy to take a key, and the longest such stretch. */
async function busy(page: Page, until: () => Promise<unknown>): Promise<{ share: number; longestMs: number; tookMs: number }> {
  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(globalThis, { tasks, watch: new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))) })
    ;(globalThis as unknown as { watch: PerformanceObserver }).watch.observe({ type: 'longtask' })
  })
  const from = performance.now()
  await until()
  const tookMs = performance.now() - from
  const tasks = await page.evaluate(() => (globalThis as unknown as { tasks: number[] }).tasks)
  return { share: tasks.reduce((sum, task) => sum + task, 0) / tookMs, longestMs: Math.max(0, ...tasks), tookMs }
}

describe.skipIf(!BROWSER)(`the page under load${WITHOUT_BROWSER}`, { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())

  it(`${ATTEMPTS} attempts and ${ACTORS} actors: what is drawn is what is in sight, and keys come through meanwhile`, async () => {
    const looked = await lookAt()
    for (const event of turns(ATTEMPTS / 2)) looked.sources.add(event)
    const { page, faults, close } = await open(browser, looked.origin)
    await show(page, 'Timeline')
    await page.getByText('10,000 attempts').waitFor()
    for (let index = 0; index < ACTORS; index++) looked.sources.add(actor(`s${index}`, 'turn', `busy-${index}`, 'streaming', null))
    const walk = await busy(page, async () => {
      await page.getByRole('listbox', { name: 'Turns' }).focus()
      for (const key of ['Home', 'PageDown', 'PageDown', 'End', 'PageUp', 'Home']) await page.keyboard.press(key)
      await page.getByRole('option', { name: 'turn-0: ok' }).waitFor()
      await page.getByRole('searchbox', { name: 'Filter' }).fill('turn-4999')
      await page.getByRole('option', { name: 'turn-4999: ok' }).click()
      await show(page, 'Live')
      await page.getByRole('option', { name: `turn, ${ACTORS} actors` }).waitFor()
    })
    const steps = await busy(page, async () => {
      for (let round = 0; round < 20; round++) {
        for (let index = 0; index < ACTORS; index++)
          looked.sources.add(actor(`s${index}`, 'turn', `busy-${index}`, round % 2 === 0 ? 'judging' : 'streaming', 'attempt.ended'))
        await page.getByRole('listbox', { name: 'Actors by kind' }).press(round % 2 === 0 ? 'ArrowDown' : 'Home')
      }
      await page.getByRole('img', { name: `Chart of turn: ${ACTORS} streaming` }).waitFor()
    })
    expect(await page.getByRole('option').count()).toBeLessThan(80)
    await show(page, 'Ledger')
    expect(await page.locator('tbody tr').count()).toBeLessThan(80)
    await close()
    await looked.close()
    expect(faults).toEqual([])
    // A page that is drawn whole is busy for seconds at a stretch; this leaves a slow machine ten times what a quick one takes.
    expect(walk, 'walking 10,000 attempts').toMatchObject({ longestMs: expect.toSatisfy((ms: number) => ms < 2_000) })
    expect(steps, 'stepping 500 actors').toMatchObject({
      longestMs: expect.toSatisfy((ms: number) => ms < 2_000),
      share: expect.toSatisfy((share: number) => share < 0.95),
    })
  })

  it('plays a recording: every view shows the state at its place, step by step, backwards and by itself', async () => {
    const looked = await lookAt({ team: false })
    const { page, faults, close } = await open(browser, looked.address)
    const lines = recordedLines(sampleEvents())
    await show(page, 'Trace')
    await page.getByLabel('Open a recording').setInputFiles({ name: 'night.jsonl', mimeType: 'text/plain', buffer: Buffer.from(lines.join('\n')) })
    const place = page.getByRole('slider', { name: 'Place in the recording' })
    await place.waitFor()
    expect(await place.getAttribute('aria-valuetext')).toMatch(new RegExp(`^event ${lines.length} of ${lines.length}`))
    await page.getByRole('option', { name: '5: turn-1: hold.set' }).click()
    await show(page, 'Timeline')
    await page.getByRole('option', { name: 'turn-1: running, 1 attempt' }).waitFor()
    await page.getByRole('button', { name: 'One event back' }).click()
    await page.getByRole('button', { name: 'One event back' }).click()
    await page.getByRole('option', { name: 'turn-1: running, 1 attempt' }).click()
    await page.getByRole('region', { name: 'Attempts and waits of turn-1' }).getByText('running').waitFor()
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('3600')
    await page.getByRole('button', { name: 'Play' }).click()
    await page.getByRole('option', { name: 'turn-1: ok, 2 attempts' }).waitFor()
    await expect.poll(() => place.inputValue()).toBe(String(lines.length))
    await show(page, 'Team')
    await page.getByText('A recording takes no orders.').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByText('No team is at work here.').waitFor()
    await close()
    await looked.close()
    expect(faults).toEqual([])
  })

  it('a file that is none is told, a dropped one is opened, and the page goes on', async () => {
    const looked = await lookAt()
    const { page, faults, close } = await open(browser, looked.address)
    await show(page, 'Trace')
    const file = page.getByLabel('Open a recording')
    await file.setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 10, 255]) })
    await page.getByRole('alert').getByText('photo.png holds no event of a recording: line 1 is no JSON.').waitFor()
    await file.setInputFiles({ name: 'empty', mimeType: 'text/plain', buffer: Buffer.alloc(0) })
    await page.getByRole('alert').getByText('it is empty').waitFor()
    await page.evaluate(
      (text) => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([text], 'dropped.jsonl'))
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
      },
      recordedLines(turns(2_000)).join('\n'),
    )
    await page.getByRole('heading', { name: 'dropped.jsonl 16,001 events' }).waitFor()
    await show(page, 'Timeline')
    await page.getByText('4,000 attempts').waitFor()
    await page.getByRole('slider', { name: 'Place in the recording' }).fill('8000')
    await page.getByText('2,000 attempts').waitFor()
    await close()
    await looked.close()
    expect(faults).toEqual([])
  })
})
