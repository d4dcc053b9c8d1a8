import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TeamHandle } from '../../../src/index.ts'
import { BROWSER, launch, lookAt, open, show, VIEWS, WITHOUT_BROWSER } from './rig.ts'
import { actor, BEGIN, entry, KERNEL, participant, planned, row, sampleEvents, status, told } from './sample.ts'

/** The page has heard all that was told before. */
async function caughtUp(page: Page): Promise<void> {
  await page.getByText('live', { exact: true }).waitFor()
}

describe.skipIf(!BROWSER)(`the page in a browser${WITHOUT_BROWSER}`, { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  }, 60_000)
  afterAll(() => browser?.close())

  it('lights the present state of the chosen actor on the chart of its machine', async () => {
    const looked = await lookAt()
    const { page, faults, close } = await open(browser, looked.address)
    await caughtUp(page)
    for (const event of sampleEvents()) looked.sources.add(event)
    await page.getByRole('option', { name: 'turn-2: streaming' }).click()
    await page.getByRole('img', { name: 'Chart of turn turn-2; its state is streaming' }).waitFor()
    expect(await page.locator('.canvas .state.lit').allTextContents()).toEqual(['streaming'])
    looked.sources.add(actor('t:2', 'turn', 'turn-2', 'judging', 'attempt.ended'))
    await page.getByRole('img', { name: 'its state is judging' }).waitFor()
    expect(await page.locator('.canvas .state.lit').allTextContents()).toEqual(['judging'])
    expect(await page.locator('.canvas .edge.taken').allTextContents()).toEqual(['attempt.ended'])

    await page.getByRole('button', { name: 'Chart of all actors of kind engine' }).click()
    await page.getByRole('img', { name: 'Chart of engine: 1 limited, 1 available' }).waitFor()
    await page.getByRole('searchbox', { name: 'Filter' }).fill('spare')
    await expect.poll(() => page.getByRole('option').allTextContents()).toContain('openai.spareavailable')
    expect(await page.getByRole('option', { name: 'turn-2' }).count()).toBe(0)
    await close()
    await looked.close()
    expect(faults).toEqual([])
  })

  it('shows why an entry is skipped and how long until its reset, the bars of a turn, and what was paid', async () => {
    const looked = await lookAt()
    for (const event of sampleEvents()) looked.sources.add(event)
    const { page, faults, close } = await open(browser, looked.address)
    await show(page, 'Chain')
    const held = page.locator('.entries li').first()
    await held.waitFor()
    expect((await held.textContent())?.replaceAll(/\s+/g, ' ')).toMatch(
      /anthropic\.main claude-sonnetskipped: heldlimit, 1 h 59 min 5\d s to its reset at \d\d:\d\d:00Clear hold/,
    )
    expect(await page.getByText('skipped: cannot stream tool calls').count()).toBe(1)

    await show(page, 'Timeline')
    await page.getByRole('option', { name: 'turn-1: ok, 2 attempts, 4.00 s' }).click()
    const table = page.getByRole('region', { name: 'Attempts and waits of turn-1' })
    await table.getByText('wait: backoff').waitFor()
    expect(await table.getByRole('row').allInnerTexts()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/attempt 1, stream\s+anthropic\.main\/claude-sonnet\s+rate limited\s+890 ms/),
        expect.stringContaining('+2.30 s'),
      ]),
    )
    expect(await page.locator('[role=option][aria-selected=true] .bar').evaluateAll((bars) => bars.map((bar) => bar.getAttribute('class')))).toEqual([
      'bar failed',
      'bar ok',
    ])
    expect(await page.locator('[role=option][aria-selected=true] .commit').count()).toBe(1)
    const ends = (): Promise<string[]> => page.locator('.axis text').allTextContents()
    const all = await ends()
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(ends).not.toEqual(all)

    await show(page, 'Ledger')
    const sums = page.getByRole('region', { name: 'Sums by profile and model' })
    expect((await sums.getByRole('row').allInnerTexts()).map((text) => text.split(/\s+/).slice(0, 7).join(' '))).toEqual([
      'profile model attempts input cached output cost',
      'openai.spare gpt-5 1 1,200 ? 340 $0.0123',
      'anthropic.main claude-sonnet 1 ? ? ? ?',
      'all 2 1,200 + ? ? 340',
    ])
    await close()
    await looked.close()
    expect(faults).toEqual([])
  })

  it('gives orders to the team and lifts holds, by clicks; stop asks once more', async () => {
    const looked = await lookAt({ showsText: true })
    const given: unknown[] = []
    const team = {
      status: status(),
      pause: () => given.push('pause'),
      resume: () => given.push('resume'),
      stop: (how: unknown) => given.push(how),
      approve: (id: string) => given.push(id),
      say: (text: string) => {
        given.push(text)
        return { id: 2 }
      },
    }
    looked.server.orderTeam(team as unknown as TeamHandle)
    looked.server.orderKernel(KERNEL, { clearHold: (key) => given.push(key) > 0 })
    for (const event of sampleEvents()) looked.sources.add(event)
    const { page, faults, close } = await open(browser, looked.address)
    await show(page, 'Team')
    const orders = page.getByRole('region', { name: 'Orders' })
    const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()
    await press('Pause')
    await page.getByRole('status').getByText('Pause was ordered.').waitFor()
    await press('Approve planner')
    await page.getByText('Approved.').waitFor()
    await orders.getByRole('textbox', { name: 'Say to the team' }).fill('Go on with the tests')
    await page.keyboard.press('Enter')
    await page.getByText('Said.').waitFor()
    looked.sources.add({
      type: 'team.told',
      at: BEGIN,
      event: { type: 'state.entered', at: BEGIN, state: 'paused' },
      status: status({ state: 'paused', paused: 'pause' }),
    })
    await press('Resume')
    await page.getByText('Resume was ordered.').waitFor()
    await press('Stop…')
    await press('Keep on')
    await press('Stop…')
    await press('After this call')
    await page.getByText('Stop was ordered.').waitFor()
    await show(page, 'Chain')
    await press('Clear hold on anthropic.main')
    await page.getByText('The hold was cleared.').waitFor()
    expect(given).toEqual(['pause', 'planner', 'Go on with the tests', 'resume', { immediate: false }, 'anthropic.main'])

    await show(page, 'Team')
    expect(await page.getByRole('textbox', { name: 'File of reviewer' }).inputValue()).toBe('/srv/team/reviewer.md')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await press('Copy path of reviewer')
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('/srv/team/reviewer.md')
    await close()
    await looked.close()
    expect(faults).toEqual([])
  })

  it('keeps a text until it was taken', async () => {
    const looked = await lookAt()
    const said: string[] = []
    const say = (text: string): { readonly id: number } => {
      if (said.push(text) === 1) throw new Error('nobody listens yet')
      return { id: 2 }
    }
    looked.server.orderTeam({ status: status(), say } as unknown as TeamHandle)
    for (const event of sampleEvents()) looked.sources.add(event)
    const { page, close } = await open(browser, looked.address)
    await show(page, 'Team')
    const field = page.getByRole('textbox', { name: 'Say to the team' })
    await field.fill('Go on with the tests')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('nobody listens yet').waitFor()
    expect(await field.inputValue()).toBe('Go on with the tests')
    await page.keyboard.press('Enter')
    await page.getByText('Said.').waitFor()
    await expect.poll(() => field.inputValue()).toBe('')
    expect(said).toEqual(['Go on with the tests', 'Go on with the tests'])
    await close()
    await looked.close()
  })

  it('says of an order that found nothing to do that it did nothing', async () => {
    const looked = await lookAt()
    looked.server.orderTeam({ status: status(), approve: () => false } as unknown as TeamHandle)
    looked.server.orderKernel(KERNEL, { clearHold: () => false })
    for (const event of sampleEvents()) looked.sources.add(event)
    const { page, faults, close } = await open(browser, looked.address)
    await show(page, 'Team')
    await page.getByRole('button', { name: 'Approve planner' }).click()
    await page.getByRole('status').getByText('Nothing waited for that approval.').waitFor()
    await show(page, 'Chain')
    await page.getByRole('button', { name: 'Clear hold on anthropic.main' }).click()
    await page.getByRole('status').getByText('There was no such hold any more.').waitFor()
    await close()
    await looked.close()
    expect(faults).toEqual([])
  })

  it('WEB-04 shows what models, participants, notices and logs say as text, and runs none of it', async () => {
    const evil = `<img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}"'\u202e`
    const looked = await lookAt({ showsText: true })
    const { page, faults, close } = await open(browser, looked.address)
    await caughtUp(page)
    const identity = { profile: evil, model: evil }
    const post = { id: 7, at: BEGIN, participant: evil, engine: evil, text: evil, notice: evil }
    const chain = [{ ...entry(evil, evil, BEGIN + 9e6), skip: evil as 'held' }]
    for (const event of [
      { type: 'team.opened', at: BEGIN, name: evil, participants: [{ id: evil, path: evil }] } as const,
      told({ type: 'turn.started', turn: evil, at: BEGIN, requested: identity, entries: [] }),
      told({ type: 'attempt.started', turn: evil, at: BEGIN, n: 1, entry: evil, profile: evil, model: evil, mode: 'stream' }),
      told({ type: 'warning.raised', turn: evil, at: BEGIN, warning: { code: evil, path: evil, message: evil, remedy: evil } }),
      row(evil, 1, evil, evil, null, null),
      planned(evil, chain),
      actor('x:1', 'turn', evil, evil, evil),
      actor('x:2', evil, evil, evil, evil),
      { type: 'team.logged', at: BEGIN, line: evil } as const,
      { type: 'team.posted', at: BEGIN, post } as const,
      {
        type: 'team.told',
        at: BEGIN,
        event: { type: 'gate.opened', at: BEGIN, participant: evil, post: 7 },
        status: status({ participants: [participant(evil)] }),
      } as const,
    ])
      looked.sources.add(event)
    for (const view of VIEWS) {
      await show(page, view)
      if (view === 'Live' || view === 'Timeline')
        await page
          .getByRole('option', { name: /onerror=alert/ })
          .first()
          .click()
      if (view === 'Trace') {
        const buffer = Buffer.from(`${JSON.stringify({ type: 'team.logged', at: 1, line: evil })}\n${evil}`)
        await page.getByLabel('Open a recording').setInputFiles({ name: `${evil}.jsonl`, mimeType: 'text/html', buffer })
        await page.getByRole('region', { name: 'Lines that cannot be read' }).waitFor()
      }
      await expect.poll(() => page.getByText('onerror=alert(1)').count(), { message: view }).toBeGreaterThan(0)
    }
    expect(await page.locator('img, #page script, iframe, object').count()).toBe(0)
    await close()
    await looked.close()
    expect(faults).toEqual([])
  })

  it('WEB-05 keeps the token out of the address, and of every request but in its header', async () => {
    const looked = await lookAt()
    looked.server.orderKernel(KERNEL, { clearHold: () => true })
    for (const event of sampleEvents()) looked.sources.add(event)
    const token = new URL(looked.address).hash.slice('#token='.length)
    const { page, faults, close } = await open(browser, looked.address)
    await caughtUp(page)
    expect(page.url()).toBe(`${looked.origin}/`)
    await show(page, 'Chain')
    await page.reload()
    const order = page.waitForRequest('**/api/orders')
    await page.getByRole('button', { name: 'Clear hold on anthropic.main' }).click()
    const asked = await order
    expect([asked.url().includes(token), await asked.headerValue('x-relevo-token'), await asked.headerValue('referer')]).toEqual([false, token, null])
    expect(await page.evaluate(() => ({ ...localStorage }))).toEqual({ 'relevo.view': 'chain' })
    await page.getByText('The hold was cleared.').waitFor()
    await close()

    const without = await open(browser, `${looked.origin}/#chain`)
    await without.page.getByText('Orders need the token').waitFor()
    expect(await without.page.getByRole('button', { name: /^Clear/ }).count()).toBe(0)
    // The address with the token, in a tab that has the page: nothing but the fragment changes.
    await Promise.all([without.page.waitForEvent('load'), without.page.goto(looked.address)])
    await show(without.page, 'Chain')
    await without.page.getByRole('button', { name: 'Clear hold on anthropic.main' }).click()
    await without.page.getByText('The hold was cleared.').waitFor()
    expect(without.page.url()).toBe(`${looked.origin}/#chain`)
    await without.close()
    await looked.close()
    expect([...faults, ...without.faults]).toEqual([])
  })

  it('R36 shows no text of a post unless the host asked for it, and says so', async () => {
    const looked = await lookAt({ showsText: false })
    for (const event of sampleEvents('a text of a post')) looked.sources.add(event)
    const { page, close } = await open(browser, looked.address)
    await show(page, 'Team')
    await page.getByText('Texts are not shown here').waitFor()
    expect(await page.getByRole('region', { name: 'Thread' }).textContent()).toContain('planner')
    expect(await page.content()).not.toContain('a text of a post')
    await close()
    await looked.close()
  })

  it('says when the connection is lost, and is back by itself with what is then', async () => {
    const first = await lookAt()
    const { page, close } = await open(browser, first.address)
    await caughtUp(page)
    await first.close()
    await page.getByRole('banner').getByText('it has ended').waitFor()
    const spoken = (): Promise<string | null> => page.locator('[aria-live=polite]').textContent()
    await expect.poll(spoken, { timeout: 10_000 }).toBe('it has ended')
    const second = await lookAt({ port: Number(new URL(first.address).port) })
    second.sources.add(told({ type: 'turn.started', turn: 'after-the-cut', at: BEGIN, requested: { profile: 'a', model: 'm' }, entries: [] }))
    await caughtUp(page)
    await show(page, 'Timeline')
    await page.getByRole('option', { name: 'after-the-cut: running, 0 attempts' }).waitFor()
    await close()
    await second.close()
  })
})
