import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, type Harness, hello, type Json, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, signIn, type Visit, visit } from './visit.ts'

const FILE = `
providers:
  second: { family: openai, base_url: "\${SECOND_URL}", api_key: "key-of-second-0000000" }
workspaces:
  default:
    routes:
      quick: { chain: [{ provider: second, model: gpt-4o-mini }] }
    keys:
      nightly: { limits: { rpm: 60 } }
`

describe('settings', () => {
  let harness: Harness
  let browser: Browser
  let visited: Visit
  let page: Page

  before(async () => {
    harness = await startHarness()
    browser = await launchChromium()
    // A file that the gateway refuses.
    visited = await visit(browser, harness.url, { expectedStatuses: [400] })
    page = visited.page
    await signIn(page, harness.url, ADMIN_KEY, '/dashboard/default/settings')
  })

  after(async () => {
    await browser?.close()
    await harness?.stop()
  })

  const manage = managing(() => harness)
  const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const openTab = (name: string) => page.getByRole('tab', { name }).click()

  test('a workspace is created, with limits of all its keys together', async () => {
    await page.getByRole('row', { name: /^default/ }).waitFor()
    await assertAccessible(page, 'workspaces')
    await button('Create a workspace').click()
    await dialog('Create a workspace').getByLabel('Name').fill('lab')
    await dialog('Create a workspace').getByLabel('Description').fill('for trying things')
    await dialog('Create a workspace').getByLabel('Concurrent requests').fill('4')
    await assertAccessible(page, 'a new workspace')
    await button('Create the workspace').click()
    await page.getByRole('row', { name: /^lab.*for trying things.*4 at once/ }).waitFor()
    const { description, limits } = (await manage('GET', '/workspaces/lab')).json
    assert.deepEqual([description, limits], ['for trying things', { max_parallel: 4 }])
  })

  test('it has an address of its own, where it is changed', async () => {
    await page.getByRole('link', { name: 'lab', exact: true }).click()
    await page.waitForURL(/\/settings\/workspaces\/lab$/)
    const drawer = dialog('lab')
    await drawer.getByRole('textbox', { name: 'Budget', exact: true }).fill('12.50')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await page.getByText('lab saved').waitFor()
    await drawer.getByRole('meter', { name: 'Budget of the workspace lab' }).waitFor()
    await assertAccessible(page, 'a workspace')
    const { limits } = (await manage('GET', '/workspaces/lab')).json
    assert.deepEqual(limits, { max_parallel: 4, budget: { usd: '12.50', per: 'month', mode: 'hard' } })
  })

  test('whether it streams is the default, on or off, and the page says what the default is', async () => {
    const drawer = dialog('lab')
    const group = drawer.getByRole('radiogroup', { name: 'Streaming' })
    await group.getByLabel('Default, now off').waitFor()
    for (const [choice, stored] of [
      ['On', true],
      ['Off', false],
      ['Default, now off', null],
    ] as const) {
      // By the keyboard: the drawer scrolls under its head while it is saved, and a click may land beside the radio.
      await group.getByLabel(choice, { exact: true }).press('Space')
      const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
      await drawer.getByRole('button', { name: 'Save' }).click()
      assert.equal((await saved).status(), 200)
      assert.equal((await manage('GET', '/workspaces/lab')).json.streaming, stored)
    }
  })

  test('one with live keys is deleted only after its name is typed', async () => {
    await manage('POST', '/keys?workspace=lab', { name: 'in-use' })
    await page.reload()
    await button('Delete the workspace').click()
    const question = dialog('Delete the workspace lab?')
    await question.getByText('One key works there now').waitFor()
    const confirm = question.getByRole('button', { name: 'Delete it with its live keys' })
    assert.equal(await confirm.isDisabled(), true)
    await question.getByLabel('Type lab to confirm').fill('lab')
    await confirm.click()
    await page.getByText('Workspace lab deleted').waitFor()
    await page.waitForURL(/\/settings\/workspaces$/)
    assert.equal((await manage('GET', '/workspaces/lab')).status, 404)
  })

  test('an admin key is created, its value shown once, and revoked', async () => {
    await openTab('Admin keys')
    await page.waitForURL(/\/settings\/admin-keys$/)
    const own = page.getByRole('row', { name: /ADMIN_KEY/ })
    await own.getByText('yours').waitFor()
    assert.equal(await own.getByRole('button', { name: 'Revoke ADMIN_KEY' }).isDisabled(), true)
    await button('Create an admin key').click()
    await dialog('Create an admin key').getByLabel('Name').fill('ana')
    await assertAccessible(page, 'a new admin key')
    await page.keyboard.press('Enter')
    const value = (await dialog('The admin key ana').getByRole('status').innerText()).trim()
    assert.match(value, /^gw_admin_\w{32}$/)
    await button('Done').click()
    const status = async () => (await manage('GET', '/keys', undefined, { authorization: `Bearer ${value}` })).status
    assert.equal(await status(), 200)
    await page.getByRole('button', { name: 'Revoke ana' }).click()
    await assertAccessible(page, 'revoking an admin key')
    await button('Revoke the admin key').click()
    await page.getByText('Admin key ana revoked').waitFor()
    assert.equal(await status(), 401)
  })

  test('a session of somebody else is ended', async () => {
    const response = await fetch(`${harness.url}/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: ADMIN_KEY }),
    })
    const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const { id } = (await response.json()) as Json
    const status = async () => (await fetch(`${harness.url}/keys`, { headers: { cookie } })).status
    assert.equal(await status(), 200)
    await openTab('Sessions')
    await page.getByText('this one').waitFor()
    await assertAccessible(page, 'sessions')
    await page.getByRole('button', { name: `Sign out ADMIN_KEY, session ${id}` }).click()
    await button('Sign out').last().click()
    await page.getByText('Session of ADMIN_KEY ended').waitFor()
    assert.equal(await status(), 401)
  })

  test('the running configuration is downloaded', async () => {
    await openTab('Configuration')
    await page.getByText(/This gateway applies .*switchyard\.yaml/).waitFor()
    const coming = page.waitForEvent('download')
    await page.getByRole('link', { name: 'YAML' }).click()
    const download = await coming
    assert.equal(download.suggestedFilename(), 'switchyard.yaml')
    assert.match(readFileSync(await download.path(), 'utf8'), /^# The running configuration[\s\S]*workspaces:/)
  })

  test('a file shows what it would change before it changes anything', async () => {
    const text = page.getByRole('textbox', { name: 'Configuration' })
    await text.fill('workspaces: [')
    await page.getByText(/Flow sequence/).waitFor()
    assert.equal(await button('Show what it would change').isDisabled(), true)
    await text.fill(FILE)
    const variable = page.getByLabel('SECOND_URL')
    await variable.fill('ftp://nowhere')
    await button('Show what it would change').click()
    await page.getByText(/providers\.second\.base_url/).waitFor()
    await variable.fill(harness.simulator.openaiUrl)
    await button('Show what it would change').click()
    const changes = page.getByRole('list', { name: 'Changes' })
    await changes.getByText('routes/quick').waitFor()
    await page.getByText('3 create; 0 already match.').waitFor()
    assert.doesNotMatch(await changes.innerText(), /key-of-second/)
    await assertAccessible(page, 'a plan')
    assert.equal((await manage('GET', '/routes/quick')).status, 404)
  })

  test('and is applied as a whole; the value of a new key is shown once', async () => {
    await button('Apply these changes').click()
    await button('Apply').click()
    await page.getByText('New keys: copy them now').waitFor()
    await assertAccessible(page, 'what was applied')
    const value = await page.locator('tr', { hasText: 'nightly in default' }).locator('.mono').innerText()
    const answer = await harness.chat(hello('quick'), { authorization: `Bearer ${value}` })
    assert.deepEqual([answer.status, answer.headers.get('x-gateway-provider')], [200, 'second'])
    await openTab('Sessions')
    await page.getByText('this one').waitFor()
    assert.ok(!(await page.content()).includes(value))
  })

  test('what a file no longer names is listed, and deleted only on request', async () => {
    await openTab('Configuration')
    await page.getByRole('textbox', { name: 'Configuration' }).fill('{}')
    await button('Show what it would change').click()
    await page.getByText(/Not in the file, left alone: .*default: routes\/quick/).waitFor()
    await assertAccessible(page, 'a plan without pruning')
    await page.getByRole('switch', { name: 'Delete what the file no longer names' }).check({ force: true })
    await button('Show what it would change').click()
    await page.getByText('3 delete; 0 already match.').waitFor()
  })

  test('the ledger is verified, and the secrets encrypted anew', async () => {
    await openTab('Ledger and secrets')
    await button('Verify now').click()
    await page.getByText('The ledger agrees with the log').waitFor()
    await page.getByText(/counters of \d+ keys and workspaces were worked out again/).waitFor()
    await button('Re-encrypt').click()
    await page.getByText(/already use the first key/).waitFor()
    await assertAccessible(page, 'the ledger')
  })

  test('it says what is running, also on a phone', async () => {
    await openTab('About')
    await page.getByText('complete in the database').waitFor()
    await page.getByText(harness.gateway.store.node).waitFor()
    await assertAccessible(page, 'about')
    await page.setViewportSize({ width: 390, height: 844 })
    for (const tab of ['workspaces', 'admin-keys', 'configuration']) {
      await openPage(page, `/dashboard/default/settings/${tab}`)
      await page.getByRole('tabpanel').getByRole('heading').first().waitFor()
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), true, tab)
    }
  })

  test('signing out here leads to the sign-in', async () => {
    await openPage(page, '/dashboard/default/settings/sessions')
    await page.getByRole('button', { name: 'Sign out here' }).click()
    await dialog('Sign out here?').getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Admin key').waitFor()
  })

  test('nothing went wrong behind the page', () => visited.assertQuiet())
})
