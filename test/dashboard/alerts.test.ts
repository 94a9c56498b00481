import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type Receiver, startReceiver } from '../alerts/receiver.ts'
import { ADMIN_KEY, type Harness, hello, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, signIn, type Visit, visit } from './visit.ts'

describe('alerts', () => {
  let harness: Harness
  let receiver: Receiver
  let browser: Browser
  let visited: Visit
  let page: Page

  before(async () => {
    receiver = await startReceiver()
    harness = await startHarness({ environment: { ALERTS_EVERY_SECONDS: '0.2' } })
    browser = await launchChromium()
    visited = await visit(browser, harness.url)
    page = visited.page
    await signIn(page, harness.url, ADMIN_KEY)
  })

  after(async () => {
    await browser?.close()
    await harness?.stop()
    await receiver?.close()
  })

  const manage = managing(() => harness)
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  test('to be warned at 80 % takes four clicks', async () => {
    let clicks = 0
    const click = async (one: ReturnType<Page['getByRole']>) => {
      clicks += 1
      await one.click()
    }
    await click(page.getByRole('link', { name: 'Alerts' }))
    await page.getByText('A key or workspace has spent 50, 80 or 100 % of its budget').waitFor()
    await page.getByText('No channels yet').waitFor()
    await click(button('Add a channel'))
    await page.getByLabel('Name').fill('ops')
    await page.getByLabel('Address').fill(receiver.url)
    await assertAccessible(page, 'a new channel')
    await click(button('Add the channel'))
    await page.getByLabel('The signing secret', { exact: true }).getByText('whsec_').waitFor()
    await click(button('Done'))
    await page.getByRole('row', { name: /^ops · Webhook/ }).waitFor()
    assert.ok(clicks <= 4, `${clicks} clicks`)
  })

  test('the channel is tested, and what fires is told and listed', async () => {
    await button('Test ops').click()
    await page.getByText('ops accepted the test message').waitFor()
    assert.equal(receiver.received[0]?.json.type, 'alerts.test')
    const limits = { budget: { usd: '0.000001', per: 'month', mode: 'soft' } }
    const { json } = await manage('POST', '/keys', { name: 'ci', limits })
    await harness.chat(hello('gpt-4o', { max_tokens: 5 }), { authorization: `Bearer ${json.value}` })
    await until(() => receiver.received.length === 2, 'the alert is told')
    await page.getByRole('row', { name: /^critical The key ci in default has spent 100 %.* now$/ }).waitFor()
    await page.getByRole('row', { name: /^critical The key ci .* ops sent/ }).waitFor()
    await assertAccessible(page, 'alerts')
    if (process.env['SCREENSHOTS'] !== undefined) await photograph()
  })

  test('a channel is edited; what is not shown stays', async () => {
    await button('Edit ops').click()
    const form = page.getByRole('dialog', { name: 'Edit the channel ops' })
    await form.getByLabel('Name').fill('on-call')
    await form.getByLabel('Gets').click()
    await page.getByRole('option', { name: 'Critical only' }).click()
    await assertAccessible(page, 'a channel that is edited')
    await button('Save').click()
    await page.getByRole('row', { name: /^on-call · Webhook .* Critical only/ }).waitFor()
    const before = receiver.received.length
    await button('Test on-call').click()
    await page.getByText('on-call accepted the test message').waitFor()
    assert.equal(receiver.received[before]?.json.type, 'alerts.test')
  })

  test('an alert leads to its key, and the test message is listed', async () => {
    await page
      .getByRole('row', { name: /^Test message on-call sent/ })
      .first()
      .waitFor()
    await page.getByRole('link', { name: /^The key ci in default has spent/ }).click()
    await page.waitForURL(/\/default\/keys\//)
    await page.goBack()
  })

  test('to be warned at 60 % takes three clicks', async () => {
    await page.getByRole('link', { name: 'Alerts' }).click()
    await button('Edit the rule budget').click()
    const form = page.getByRole('dialog', { name: 'Edit rule' })
    await form.getByLabel('Thresholds, % of the budget').first().fill('60')
    await page.keyboard.press('Enter')
    await assertAccessible(page, 'a rule that is edited')
    await button('Save').click()
    await page.getByText('A key or workspace has spent 50, 60, 80 or 100 % of its budget').waitFor()
    const { data } = (await manage('GET', '/alert-rules')).json
    assert.deepEqual(data[0].thresholds, [50, 60, 80, 100])
  })

  test('a rule of one’s own is added for a key, and deleted', async () => {
    await button('Add a rule').click()
    const form = page.getByRole('dialog', { name: 'Add a rule' })
    await form.getByLabel('Name').fill('ci-spend')
    await form.getByRole('combobox', { name: 'Workspace' }).click()
    await page.getByRole('option', { name: 'default' }).click()
    await form.getByRole('combobox', { name: 'Key' }).click()
    await page.getByRole('option', { name: 'ci', exact: true }).click()
    await assertAccessible(page, 'a new rule')
    if (process.env['SCREENSHOTS'] !== undefined) await photograph('rule')
    await button('Add the rule').click()
    await page.getByText('Only workspace default, key ci').waitFor()
    await button('Delete the rule ci-spend').click()
    await assertAccessible(page, 'a rule that is deleted')
    await button('Delete the rule').click()
    await page.getByText('Only workspace default, key ci').waitFor({ state: 'detached' })
  })

  test('a rule is switched off, and a channel deleted', async () => {
    const rule = page.getByRole('switch', { name: 'The rule latency' })
    // By keyboard: what is above it may still grow, and a click would land elsewhere.
    await rule.press('Space')
    const isOff = async () => {
      const { data } = (await manage('GET', '/alert-rules')).json
      return data.find((each: { rule: string }) => each.rule === 'latency').enabled === false
    }
    await until(isOff, 'the rule is off')
    await button('Delete on-call').click()
    await button('Delete the channel').click()
    await page.getByText('No channels yet').waitFor()
    visited.assertQuiet()
  })

  test('on a phone what can be tapped is large enough, and no label stands alone', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    const edit = page.getByRole('button', { name: 'Edit the rule budget' })
    assert.ok(((await edit.boundingBox())?.height ?? 0) >= 32)
    const row = page.getByRole('row').filter({ hasText: 'A provider rejects its key' })
    assert.deepEqual(
      await row.locator('td:visible').evaluateAll((cells) => cells.map((cell) => cell.dataset['label'])),
      ['Condition', 'On'],
    )
    await page.setViewportSize({ width: 1280, height: 720 })
  })

  /** For people to look at: light, dark, and on a phone. */
  async function photograph(name = 'alerts'): Promise<void> {
    const folder = process.env['SCREENSHOTS']
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png`, fullPage: true })
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await page.screenshot({ path: `${folder}/${name}-phone.png`, fullPage: true })
    await page.setViewportSize({ width: 1280, height: 720 })
  }
})
