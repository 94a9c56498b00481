import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { ADMIN_KEY, type Harness, hello, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, signIn, type Visit, visit } from './visit.ts'

describe('why did it fail', () => {
  let harness: Harness
  let browser: Browser
  let visited: Visit
  let page: Page

  before(async () => {
    harness = await startHarness()
    browser = await launchChromium()
    visited = await visit(browser, harness.url, { viewport: { width: 1440, height: 900 } })
    page = visited.page
    const limits = { budget: { usd: '0.000001', per: 'month', mode: 'hard' } }
    const { json } = await managing(() => harness)('POST', '/keys', { name: 'ci', limits })
    assert.equal((await harness.chat({ model: 'gpt-4o', messages: [{ role: 'user', content: 7 }] })).status, 400)
    assert.equal((await harness.chat(hello('gpt-sim-503'))).status, 503)
    const refused = await harness.chat(hello('gpt-4o', { max_tokens: 5 }), { authorization: `Bearer ${json.value}` })
    assert.equal(refused.status, 402)
    await signIn(page, harness.url, ADMIN_KEY)
  })

  after(async () => {
    await browser?.close()
    await harness?.stop()
  })

  const why = () => page.getByRole('region', { name: 'Why it failed' })
  const fact = (name: string, value: string | RegExp) =>
    why().locator('dl > div').filter({ hasText: name }).filter({ hasText: value })

  /** Clicks, and counts them: at most four from the overview. */
  async function clicks(...steps: (() => Locator)[]): Promise<void> {
    assert.ok(steps.length <= 4, `${steps.length} clicks`)
    await openPage(page, '/dashboard/default')
    for (const step of steps) await step().click()
    await why().waitFor()
  }

  test('the overview says it, and one click leads to the field that is wrong', async () => {
    await page.getByText(/messages\[0\]\.content: expected/).waitFor()
    await assertAccessible(page, 'overview')
    await clicks(() => page.getByRole('link', { name: 'Invalid request' }))
    await fact('Field', 'messages[0].content').waitFor()
    await assertAccessible(page, 'a request that was refused')
  })

  test('a refused budget shows its figures', async () => {
    await clicks(() => page.getByRole('link', { name: 'Over budget' }))
    const reason = page.getByText(/The budget of .*ci.* does not allow this call/)
    await why()
      .getByText(/does not allow this call/)
      .waitFor()
    await page.getByText(/^The caller got 402/).waitFor()
    assert.equal(await reason.count(), 1)
    await fact('Budget', '$0.000001').waitFor()
    await fact('This call, at most', /\$0\.\d/).waitFor()
  })

  test('of a longer time ago, the list of errors says it in a column', async () => {
    await clicks(
      () => page.getByRole('radiogroup', { name: 'Period' }).getByText('7 d'),
      () => page.getByRole('link', { name: 'All errors' }),
      () =>
        page.getByRole('row', { name: /Provider overloaded.*HTTP 503; its message is not stored/ }).getByRole('link'),
    )
    await fact('Provider’s code', 'server_is_overloaded').waitFor()
    await page.getByRole('list', { name: 'Attempts' }).getByText('server_is_overloaded').first().waitFor()
    await assertAccessible(page, 'a request that a provider failed')
  })

  test('nothing went wrong behind the page', () => visited.assertQuiet())
})
