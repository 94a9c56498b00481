import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { BOOKKEEPER_DAY, BOOKKEEPER_MONTH, bookkeeperReports, writeBookkeeperRows } from '../bookkeeper.ts'
import { ADMIN_KEY, type Harness, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, assertReadable, openPage, settled, signIn, type Visit, visit } from './visit.ts'

const CONFIG = `
registry:
  - { provider: openai, model: m1, input_per_mtok: "2.5", cached_input_per_mtok: "0.25", output_per_mtok: "15" }
`

describe('the reconciliation page', { concurrency: false }, () => {
  let browser: Browser
  let harness: Harness
  let walk: Visit
  const manage = managing(() => harness)

  before(async () => {
    browser = await launchChromium()
    harness = await startHarness({ config: CONFIG })
    await writeBookkeeperRows(harness.gateway.store)
    walk = await visit(browser, harness.url)
    await signIn(walk.page, harness.url, ADMIN_KEY)
  })
  after(async () => {
    await browser?.close()
    await harness?.stop()
  })

  test('without reports it says what to import, and a file is chosen and imported', async () => {
    const { page } = walk
    await openPage(page, `/dashboard/default/reconciliation?month=${BOOKKEEPER_MONTH}`)
    await page.getByText(`No reports for ${BOOKKEEPER_MONTH}`).waitFor()
    await assertAccessible(page, 'no reports')
    for (const { source, text } of bookkeeperReports()) {
      await page.getByRole('button', { name: 'Import report' }).click()
      const dialog = page.getByRole('dialog', { name: 'Import a provider’s report' })
      await dialog.locator('input[type=file]').setInputFiles({
        ...{ name: `${source}.json`, mimeType: 'application/json', buffer: Buffer.from(text) },
      })
      await dialog.getByRole('combobox', { name: 'Form of the report' }).click()
      await page.getByRole('option', { name: source, exact: true }).click()
      await dialog.getByRole('combobox', { name: 'Provider' }).click()
      await page.getByRole('option', { name: 'openai', exact: true }).click()
      await assertAccessible(page, 'the import dialog')
      await dialog.getByRole('button', { name: 'Import', exact: true }).click()
      await dialog.waitFor({ state: 'hidden' })
    }
    await page.getByRole('region', { name: 'Imported reports' }).getByText('openai-usage.json').waitFor()
    await page.getByText('settled').first().waitFor()
  })

  test('why is the invoice 3.10 USD above ours: answered in three clicks from the first page', async () => {
    const { page } = walk
    let clicks = 0
    const click = async (name: string | RegExp, role: 'link' | 'option' | 'combobox') => {
      clicks++
      await page
        .getByRole(role, { name, exact: typeof name === 'string' })
        .first()
        .click()
    }
    await openPage(page, '/dashboard/default/overview')
    await settled(page)
    await click('Reconciliation', 'link')
    await settled(page)
    await click('Month', 'combobox')
    await click(BOOKKEEPER_MONTH, 'option')
    await page.getByRole('heading', { name: 'openai: bills 3.10 USD more than booked' }).waitFor()
    assert.ok(clicks <= 3, `${clicks} clicks`)
    const panel = page.locator('section', { hasText: 'openai: bills 3.10 USD more' }).first()
    for (const [title, amount] of [
      ['Missing rows', '+0.0435'],
      ['Service tier', '+0.98'],
      ['Tools', '+0.60'],
      ['Calls without an answer', '+1.02'],
      ['Foreign calls', '+0.455'],
      ['Rounding', '+0.0015'],
      ['Unexplained', '0'],
    ] as const) {
      const line = panel.getByRole('listitem').filter({ hasText: title })
      assert.match(await line.first().innerText(), new RegExp(`${amount.replaceAll(/[+.]/g, '\\$&')}\\b`), title)
    }
  })

  test('a row of the table opens its causes and leads to the requests; by keyboard too', async () => {
    const { page } = walk
    const rows = page.getByRole('region', { name: 'Differences by day and model' })
    await rows.getByRole('link', { name: `${BOOKKEEPER_DAY}, m1: why` }).focus()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name: `m1, ${BOOKKEEPER_DAY}` })
    await drawer.getByText('may have been billed').waitFor()
    await drawer.getByRole('link', { name: /^cut-/ }).first().waitFor()
    await assertAccessible(page, 'causes')
    await photograph('drawer')
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
  })

  test('what the report bills for calls without an answer is confirmed there, once', async () => {
    const { page } = walk
    // Of the provider, for all days and models at once.
    await page.getByText('10 calls may have cost up to').waitFor()
    await page
      .getByRole('region', { name: 'Differences by day and model' })
      .getByRole('link', { name: `${BOOKKEEPER_DAY}, m1: why` })
      .click()
    const drawer = page.getByRole('dialog', { name: `m1, ${BOOKKEEPER_DAY}` })
    await drawer.getByText('10 calls may have cost up to').waitFor()
    await drawer.getByText(/The report bills .*1\.02 for them/).waitFor()
    await drawer.getByRole('button', { name: 'Confirm them' }).click()
    await drawer.getByRole('textbox', { name: 'How do you know?' }).fill('usage report of the vendor')
    await assertAccessible(page, 'confirming')
    await photograph('confirm')
    await drawer.getByRole('button', { name: 'Confirm', exact: true }).click()
    await drawer.getByText('may have cost up to').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    await page.getByText('may have cost up to').waitFor({ state: 'detached' })
  })

  test('is readable in the dark and on a phone', async () => {
    const { page } = walk
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await photograph(colorScheme)
    }
    await assertReadable(page, 'in the dark')
    await page.setViewportSize({ width: 390, height: 844 })
    await assertAccessible(page, 'on a phone')
    await photograph('phone')
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.emulateMedia({ colorScheme: 'light' })
  })

  test('a key that is not this gateway’s is beside the figures, and is given to a provider there', async () => {
    const { page } = walk
    const give = (owner: string | null) =>
      manage('PUT', '/report-accounts', { provider: 'openai', account: 'key_2', owner })
    await give('openai')
    await page.reload()
    const foreign = page.getByRole('region', { name: 'Keys that are not this gateway’s' })
    await foreign.getByText('key_1').waitFor()
    await page.getByRole('heading', { name: /^openai: bills .* USD less than booked/ }).waitFor()
    await assertAccessible(page, 'a foreign key')
    await photograph('foreign')
    await foreign.getByRole('button', { name: 'It’s ours: key_1' }).click()
    await page.getByRole('menuitem', { name: 'openai' }).click()
    await foreign.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'openai: bills 3.10 USD more than booked' }).waitFor()
    await give(null)
  })

  test('a month is closed by hand, with its hash and its exports', async () => {
    const { page } = walk
    const { db } = harness.gateway.store
    await page.getByText('missing from the request log').first().waitFor()
    await page.getByRole('button', { name: 'Close month' }).click()
    const broken = page.getByRole('dialog', { name: `Close ${BOOKKEEPER_MONTH}?` })
    await broken.getByText('missing from the request log').waitFor()
    await broken.getByLabel('Why close it anyway?').waitFor()
    await assertAccessible(page, 'the question about books that are not whole')
    await broken.getByRole('button', { name: 'Cancel' }).click()
    await broken.waitFor({ state: 'hidden' })
    // As if it had come back from a backup.
    await writeBookkeeperRows(harness.gateway.store, { onlyLost: true })
    assert.equal((await db.selectFrom('requests').select('id').where('id', '=', 'lost').execute()).length, 1)
    await page.reload()
    await page.getByRole('button', { name: 'Close month' }).click()
    const dialog = page.getByRole('dialog', { name: `Close ${BOOKKEEPER_MONTH}?` })
    await dialog.getByLabel('Comment').fill('checked')
    await dialog.getByLabel(`Type ${BOOKKEEPER_MONTH} to confirm`).fill(BOOKKEEPER_MONTH)
    await assertAccessible(page, 'the question')
    await dialog.getByRole('button', { name: 'Close month' }).click()
    await dialog.waitFor({ state: 'hidden' })
    const { sha256 } = (await manage('GET', `/months/${BOOKKEEPER_MONTH}`)).json
    await page.getByText(sha256).waitFor()
    await page.getByRole('button', { name: 'Export' }).click()
    const downloaded = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'FOCUS 1.2' }).click()
    assert.equal((await downloaded).suggestedFilename(), `${BOOKKEEPER_MONTH}-focus.csv`)
    await photograph('closed')
    walk.assertQuiet()
  })

  test('who sees one workspace only has no such page, and meets no error', async () => {
    const given = { name: 'one', role: 'viewer', workspaces: ['default'] }
    const { value } = (await manage('POST', '/admin-keys', given)).json
    const { page, assertQuiet, close } = await visit(browser, harness.url)
    await signIn(page, harness.url, value)
    await settled(page)
    assert.equal(await page.getByRole('link', { name: 'Reconciliation' }).count(), 0)
    await openPage(page, '/dashboard/default/reconciliation')
    await page.getByText('You don’t have access to this').waitFor()
    assertQuiet()
    await close()
  })

  async function photograph(name: string): Promise<void> {
    const folder = process.env['SCREENSHOTS']
    if (folder !== undefined)
      await walk.page.screenshot({ path: `${folder}/reconciliation-${name}.png`, fullPage: true })
  }
})
