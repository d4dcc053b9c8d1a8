import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BROWSER, type Look, type Looked, launch, lookAt, open, show, VIEWS, WITHOUT_BROWSER } from './rig.ts'
import { BEGIN, recordedLines, sampleEvents } from './sample.ts'

/** Texts that stand out too little from what is behind them, as WCAG 2 reckons it: under 4.5 to 1. */
function paleTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const rgb = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number)
    const light = (colour: readonly number[]): number => {
      const [r = 0, g = 0, b = 0] = colour.slice(0, 3).map((part) => (part <= 10.31 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4))
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const fill = (element: Element): string => getComputedStyle(element).fill
    /** The filled shape that a text of a drawing lies on; null where it is drawn on the ground. */
    const shapeUnder = (element: Element): Element | null => element.closest('.state, .count')?.querySelector(':scope > rect') ?? null
    const ground = (element: Element): number[] => {
      for (let each: Element | null = element; each !== null; each = each.parentElement) {
        const colour = rgb(getComputedStyle(each).backgroundColor)
        if (colour[3] !== 0) return colour
      }
      return rgb(getComputedStyle(document.body).backgroundColor)
    }
    const pale: string[] = []
    for (const element of document.querySelectorAll('body *')) {
      const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '')
      if (!own || element.getClientRects().length === 0 || element.matches('script, noscript, .unseen, :disabled, option')) continue
      const isDrawn = element instanceof SVGElement
      const shape = isDrawn ? shapeUnder(element) : null
      const [front, back] = [rgb(isDrawn ? fill(element) : getComputedStyle(element).color), shape === null ? ground(element) : rgb(fill(shape))]
      const [high = 0, low = 0] = [light(front), light(back)].sort((a, b) => b - a)
      const ratio = (high + 0.05) / (low + 0.05)
      if (ratio < 4.5) pale.push(`${ratio.toFixed(2)} ${element.tagName}.${element.getAttribute('class')} "${element.textContent?.slice(0, 40)}"`)
    }
    return pale
  })
}

/** How far the page is wider than its window, px. */
function overhang(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

/** What a screen reader could only call by its role. */
function nameless(tree: string): string[] {
  const named =
    /^\s*- (?:button|checkbox|combobox|listbox|option|progressbar|searchbox|slider|tab|tablist|tabpanel|textbox|img|region|group)(?![a-z])(?! ")/
  return tree.split('\n').filter((line) => named.test(line))
}

/** Brings everything of a view on the page that can be there. */
async function fill(page: Page, view: (typeof VIEWS)[number]): Promise<void> {
  await show(page, view)
  if (view === 'Live') await page.getByRole('option', { name: /^turn-2/ }).click()
  if (view === 'Timeline') await page.getByRole('option', { name: /^turn-1/ }).click()
  if (view === 'Team') await page.getByRole('button', { name: 'Stop…' }).click()
  if (view !== 'Trace') return
  const buffer = Buffer.from([...recordedLines(sampleEvents()), 'no event'].join('\n'))
  await page.getByLabel('Open a recording').setInputFiles({ name: 'night.jsonl', mimeType: 'text/plain', buffer })
  await page.getByRole('region', { name: 'Lines that cannot be read' }).waitFor()
}

describe.skipIf(!BROWSER)(`the page is for everybody${WITHOUT_BROWSER}`, { timeout: 60_000 }, () => {
  let browser: Browser
  let looked: Looked
  beforeAll(async () => {
    browser = await launch()
    looked = await lookAt({ showsText: true })
    for (const event of sampleEvents()) looked.sources.add(event)
  }, 60_000)
  afterAll(async () => {
    await looked?.close()
    await browser?.close()
  })

  /** A page that knows the actors too, which are told to those who look on. */
  async function look(how: Look = {}) {
    const seen = await open(browser, looked.address, how)
    await seen.page.getByText('live', { exact: true }).waitFor()
    for (const event of sampleEvents()) if (event.type === 'actor.stepped') looked.sources.add(event)
    return seen
  }

  it('each view at 1280 px: nothing to the side, every control has a name, every text stands out in light and in dark', async () => {
    const { page, faults, close } = await look()
    for (const view of VIEWS) {
      await fill(page, view)
      expect.soft(await overhang(page), `${view}: width`).toBe(0)
      expect.soft(nameless(await page.locator('body').ariaSnapshot()), `${view}: names`).toEqual([])
      expect.soft(await paleTexts(page), `${view}: contrast in light`).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      expect.soft(await paleTexts(page), `${view}: contrast in dark`).toEqual([])
      await page.emulateMedia({ colorScheme: 'light' })
    }
    await close()
    expect(faults).toEqual([])
  })

  it('each view at 390 px: nothing to the side', async () => {
    const { page, faults, close } = await look({ width: 390, height: 844 })
    for (const view of VIEWS) {
      await fill(page, view)
      expect.soft(await overhang(page), view).toBe(0)
    }
    await close()
    expect(faults).toEqual([])
  })

  it('has landmarks, one heading of the first rank, and says politely what changes', async () => {
    const { page, close } = await look()
    for (const role of ['banner', 'navigation', 'main', 'tablist', 'tabpanel'] as const) expect(await page.getByRole(role).count(), role).toBe(1)
    expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual(['relevo'])
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    await expect.poll(() => page.locator('[aria-live=polite]').textContent(), { timeout: 10_000 }).toContain('planner asks for approval')
    await close()
  })

  it('is walked by keys alone: tabs by arrows, lists by arrows, every stop seen', async () => {
    const { page, faults, close } = await look()
    const focused = (): Promise<string> =>
      page.evaluate(() => {
        const element = document.activeElement
        if (element === null || element === document.body) return ''
        const { outlineStyle, outlineWidth } = getComputedStyle(element)
        const name = element.getAttribute('aria-label') ?? element.closest('label')?.textContent ?? element.textContent ?? ''
        return `${name.trim()}${outlineStyle === 'none' || outlineWidth === '0px' ? ' unseen' : ''}`
      })
    const press = async (...keys: string[]): Promise<string> => {
      for (const key of keys) await page.keyboard.press(key)
      return focused()
    }
    expect(await press('Tab')).toBe('Live')
    expect(await press('ArrowRight', 'ArrowRight')).toBe('Timeline')
    expect(await press('End')).toBe('Trace')
    expect(await press('ArrowRight')).toBe('Live')
    expect(await press('Tab')).toBe('Filter')
    expect(await press('Tab')).toBe('Actors by kind')
    await press('Home', 'ArrowDown')
    await page.getByRole('img', { name: /^Chart of turn turn-2/ }).waitFor()
    const option = page.locator('[role=option][aria-selected=true]')
    expect(await page.getByRole('listbox').getAttribute('aria-activedescendant')).toBe(await option.getAttribute('id'))
    const stops: string[] = []
    for (let count = 0; count < 7; count++) stops.push(await press('Tab'))
    expect(stops.slice(0, 6)).toEqual([
      ...['turn', 'stream', 'engine', 'supervisor', 'team'].map((kind) => `Chart of all actors of kind ${kind}`),
      'Drawing',
    ])
    expect(stops.join()).not.toContain('unseen')

    await page.getByRole('tab', { name: 'Team' }).focus()
    await page.keyboard.press('Enter')
    expect(await press('Tab')).toBe('Pause')
    await page.getByRole('tab', { name: 'Timeline' }).click()
    await page.getByRole('listbox', { name: 'Turns' }).focus()
    await page.keyboard.press('Home')
    await page.getByRole('region', { name: 'Turn turn-1' }).waitFor()
    await close()
    expect(faults).toEqual([])
  })

  it('asks by keys alone whether to stop: the focus goes to the question, and back when it is answered or left', async () => {
    const { page, faults, close } = await look()
    await show(page, 'Team')
    const focused = (): Promise<string> =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim() ?? '')
    await page.getByRole('button', { name: 'Stop…' }).press('Enter')
    await expect.poll(focused).toBe('Stop the team')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('After this call')
    await page.keyboard.press('Escape')
    await expect.poll(focused).toBe('Stop…')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Keep on' }).press('Enter')
    await expect.poll(focused).toBe('Stop…')
    await close()
    expect(faults).toEqual([])
  })

  it('says the place in a recording when a person goes there, and not at each event while it plays', async () => {
    const { page, faults, close } = await look()
    await show(page, 'Trace')
    const events = Array.from({ length: 60 }, (_, index) => ({ type: 'team.logged' as const, at: BEGIN + index * 1_000, line: `line ${index}` }))
    const buffer = Buffer.from(recordedLines(events).join('\n'))
    await page.getByLabel('Open a recording').setInputFiles({ name: 'night.jsonl', mimeType: 'text/plain', buffer })
    const place = page.locator('.player output')
    await place.getByText('event 61 of 61').waitFor()
    expect(await place.getAttribute('aria-live')).toBe('polite')
    await page.getByRole('button', { name: 'Play' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    expect(await place.getAttribute('aria-live')).toBe('off')
    await page.getByRole('button', { name: 'Pause' }).click()
    expect(await place.getAttribute('aria-live')).toBe('polite')
    await close()
    expect(faults).toEqual([])
  })

  it('keeps where a person was: in the address, and when it is opened again', async () => {
    const { page, close } = await look()
    await show(page, 'Ledger')
    expect(new URL(page.url()).hash).toBe('#ledger')
    await show(page, 'Chain')
    await page.goBack()
    await page.getByRole('tabpanel', { name: 'Ledger' }).waitFor()
    await show(page, 'Chain')
    await page.goto(`${looked.origin}/`)
    await page.getByRole('tabpanel', { name: 'Chain' }).waitFor()
    await close()
  })
})
