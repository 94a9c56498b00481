import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface Visit {
  page: Page
  /** Fails when something went wrong in the background: console errors, broken policy, requests to other hosts. */
  assertQuiet(): void
  close(): Promise<void>
}

export interface VisitOptions extends BrowserContextOptions {
  /** Statuses that this walk provokes on purpose; the browser reports each as an error of the console. */
  expectedStatuses?: readonly number[]
  /** Another tab beside this page, in its session and with what its browser has kept: half of what one's own costs. */
  beside?: Page
}

/** A browser of one's own or a tab, in which nothing fades or slides (half-faded text has too little contrast), watched for everything that must not happen behind the page. */
export async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
  const { expectedStatuses = [], beside, ...contextOptions } = options
  const context =
    beside?.context() ??
    (await browser.newContext({ acceptDownloads: true, reducedMotion: 'reduce', ...contextOptions }))
  const page = await context.newPage()
  // A busy machine is slow, not broken.
  page.setDefaultTimeout(90_000)
  const problems: string[] = []
  const expected = (text: string) =>
    // Without a session the API answers 401, which the browser logs as an error.
    [401, ...expectedStatuses].some((status) => text.includes(`the server responded with a status of ${status}`))
  page.on('console', (message) => {
    const isBad = message.type() === 'error' || message.type() === 'warning'
    if (isBad && !expected(message.text())) problems.push(`console ${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) {
      problems.push(`a request left the gateway: ${request.url()}`)
    }
  })
  // Reported to the page itself, wherever the browser's console would not say so.
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', (event) =>
      console.error('policy violated: ' + event.violatedDirective + ' ' + event.blockedURI))`,
  })
  return {
    page,
    assertQuiet: () => assert.deepEqual(problems, []),
    close: () => (beside === undefined ? context.close() : page.close()),
  }
}

/** Opens a page of the dashboard, signed in with a key. */
export async function signIn(page: Page, url: string, adminKey: string, path = '/dashboard'): Promise<void> {
  const answer = await page.request.post(`${url}/sessions`, { data: { key: adminKey } })
  assert.equal(answer.status(), 201, await answer.text())
  await page.goto(url + path)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' })
}

/** The same as a person does it. */
export async function signInByHand(page: Page, url: string, adminKey: string): Promise<void> {
  await page.goto(`${url}/dashboard`)
  await page.getByLabel('Admin key').fill(adminKey)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' })
}

interface Violation {
  id: string
  help: string
  nodes: { target: unknown[]; failureSummary?: string }[]
}

/**
 * Ends every fade first: a colour on its way fails the contrast rule. Where a dialog is open, looks at what stands above
 * the page; at the navigation only once on a page of this size and colour. Takes the first ten rows of a table: the
 * others come from the same component, and axe needs seconds for hundreds of them.
 */
const axe = (options: object) => `(() => {
  document.getAnimations()
    .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
    .forEach((animation) => animation.finish())
  const exclude = ['tbody tr:nth-child(n+11)']
  const isModal = document.querySelector('[aria-modal=true]') !== null
  const look = innerWidth + getComputedStyle(document.body).backgroundColor
  if (!isModal && globalThis.seenFrame === look) exclude.push('nav[aria-label=Pages]')
  if (!isModal) globalThis.seenFrame = look
  const what = isModal ? { include: [...document.querySelectorAll('[data-portal]')], exclude } : { exclude }
  return axe.run(what, ${JSON.stringify({ resultTypes: ['violations'], preload: { assets: ['media'] }, ...options })})
    .then((result) => result.violations)
})()`

/** Asserts that axe-core finds nothing on the page as it is now, by all rules but those named. */
export async function assertAccessible(page: Page, where: string, except: readonly string[] = []): Promise<void> {
  await assertByRules(page, where, { rules: Object.fromEntries(except.map((rule) => [rule, { enabled: false }])) })
}

/** The same by the rule of contrast alone: for a page that is seen in other colours than before. */
export async function assertReadable(page: Page, where: string): Promise<void> {
  await assertByRules(page, where, { runOnly: ['color-contrast'] })
}

async function assertByRules(page: Page, where: string, options: object): Promise<void> {
  // Evaluated by the debugger, so the page's policy stays as strict as it is.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axeSource)
  const violations = (await page.evaluate(axe(options))) as Violation[]
  const reported = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map((node) => `  ${node.target.join(' ')}\n  ${node.failureSummary}`).join('\n')}`,
  )
  assert.deepEqual(reported, [], `${where}:\n${reported.join('\n')}`)
}

const SETTLED = `new Promise((resolve) => {
  const isSettled = () => document.querySelector('h1') !== null &&
    document.querySelector('[aria-label^=Loading], [aria-busy=true], .mantine-Skeleton-root') === null
  // What is there now may ask for more as soon as it is drawn.
  const look = () => isSettled() && requestAnimationFrame(() => setTimeout(() => {
    if (!isSettled()) return
    observer.disconnect()
    resolve()
  }))
  const observer = new MutationObserver(look)
  observer.observe(document, { subtree: true, childList: true, attributes: true })
  look()
})`

/** Waits until nothing on the page is visibly loading. */
export async function settled(page: Page): Promise<void> {
  // Asked through the debugger: the page's policy forbids to evaluate text in it.
  await page.evaluate(SETTLED)
}

/**
 * Another page of the dashboard, in the one that is loaded: a fraction of what `page.goto` costs. Whatever it shows is
 * asked for again, as if a while had passed since it was read.
 */
export async function openPage(page: Page, path: string): Promise<void> {
  await page.evaluate(`{
    const now = Date.now
    Date.now = () => now() + 2_000
    history.pushState(null, '', ${JSON.stringify(path)})
  }`)
}
