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
}

/** A browser of one's own, in which nothing fades or slides (half-faded text has too little contrast), watched for everything that must not happen behind the page. */
export async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
  const { expectedStatuses = [], ...contextOptions } = options
  const context = await browser.newContext({ acceptDownloads: true, reducedMotion: 'reduce', ...contextOptions })
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
    close: () => context.close(),
  }
}

/** Signs in as a person does. */
export async function signIn(page: Page, url: string, adminKey: string, path = '/dashboard'): Promise<void> {
  await page.goto(url + path)
  await page.getByLabel('Admin key').fill(adminKey)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' })
}

interface Violation {
  id: string
  help: string
  nodes: { target: unknown[]; failureSummary?: string }[]
}

/** Ends every fade first: a colour on its way fails the contrast rule. Takes the first ten rows of a table: the others come from the same component, and axe needs seconds for hundreds of them. */
const AXE = `document.getAnimations()
    .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
    .forEach((animation) => animation.finish());
  axe.run({ exclude: ['tbody tr:nth-child(n+11)'] }, { resultTypes: ['violations'] })
  .then((result) => result.violations)`

/** Asserts that axe-core finds nothing on the page as it is now, by all rules but those named. */
export async function assertAccessible(page: Page, where: string, except: readonly string[] = []): Promise<void> {
  // Evaluated by the debugger, so the page's policy stays as strict as it is.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axeSource)
  const violations = (await page.evaluate(AXE)) as Violation[]
  const reported = violations
    .filter(({ id }) => !except.includes(id))
    .map(
      ({ id, help, nodes }) =>
        `${id}: ${help}\n${nodes.map((node) => `  ${node.target.join(' ')}\n  ${node.failureSummary}`).join('\n')}`,
    )
  assert.deepEqual(reported, [], `${where}:\n${reported.join('\n')}`)
}

const SETTLED = `document.querySelector('h1') !== null &&
  document.querySelector('[aria-label^=Loading], [aria-busy=true], .mantine-Skeleton-root') === null`

/** Waits until nothing on the page is visibly loading. */
export async function settled(page: Page): Promise<void> {
  // Asked through the debugger: the page's policy forbids to evaluate text in it.
  while (!(await page.evaluate(SETTLED))) await new Promise((resolve) => setTimeout(resolve, 10))
}
