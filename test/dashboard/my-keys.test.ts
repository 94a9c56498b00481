import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { type Harness, hello, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, visit } from './visit.ts'

describe('a member', () => {
  let harness: Harness
  let browser: Browser
  const manage = managing(() => harness)

  before(async () => {
    harness = await startHarness()
    browser = await launchChromium()
    const limits = { budget: { usd: '20', per: 'month', mode: 'soft' } }
    const template = { limits, max_keys: 2, description: 'For your own agents' }
    assert.equal((await manage('PUT', '/key-templates/developers', template)).status, 201)
  })
  after(async () => {
    await browser?.close()
    await harness?.stop()
  })

  for (const [where, options] of [
    ['light', { colorScheme: 'light' }],
    ['dark-phone', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }],
  ] as const) {
    test(`${where}: makes, rotates and revokes a key on the one page there is`, async () => {
      const made = await manage('POST', '/admin-keys', {
        name: `member-${where}`,
        role: 'member',
        workspaces: ['default'],
      })
      const { page, assertQuiet, close } = await visit(browser, harness.url, options)
      const refused: string[] = []
      page.on('response', (response) => {
        if (response.status() === 403) refused.push(response.url())
      })
      await page.goto(`${harness.url}/dashboard/default/providers`)
      await page.getByLabel('Admin key').fill(made.json.value)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('You have no keys yet.').waitFor()
      await assertAccessible(page, 'no keys')
      await page.getByRole('button', { name: 'Create a key' }).click()
      await page.getByLabel('Name').fill(`laptop-${where}`)
      await page.getByText('For your own agents. Workspace default, at most 2, expires after 90 days').waitFor()
      await assertAccessible(page, 'a new key')
      await page.getByRole('button', { name: 'Create key' }).click()
      const shown = page.getByRole('status', { name: `The key laptop-${where}` })
      const value = (await shown.textContent()) ?? ''
      assert.match(value, /^gw_live_\w{32}$/)
      const call = () => harness.chat(hello('gpt-4o-mini'), { authorization: `Bearer ${value}` })
      assert.equal((await call()).status, 200)
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByText('of $20.00 a month').waitFor()
      await page.getByRole('meter', { name: `Budget of laptop-${where}` }).waitFor()
      assert.match(await page.getByRole('row', { name: /laptop/ }).innerText(), /\$(20\.00|19\.99)/)
      await assertAccessible(page, 'keys')
      const folder = process.env['SCREENSHOTS']
      if (folder !== undefined) await page.screenshot({ path: `${folder}/my-keys-${where}.png` })
      await page.getByRole('button', { name: 'Rotate', exact: true }).click()
      await page.getByRole('button', { name: 'Rotate the key' }).click()
      await page.getByRole('status', { name: `The new value of laptop-${where}` }).waitFor()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'Revoke', exact: true }).click()
      await page.getByRole('button', { name: 'Revoke the key' }).click()
      await page.getByText(`laptop-${where} revoked`).waitFor()
      assert.equal((await call()).status, 401)
      assert.deepEqual(refused, [])
      assertQuiet()
      await close()
    })
  }
})
