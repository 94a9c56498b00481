import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { AUDIENCE, startIssuer, type TestIssuer } from '../calls/tokens/token-issuer.ts'
import { ADMIN_KEY, type Harness, hello, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, signIn, type Visit, visit } from './visit.ts'

describe('who may call, in the settings', () => {
  let harness: Harness
  let issuer: TestIssuer
  let browser: Browser
  let walk: Visit
  let page: Page
  const manage = managing(() => harness)

  before(async () => {
    issuer = await startIssuer()
    harness = await startHarness({
      config: 'key_templates: { filed: { max_keys: 2, limits: { budget: { usd: "5", per: month } } } }',
    })
    assert.equal((await manage('POST', '/keys', { name: 'ci-jobs' })).status, 201)
    browser = await launchChromium()
    walk = await visit(browser, harness.url)
    page = walk.page
    await signIn(page, harness.url, ADMIN_KEY, '/dashboard/default/settings/token-issuers')
  })
  after(async () => {
    await browser?.close()
    await harness?.stop()
    await issuer?.stop()
  })

  const call = async (token: string) =>
    (await harness.chat(hello('gpt-sim-echo'), { authorization: `Bearer ${token}` })).status

  /** As most see it, and in the dark on a phone; for people to look at, and by the rules. */
  async function look(name: string): Promise<void> {
    const folder = process.env['SCREENSHOTS']
    for (const [where, colorScheme, width] of [
      ['light', 'light', 1280],
      ['dark-phone', 'dark', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 844 })
      await assertAccessible(page, `${name}, ${where}`)
      if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${where}.png`, fullPage: true })
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1280, height: 844 })
  }

  test('a token issuer is added, and its tokens are served', async () => {
    await page.getByText('No token issuers').waitFor()
    await page.getByRole('button', { name: 'Add an issuer' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('acme')
    await form.getByLabel('Issuer', { exact: false }).first().fill(issuer.url)
    await form.getByLabel('Audiences').first().fill(AUDIENCE)
    await page.keyboard.press('Enter')
    await form.getByLabel('Claims').fill('repo=acme/api')
    await form.getByLabel('Gateway key').first().click()
    await page.getByRole('option', { name: 'ci-jobs' }).click()
    await look('issuer-form')
    await form.getByRole('button', { name: 'Add the issuer' }).click()
    await page.getByRole('row', { name: /^acme/ }).waitFor()
    assert.equal(await call(issuer.token({ repo: 'acme/api' })), 200)
    await look('issuers')
  })

  test('a subject is revoked and accepted again', async () => {
    const token = issuer.token({ repo: 'acme/api', sub: 'bob' })
    assert.equal(await call(token), 200)
    await page.getByRole('button', { name: 'Revoke tokens of acme' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Nothing is revoked.').waitFor()
    await dialog.getByLabel('Value').fill('bob')
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click()
    await dialog.getByRole('row', { name: /bob/ }).waitFor()
    assert.equal(await call(token), 401)
    await look('revocations')
    await dialog.getByRole('button', { name: 'Accept again: bob' }).click()
    await dialog.getByText('Nothing is revoked.').waitFor()
    assert.equal(await call(token), 200)
    await dialog.getByRole('button', { name: 'Close' }).click()
  })

  test('its rules are changed, and it is deleted', async () => {
    await page.getByRole('button', { name: 'Change acme' }).click()
    const form = page.getByRole('dialog')
    assert.equal(await form.getByLabel('Claims').inputValue(), 'repo=acme/api')
    await form.getByLabel('Claims').fill('repo=acme/web')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    assert.equal(await call(issuer.token({ repo: 'acme/api' })), 403)
    assert.equal(await call(issuer.token({ repo: 'acme/web' })), 200)
    const { json } = await manage('GET', '/token-issuers/acme')
    assert.deepEqual([json.issuer, json.audiences, json.rules[0].user], [issuer.url, [AUDIENCE], 'sub'])
    await page.getByRole('button', { name: 'Delete acme' }).click()
    await page.getByRole('button', { name: 'Delete the issuer' }).click()
    await page.getByText('No token issuers').waitFor()
  })

  test('key templates are made, changed and deleted; that of the file is not', async () => {
    await page.getByRole('tab', { name: 'Key templates' }).click()
    const filed = page.getByRole('row', { name: /^filed/ })
    await filed.getByText('file', { exact: true }).waitFor()
    assert.equal(await filed.getByRole('button').count(), 0)
    await page.getByRole('button', { name: 'Create a template' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('developers')
    await form.getByLabel('Keys per person').fill('3')
    await form.getByLabel('Budget', { exact: true }).fill('20')
    await look('template-form')
    await form.getByRole('button', { name: 'Create the template' }).click()
    await page.getByRole('row', { name: /^developers default 3 90 days/ }).waitFor()
    await look('templates')
    await page.getByRole('button', { name: 'Change developers' }).click()
    await form.getByLabel('Expires after').fill('')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /^developers default 3 never/ }).waitFor()
    const { data } = (await manage('GET', '/key-templates')).json
    const made = data.find(({ name }: { name: string }) => name === 'developers')
    assert.deepEqual([made.max_keys, made.max_days, made.limits.budget.usd], [3, null, '20'])
    await page.getByRole('button', { name: 'Delete developers' }).click()
    await page.getByRole('button', { name: 'Delete the template' }).click()
    await page.getByRole('row', { name: /^developers/ }).waitFor({ state: 'detached' })
    walk.assertQuiet()
  })
})
