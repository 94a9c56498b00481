import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, type Answered, type Harness, hello, type Json, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, signIn, type Visit, visit } from './visit.ts'

const CONFIG = `
workspaces:
  default:
    routes:
      fast: { chain: [{ provider: openai, model: gpt-4o-mini }] }
    keys:
      from-file: { allowed_models: [fast], limits: { rpm: 60, budget: { usd: "2", per: month, mode: soft } } }
`

describe('keys', () => {
  let harness: Harness
  let browser: Browser
  let visited: Visit
  let page: Page
  /** The value of the key that this walk makes, then the one that replaces it. */
  let value = ''
  let replaced = ''
  let id = ''

  before(async () => {
    harness = await startHarness({ config: CONFIG })
    browser = await launchChromium()
    // A name that is taken, and a change overtaken by another one.
    visited = await visit(browser, harness.url, { expectedStatuses: [409, 412] })
    page = visited.page
    await signIn(page, harness.url, ADMIN_KEY, '/dashboard/default/keys')
  })

  after(async () => {
    await browser?.close()
    await harness?.stop()
  })

  const manage = managing(() => harness)
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
  const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })
  const stored = async (): Promise<Json> => (await manage('GET', `/keys/${id}`)).json
  const callWith = (key: string, model = 'fast'): Promise<Answered> =>
    harness.chat(hello(model), { authorization: `Bearer ${key}` })

  test('lists the keys with their state and their budgets', async () => {
    await row('from-file').waitFor()
    assert.match(await row('from-file').innerText(), /file[\s\S]*gw_live_[\s\S]*live[\s\S]*never/)
    const budget = row('from-file').getByRole('meter', { name: 'Budget of from-file' })
    assert.equal(await budget.getAttribute('aria-valuetext'), '0 %: $0.00 spent and $0.00 held of $2.00, a soft budget')
    await row('from-file').getByText('· soft').waitFor()
    await row('GATEWAY_KEY').waitFor()
    await assertAccessible(page, 'the list')
  })

  test('says at the field that a name is taken', async () => {
    await page.getByRole('button', { name: 'Create a key' }).click()
    await dialog('Create a key').getByLabel('Name').fill('from-file')
    await page.keyboard.press('Enter')
    await dialog('Create a key')
      .getByText(/already has a key 'from-file'/)
      .waitFor()
    await assertAccessible(page, 'the form')
  })

  test('is not thrown away by Escape without a question', async () => {
    const form = dialog('Create a key')
    const question = dialog('Discard what you typed?')
    await page.keyboard.press('Escape')
    await question.waitFor()
    await assertAccessible(page, 'the question before a form is discarded')
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'detached' })
    assert.equal(await form.getByLabel('Name').inputValue(), 'from-file')
    await page.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Discard' }).click()
    await form.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create a key' }).click()
    assert.equal(await form.getByLabel('Name').inputValue(), '')
  })

  test('creates a key with limits and shows its value once', async () => {
    const form = dialog('Create a key')
    await form.getByLabel('Name').fill('walker')
    await form.getByRole('button', { name: '30 days' }).click()
    await form.getByLabel('Allowed models').fill('fast')
    await page.keyboard.press('Enter')
    await form.getByLabel('Requests per minute').fill('100')
    await form.getByRole('textbox', { name: 'Budget', exact: true }).fill('$1,000.50')
    await form.getByRole('radio', { name: 'Soft: warn' }).check()
    await form.getByRole('button', { name: 'Create key' }).click()
    value = (await dialog('The key walker').getByRole('status', { name: 'The key walker' }).innerText()).trim()
    assert.match(value, /^gw_live_[0-9A-Za-z]{32}$/)
    assert.equal(await page.evaluate('document.activeElement.innerText'), 'Copy')
    await assertAccessible(page, 'the value')
    const keys = (await manage('GET', '/keys')).json.data
    id = keys.find((key: Json) => key.name === 'walker').id
    const { limits, allowed_models: allowed, expires_at: expires } = await stored()
    assert.deepEqual(limits, { rpm: 100, budget: { usd: '1000.50', per: 'month', mode: 'soft' } })
    assert.deepEqual(allowed, ['fast'])
    const days = (Date.parse(expires) - Date.now()) / 86_400_000
    assert.ok(days > 29 && days <= 30, expires)
  })

  test('the command beside it works as pasted', async () => {
    const command = await dialog('The key walker').getByLabel('First call in curl').innerText()
    const { stdout } = await promisify(execFile)('sh', ['-c', command])
    const answer = JSON.parse(stdout)
    assert.equal(answer.object, 'chat.completion')
    assert.equal((await harness.rows()).at(-1)?.['key_id'], id)
  })

  test('each coding agent has its settings there, and streaming is turned on where it needs it', async () => {
    const shown = dialog('The key walker')
    await shown.getByRole('tab', { name: 'Claude Code' }).click()
    const lines = await shown.getByLabel('Settings for Claude Code').innerText()
    assert.match(lines, new RegExp(`ANTHROPIC_BASE_URL='${harness.url}'\\nexport ANTHROPIC_AUTH_TOKEN='${value}'`))
    assert.match(lines, /ANTHROPIC_MODEL='fast'/)
    await assertAccessible(page, 'the settings of an agent')
    await shown.getByRole('button', { name: 'Turn on streaming' }).click()
    await shown.getByText('Claude Code needs streaming').waitFor({ state: 'detached' })
    assert.equal((await manage('GET', '/workspaces/default')).json.streaming, true)
    for (const tool of ['Codex', 'Cursor', 'OpenCode']) {
      await shown.getByRole('tab', { name: tool, exact: true }).click()
      assert.ok((await shown.getByLabel(`Settings for ${tool}`).innerText()).includes(harness.url), tool)
    }
  })

  test('Escape does not lose the value, and afterwards nothing on the page knows it', async () => {
    await page.keyboard.press('Escape')
    assert.ok(await dialog('The key walker').isVisible())
    await page.getByRole('button', { name: 'Done' }).click()
    await dialog('The key walker').waitFor({ state: 'detached' })
    assert.ok(!(await page.content()).includes(value))
    const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage])')
    assert.ok(!String(kept).includes(value))
  })

  test('a key opens at an address of its own, with what it was used for', async () => {
    await row('walker').getByRole('link').click()
    await page.waitForURL(new RegExp(`/keys/${id}$`))
    await page.reload()
    const drawer = dialog(/walker/)
    await drawer.getByRole('heading', { name: 'Last 30 days' }).waitFor()
    await drawer.getByRole('img', { name: /Spend of walker by day/ }).waitFor()
    await drawer.getByRole('meter').waitFor()
    await assertAccessible(page, 'the drawer')
    const requests = drawer.getByRole('link', { name: 'Its requests' })
    assert.equal(await requests.getAttribute('href'), `/dashboard/default/requests?key=${id}`)
  })

  test('settings are saved and hold', async () => {
    const drawer = dialog(/walker/)
    await drawer.getByLabel('Requests per minute').fill('1')
    await drawer.getByRole('radio', { name: 'Hard: refuse' }).check()
    await drawer.getByRole('radio', { name: 'Shorten the answer' }).check()
    await drawer.getByLabel('Shorten to no less than').fill('1000')
    await drawer.getByLabel('Default output limit').fill('4000')
    await assertAccessible(page, 'a budget that calls are fitted into')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await page.getByText('walker saved').waitFor()
    const budget = { usd: '1000.50', per: 'month', mode: 'hard', when_tight: 'fit', fit_at_least: 1000 }
    assert.deepEqual((await stored()).limits, { rpm: 1, max_output_tokens: 4000, budget })
    await drawer.getByRole('textbox', { name: 'Budget', exact: true }).fill('')
    await drawer.getByLabel('Default output limit').fill('')
    // The page has read its own change before another client makes one.
    const reread = page.waitForResponse(
      (each) => each.request().method() === 'GET' && each.url().endsWith(`/keys/${id}`),
    )
    await drawer.getByRole('button', { name: 'Save' }).click()
    await reread
    await until(async () => (await stored()).limits.budget === undefined, 'the budget is gone')
    assert.deepEqual((await stored()).limits, { rpm: 1 })
    // The second call of a minute is refused; earlier ones may be a minute old by now.
    await until(async () => (await callWith(value)).status === 429, 'the limit of calls a minute holds')
  })

  test('a change that somebody else overtook is not made in silence', async () => {
    const drawer = dialog(/walker/)
    await manage('PATCH', `/keys/${id}`, { limits: { rpm: 600 } })
    await drawer.getByLabel('Tokens per minute').fill('5000')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await drawer.getByText('Someone else changed this key').waitFor()
    assert.deepEqual((await stored()).limits, { rpm: 600 })
    await drawer.getByRole('button', { name: 'Show theirs' }).click()
    const rpm = drawer.getByLabel('Requests per minute')
    await until(async () => (await rpm.inputValue()) === '600', 'their limit is in the form')
    assert.equal(await drawer.getByLabel('Tokens per minute').inputValue(), '')
  })

  test('rotating shows the new value once and keeps the old one for as long as was chosen', async () => {
    await dialog(/walker/)
      .getByRole('button', { name: 'Rotate' })
      .click()
    await dialog('Rotate walker').getByRole('radio', { name: '1 hour' }).check()
    await assertAccessible(page, 'rotating')
    await dialog('Rotate walker').getByRole('button', { name: 'Rotate the key' }).click()
    const shown = dialog('The new value of walker')
    const next = (await shown.getByRole('status', { name: 'The new value of walker' }).innerText()).trim()
    await shown.getByText(/The old one works until/).waitFor()
    assert.deepEqual([(await callWith(value)).status, (await callWith(next)).status], [200, 200])
    await shown.getByRole('button', { name: 'Done' }).click()
    await shown.waitFor({ state: 'detached' })
    assert.match(page.url(), new RegExp(`/keys/${id}$`))
    replaced = value
    value = next
  })

  test('its values are listed with their last use and their end, and revoked one by one', async () => {
    // Reloaded: the calls above were not made by the page.
    await page.reload()
    const values = dialog(/walker/).getByRole('region', { name: 'Values of walker' })
    const valueRow = (of: string) => values.getByRole('row').filter({ hasText: of.slice(0, 12) })
    await valueRow(value).waitFor()
    assert.match(await valueRow(value).innerText(), /ago|now[\s\S]*none/)
    assert.match(await valueRow(replaced).innerText(), /ends in/)
    assert.ok(!(await page.content()).includes(value))
    await valueRow(replaced)
      .getByRole('button', { name: /Revoke the value/ })
      .click()
    const question = dialog(/^Revoke the value/)
    await question.getByText(/last used/).waitFor()
    await assertAccessible(page, 'revoking a value')
    await question.getByRole('button', { name: 'Revoke the value' }).click()
    await page.getByText(/… revoked$/).waitFor()
    assert.deepEqual([(await callWith(replaced)).status, (await callWith(value)).status], [401, 200])
    await values.getByText(/^ended/).waitFor()
    // The last one that works is not offered: the key is rotated or revoked instead.
    assert.equal(await values.getByRole('button').count(), 0)
    await assertAccessible(page, 'the values')
  })

  test('pausing turns its calls away until it is resumed', async () => {
    const drawer = dialog(/walker/)
    await drawer.getByRole('button', { name: 'Pause' }).click()
    await drawer.getByText(/^paused/).waitFor()
    assert.equal((await callWith(value)).status, 403)
    assert.equal(await drawer.getByRole('link', { name: 'Try it' }).count(), 0)
    await assertAccessible(page, 'a paused key')
    await drawer.getByRole('button', { name: 'Resume' }).click()
    await drawer.getByRole('button', { name: 'Pause' }).waitFor()
    assert.equal((await callWith(value)).status, 200)
  })

  test('revoking says when the key was last used, and ends it at once', async () => {
    await openPage(page, `/dashboard/default/keys/${id}`)
    await dialog(/walker/)
      .getByRole('button', { name: 'Revoke', exact: true })
      .click()
    const question = dialog('Revoke walker?')
    await question.getByText(/last used/).waitFor()
    await assertAccessible(page, 'revoking')
    await question.getByRole('button', { name: 'Revoke the key' }).click()
    await page.getByText('walker revoked', { exact: true }).waitFor()
    assert.equal((await callWith(value)).status, 401)
    await dialog(/walker/)
      .getByText(/This key is revoked/)
      .waitFor()
    await dialog(/walker/)
      .getByRole('button', { name: 'Close' })
      .click()
  })

  test('revoked keys are shown when asked for; search and order stand in the address', async () => {
    await row('from-file').waitFor()
    assert.equal(await page.getByText(/^revoked/).count(), 0)
    await page.getByRole('switch', { name: 'Show revoked keys' }).check()
    await page.getByText(/^revoked/).waitFor()
    await page.getByRole('button', { name: 'Name' }).click()
    await page.getByRole('searchbox', { name: 'Search keys' }).fill('WALK')
    await page.waitForURL(/search=WALK/)
    await page.reload()
    await page.getByText(/^revoked/).waitFor()
    assert.deepEqual(await page.locator('tbody a.row-link').allTextContents(), ['walker'])
    assert.match(page.url(), /sort=-name/)
    await page.getByRole('searchbox', { name: 'Search keys' }).fill('nobody')
    await page.getByText('No key matches “nobody”').waitFor()
    await assertAccessible(page, 'nothing found')
  })

  test('a key of the file is shown in words and cannot be changed', async () => {
    await openPage(page, '/dashboard/default/keys')
    await row('from-file').getByRole('link').click()
    const drawer = dialog(/from-file/)
    await drawer.getByText(/is managed by the configuration file/).waitFor()
    await drawer.getByText('60 requests a minute').waitFor()
    await drawer.getByText(/\$2\.00 a month, soft/).waitFor()
    assert.equal(await drawer.getByRole('button', { name: /Save|Rotate|Revoke/ }).count(), 0)
    await assertAccessible(page, 'a key of the file')
    await page.keyboard.press('Escape')
    await page.waitForURL(/\/keys$/)
  })

  test('a workspace without keys says what a key is for, also on a phone', async () => {
    await manage('POST', '/workspaces', { name: 'empty' })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${harness.url}/dashboard/empty/keys`)
    await page.getByText('This workspace has no keys yet').waitFor()
    await assertAccessible(page, 'no keys')
    await openPage(page, '/dashboard/default/keys')
    await row('from-file').waitFor()
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), true)
  })

  test('nothing went wrong behind the page', () => visited.assertQuiet())
})
