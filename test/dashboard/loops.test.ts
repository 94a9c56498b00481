import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, type Answered, type Harness, hello, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, settled, signIn, type Visit, visit } from './visit.ts'

const CONFIG = `
workspaces:
  default: {}
  fixed:
    loops: { calls_a_minute: { calls: 60, action: slow } }
`
const SHOTS = process.env['SCREENSHOTS']

describe('loops in the dashboard', () => {
  let harness: Harness
  let browser: Browser
  let visited: Visit
  let page: Page
  const manage = managing(() => harness)
  const stored = async (workspace = 'default') => (await manage('GET', `/workspaces/${workspace}`)).json.loops
  const call = (session: string) => harness.chat(hello('gpt-sim-echo'), { 'x-gateway-session': session })
  const look = async (name: string, of = page) => {
    if (SHOTS !== undefined) await of.screenshot({ path: `${SHOTS}/${name}.png` })
  }

  before(async () => {
    harness = await startHarness({ config: CONFIG })
    browser = await launchChromium()
    visited = await visit(browser, harness.url, { viewport: { width: 1440, height: 1000 } })
    page = visited.page
    await signIn(page, harness.url, ADMIN_KEY, '/dashboard/default/settings/workspaces/default')
  })
  after(async () => {
    await browser?.close()
    await harness?.stop()
  })

  const drawer = (name = 'default', of = page) => of.getByRole('dialog', { name })
  const toggle = () => drawer().getByRole('switch', { name: /^Watch for loops/ })
  const signal = (name: string) => drawer().getByRole('group', { name })
  async function choose(group: string, action: string): Promise<void> {
    await signal(group).getByLabel('Then').click()
    await page.getByRole('option', { name: action, exact: true }).click()
  }
  async function save(): Promise<void> {
    const answered = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await drawer().getByRole('button', { name: 'Save' }).click()
    assert.equal((await answered).status(), 200)
  }

  test('they are watched with the four signals, each with its thresholds and what happens', async () => {
    await toggle().waitFor()
    assert.equal(await toggle().isChecked(), false)
    await toggle().click()
    assert.equal(await drawer().getByLabel('Minutes a stop lasts').count(), 0)
    await choose('Same tool call repeated', 'Don’t watch')
    await choose('Many calls a minute', 'Alert and stop')
    await choose('Context keeps growing', 'Alert and slow down')
    await signal('Many calls a minute').getByLabel('Calls', { exact: true }).fill('0')
    await signal('Many calls a minute').getByText('1 to 100,000').waitFor()
    assert.equal(await drawer().getByRole('button', { name: 'Save' }).isDisabled(), true)
    await assertAccessible(page, 'loops with a problem')
    await signal('Many calls a minute').getByLabel('Calls', { exact: true }).fill('3')
    await drawer().getByLabel('Minutes a stop lasts').fill('45')
    await signal('Same tool call repeated').scrollIntoViewIfNeeded()
    await look('loops-light')
    await save()
    assert.deepEqual(await stored(), {
      calls_a_minute: { calls: 3, action: 'stop' },
      context_growth: { calls: 12, tokens: 20_000, action: 'slow' },
      spend_times_usual: { times: 5, usd: 2, action: 'alert' },
      slow_seconds: 10,
      stop_minutes: 45,
    })
  })

  test('the settings are readable in the dark and on a phone', async () => {
    const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const
    const other = await visit(browser, harness.url, phone)
    await signIn(other.page, harness.url, ADMIN_KEY, '/dashboard/default/settings/workspaces/default')
    await drawer('default', other.page).getByRole('group', { name: 'Context keeps growing' }).scrollIntoViewIfNeeded()
    await assertAccessible(other.page, 'loops on a phone in the dark')
    await look('loops-phone-dark', other.page)
    other.assertQuiet()
    await other.close()
  })

  test('those of the file are shown and cannot be changed, while the rest can', async () => {
    await openPage(page, '/dashboard/default/settings/workspaces/fixed')
    await drawer('fixed').getByLabel('Calls', { exact: true }).waitFor()
    assert.equal(await drawer('fixed').getByLabel('Calls', { exact: true }).isDisabled(), true)
    await drawer('fixed').getByLabel('Description').fill('watched by the file')
    await drawer('fixed').getByRole('button', { name: 'Save' }).click()
    await page.getByText('fixed saved').waitFor()
    assert.equal((await stored('fixed')).calls_a_minute.calls, 60)
  })

  const resume = (region: string) => page.getByRole('region', { name: region }).getByRole('button', { name: /^Resume/ })

  /** Until the brake stops it. */
  async function runUntilStopped(session: string): Promise<Answered> {
    let last = await call(session)
    while (last.status === 200) last = await call(session)
    assert.equal(last.json.error.code, 'loop_stopped')
    await harness.rowOf(last)
    return last
  }

  test('a stopped session is resumed at the request that was refused', async () => {
    const refused = await runUntilStopped('run-1')
    await openPage(page, `/dashboard/default/requests/${refused.headers.get('x-gateway-request-id')}`)
    await page.getByText('This session was stopped as a loop: ').first().waitFor()
    await page.getByText('Many calls a minute', { exact: true }).waitFor()
    await settled(page)
    await assertAccessible(page, 'a request of a loop')
    await look('loops-request')
    await resume('Why it failed').click()
    await page.getByRole('status').getByText('The session may go on.').waitFor()
    assert.equal((await call('run-1')).status, 200)
  })

  test('a stopped session is resumed where its requests are listed, which marks those of a loop', async () => {
    await runUntilStopped('run-2')
    await openPage(page, '/dashboard/default/requests?session=run-2')
    await page.getByTitle('Looks like a loop: Many calls a minute').first().waitFor()
    const stopped = 'This session was stopped as a loop'
    await page
      .getByRole('region', { name: stopped })
      .getByText(/may go on in 4\dm/)
      .waitFor()
    await settled(page)
    await assertAccessible(page, 'a session that was stopped')
    await look('loops-session')
    await resume(stopped).click()
    await page.getByRole('status').getByText('The session may go on.').waitFor()
    await harness.rowOf(await call('run-2'))
    await page.getByRole('region', { name: stopped }).waitFor({ state: 'detached' })
  })

  test('nothing went wrong behind the pages', () => visited.assertQuiet())
})
