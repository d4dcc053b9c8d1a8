import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { createPage, type Page as PageServer } from '../../../src/faces/page/page-server.ts'
import { PageSources } from '../../../src/faces/page/page-sources.ts'
import { servePage } from '../../../src/faces/page/serve-page.ts'
import { BEGIN, TEAM } from './sample.ts'

/** Debian's; `.ci/run` installs it. */
const CHROMIUM = '/usr/bin/chromium'

/** What these tests are called where they cannot run: a run that leaves them out says so. */
export const BROWSER = existsSync(CHROMIUM)
export const WITHOUT_BROWSER = BROWSER ? '' : ` (skipped: ${CHROMIUM} is not installed)`

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
}

export interface Looked {
  readonly sources: PageSources
  readonly server: PageServer
  /** With the token behind it. */
  readonly address: string
  readonly origin: string
  close(): Promise<void>
}

/** The page's real server over a source that a test speaks for. */
export async function lookAt({ showsText = false, team = true, port = 0, now = () => BEGIN + 6_000 } = {}): Promise<Looked> {
  const sources = new PageSources(now)
  const server = createPage({ sources, title: 'a run to look at', host: '127.0.0.1', showsText, team: team ? TEAM : undefined })
  const served = await servePage(server, { host: '127.0.0.1', port })
  const close = async (): Promise<void> => {
    await served.close()
    sources.close()
  }
  return { sources, server, address: served.address, origin: new URL(served.address).origin, close }
}

export interface Seen {
  readonly page: Page
  /** What no page may do: errors, dialogs, requests to elsewhere, what its policy forbids. */
  readonly faults: string[]
  close(): Promise<void>
}

export interface Look {
  readonly width?: number
  readonly height?: number
  readonly dark?: boolean
  /** Of the browser; that of the machine without it. */
  readonly zone?: string
}

export async function open(browser: Browser, address: string, { width = 1280, height = 800, dark = false, zone }: Look = {}): Promise<Seen> {
  const settings = { viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' } as const
  const context = await browser.newContext(zone === undefined ? settings : { ...settings, timezoneId: zone })
  const page = await context.newPage()
  const faults: string[] = []
  const { origin } = new URL(address)
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol !== 'data:' && url.protocol !== 'blob:' && url.origin !== origin) faults.push(`request to ${request.url()}`)
    if (/token/i.test(request.url()) || url.search !== '') faults.push(`query: ${request.url()}`)
  })
  await page.addInitScript(() => {
    const told: string[] = []
    Object.assign(globalThis, { policyFaults: told })
    addEventListener('securitypolicyviolation', (event) => told.push(`${event.violatedDirective} ${event.blockedURI}`))
  })
  await page.goto(address)
  const close = async (): Promise<void> => {
    for (const fault of await page.evaluate(() => (globalThis as unknown as { policyFaults: string[] }).policyFaults)) faults.push(`policy: ${fault}`)
    await context.close()
  }
  return { page, faults, close }
}

export const VIEWS = ['Live', 'Chain', 'Timeline', 'Ledger', 'Team', 'Trace'] as const

export async function show(page: Page, view: (typeof VIEWS)[number]): Promise<void> {
  await page.getByRole('tab', { name: view, exact: true }).click()
  await page.getByRole('tabpanel', { name: view }).waitFor()
}
