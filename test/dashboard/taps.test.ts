import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { ADMIN_KEY, type Harness, hello, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, settled, signIn, type Visit, visit } from './visit.ts'

const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true } as const

/** Everyday questions on a phone, each from the overview in at most three taps. */
describe('three taps', { concurrency: false }, () => {
  let harness: Harness
  let browser: Browser
  let visited: Visit
  let page: Page
  let taps = 0
  const manage = managing(() => harness)

  before(async () => {
    harness = await startHarness()
    const limits = { budget: { usd: '0.000001', per: 'month', mode: 'hard' } }
    const { json } = await manage('POST', '/keys', { name: 'ci', limits })
    await manage('POST', '/workspaces', { name: 'sales' })
    for (const model of ['gpt-4o', 'gpt-4o-mini'])
      await manage('PUT', '/routes/fast', { chain: [{ provider: 'openai', model }] })
    assert.equal((await harness.chat(hello('fast'), { 'x-gateway-session': 'coding-7' })).status, 200)
    const refused = await harness.chat(hello('fast', { max_tokens: 5 }), { authorization: `Bearer ${json.value}` })
    assert.equal(refused.status, 402)
    await harness.rowOf(refused)
    browser = await launchChromium()
    visited = await visit(browser, harness.url, { ...PHONE, expectedStatuses: [404] })
    page = visited.page
    await signIn(page, harness.url, ADMIN_KEY)
  })

  after(async () => {
    await browser?.close()
    await harness?.stop()
  })

  beforeEach(async () => {
    taps = 0
    await openPage(page, '/dashboard/default/overview')
    await settled(page)
  })

  async function tap(one: Locator): Promise<void> {
    taps += 1
    assert.ok(taps <= 3, `${taps} taps`)
    await one.tap()
  }

  const shortcut = (name: string) => page.getByRole('navigation', { name: 'Shortcuts' }).getByRole('link', { name })
  const button = (name: string | RegExp) => page.getByRole('button', { name })

  test('why was this refused, and raise the budget', async () => {
    await tap(page.getByRole('link', { name: 'Over budget' }))
    await tap(button('Raise budget'))
    await page.getByText(/^The budget of ci is now/).waitFor()
  })

  test('who spent most, over all workspaces', async () => {
    await tap(shortcut('Usage'))
    await tap(page.getByRole('radiogroup', { name: 'Workspaces' }).getByText('All workspaces'))
    await page.getByRole('img', { name: /^Spend per day by key: / }).waitFor()
  })

  test('warn me at 60 %', async () => {
    await tap(shortcut('Alerts'))
    await tap(button('Edit the rule budget'))
    await page.getByRole('dialog').getByLabel('Thresholds, % of the budget').first().fill('60')
    await page.keyboard.press('Enter')
    await tap(button('Save'))
    await page.getByText('50, 60, 80 or 100 % of its budget').waitFor()
  })

  test('add Gemini', async () => {
    await tap(shortcut('Providers'))
    await tap(button(/^Add a provider/))
    await page.locator('input[type=search]:focus').fill('gemini')
    await page.keyboard.press('Enter')
    await page.locator('input[type=password]:focus').fill('a-key')
    await button('Test and add').and(page.locator(':enabled')).waitFor()
    assert.equal(taps, 2, 'the third tap tests and adds it')
  })

  test('roll back the last change to a route', async () => {
    await tap(shortcut('Routes'))
    await page.getByRole('heading', { level: 1, name: 'Routes' }).waitFor()
    await assertAccessible(page, 'routes on a phone')
    await tap(page.getByRole('link', { name: 'fast' }).first())
    await tap(button('Undo this change'))
    await page.getByText('Change undone.').waitFor()
    assert.deepEqual((await manage('GET', '/routes/fast')).json.chain, [{ provider: 'openai', model: 'gpt-4o' }])
  })

  test('what a session cost', async () => {
    await tap(shortcut('Usage'))
    await tap(page.getByRole('radiogroup', { name: 'Group by' }).getByText('Session'))
    await page.getByRole('region', { name: 'Totals by group' }).getByText('coding-7').waitFor()
  })

  test('a key for a colleague with 5 USD a month, connected to Claude Code', async () => {
    await tap(page.getByRole('link', { name: 'Create a key' }))
    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('colleague')
    await form.getByRole('textbox', { name: 'Budget', exact: true }).fill('5')
    await tap(form.getByRole('button', { name: 'Create key' }))
    await tap(form.getByRole('tab', { name: 'Claude Code' }))
    await form.getByText(/ANTHROPIC_AUTH_TOKEN='gw_live_/).waitFor()
    const key = (await manage('GET', '/keys')).json.data.find(({ name }: { name: string }) => name === 'colleague')
    assert.deepEqual(key.limits.budget, { usd: '5', per: 'month', mode: 'hard' })
  })

  test('invite a viewer', async () => {
    await tap(button(/^Signed in/))
    await tap(page.getByRole('link', { name: 'Invite someone' }))
    await page.getByRole('dialog').getByLabel('E-mail address').fill('ana@example.com')
    await tap(page.getByRole('dialog').getByRole('button', { name: 'Invite', exact: true }))
    await page.getByRole('cell', { name: 'ana@example.com', exact: true }).waitFor()
    assert.equal((await manage('GET', '/invites')).json.data[0].role, 'viewer')
  })

  test('what is slow', async () => {
    await tap(button('Pages'))
    await tap(page.getByRole('link', { name: 'Performance' }))
    await page.getByRole('region', { name: /^Performance by/ }).waitFor()
    visited.assertQuiet()
  })
})
