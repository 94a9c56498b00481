import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { ADMIN_KEY, type Harness, hello, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, settled, signIn, type Visit, visit } from './visit.ts'

describe('the budgets page', () => {
  let browser: Browser
  let harness: Harness
  let walk: Visit
  const manage = managing(() => harness)

  before(async () => {
    browser = await launchChromium()
    harness = await startHarness({ config: 'workspaces: { default: {}, research: {} }' })
    walk = await visit(browser, harness.url)
    await signIn(walk.page, harness.url, ADMIN_KEY)
  })
  after(async () => {
    await browser?.close()
    await harness?.stop()
  })

  const limited = async (name: string, workspace: string, limits: object): Promise<string> =>
    (await manage('POST', `/keys?workspace=${workspace}`, { name, limits })).json.value

  const choice = (name: string) => walk.page.getByRole('radiogroup', { name: 'Workspaces' }).getByText(name)

  test('without budgets it says how to set one', async () => {
    const { page } = walk
    await page.getByRole('link', { name: 'Budgets', exact: true }).click()
    await page.getByText('No budgets yet').waitFor()
    await assertAccessible(page, 'no budgets')
  })

  test('lists those of all workspaces, what refuses calls first and never green', async () => {
    const { page } = walk
    const tight = await limited('tight', 'default', { budget: { usd: '0.0001', per: 'month' } })
    const refused = hello('gpt-5.4-mini', { max_completion_tokens: 1_000_000 })
    assert.equal((await harness.chat(refused, { authorization: `Bearer ${tight}` })).status, 402)
    await limited('idle', 'research', { rpm: 5, budget: { usd: '20', per: 'week' } })
    await harness.rows()
    await page.reload()
    await page.getByRole('row', { name: /^tight key in default Refusing calls .* 1 / }).waitFor()
    await page.getByRole('row', { name: /^idle key in research OK \$0.* of \$20/ }).waitFor()
    const rows = page.getByRole('region', { name: 'Budgets' }).locator('tbody tr')
    assert.match(await rows.first().innerText(), /tight/)
    await page.getByRole('button', { name: 'Left' }).click()
    assert.match(await rows.first().innerText(), /idle/)
    await assertAccessible(page, 'budgets')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await photograph(colorScheme)
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await assertAccessible(page, 'budgets on a phone')
    await photograph('phone')
    await page.setViewportSize({ width: 1280, height: 720 })
  })

  test('shows the tightest sessions of a budget for each session, which lead to their requests', async () => {
    const { page } = walk
    const budgets = [
      { each: 'session', usd: '2', per: 'total' },
      { each: 'user', usd: '5', per: 'day' },
    ]
    const agents = await limited('agents', 'default', { budgets })
    const call = (session: string, times: number) =>
      Promise.all(
        Array.from({ length: times }, () =>
          harness.chat(hello('gpt-5.4-mini', { max_completion_tokens: 100 }), {
            authorization: `Bearer ${agents}`,
            'x-gateway-session': session,
          }),
        ),
      )
    await call('quiet', 1)
    await call('busy', 3)
    await harness.rows()
    await openPage(page, '/dashboard/default/budgets')
    const rows = page.getByRole('region', { name: 'Budgets of values' }).locator('tbody tr')
    await rows.nth(2).waitFor()
    const texts = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
    assert.match(texts[0] ?? '', /^\$2\.00 for each session key agents in default, 2 live busy \$0/)
    assert.match(texts[1] ?? '', /^for each session quiet \$0/)
    assert.match(texts[2] ?? '', /^\$5\.00 for each user a day .*0 live none yet/)
    await assertAccessible(page, 'budgets of values')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await photograph(`values-${colorScheme}`)
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await assertAccessible(page, 'budgets of values on a phone')
    await photograph('values-phone')
    await page.setViewportSize({ width: 1280, height: 720 })
    await rows.first().getByRole('link', { name: 'busy' }).click()
    await page.waitForURL(/requests\?.*session=busy/)
    await page.getByText('All 3 requests are shown').waitFor()
    await openPage(page, '/dashboard/default/budgets')
    await rows.first().waitFor()
  })

  test('can be narrowed to this workspace and searched; a row leads to its key', async () => {
    const { page } = walk
    await choice('default').click()
    await page.getByRole('row', { name: /^idle/ }).waitFor({ state: 'detached' })
    await choice('All workspaces').click()
    await page.getByLabel('Search budgets').fill('nothing like it')
    await page.getByText('No budget matches “nothing like it”').waitFor()
    await page.getByLabel('Search budgets').fill('idle')
    await page.getByRole('link', { name: 'idle' }).click()
    await page.waitForURL(/\/research\/keys\//)
    await openPage(page, '/dashboard/default/overview')
    await settled(page)
    walk.assertQuiet()
  })

  /** For people to look at. */
  async function photograph(name: string): Promise<void> {
    const folder = process.env['SCREENSHOTS']
    if (folder !== undefined) await walk.page.screenshot({ path: `${folder}/budgets-${name}.png`, fullPage: true })
  }
})
