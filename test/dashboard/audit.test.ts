import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, type Harness, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, signIn, type Visit, visit } from './visit.ts'

let harness: Harness
let browser: Browser
let visited: Visit
let page: Page
const manage = managing(() => harness)

before(async () => {
  harness = await startHarness()
  await manage('POST', '/workspaces', { name: 'sales' })
  await manage('PUT', '/routes/fast', { chain: [{ provider: 'openai', model: 'gpt-4o' }] })
  await manage('PUT', '/routes/fast?workspace=sales', { chain: [{ provider: 'openai', model: 'gpt-4o' }] })
  await manage('PUT', '/routes/fast', {
    description: 'quick answers',
    chain: [
      { provider: 'anthropic', model: 'claude-haiku-5-5', timeout_ms: 9000 },
      { provider: 'openai', model: 'gpt-4o' },
    ],
  })
  for (let index = 0; index < 55; index++) await manage('POST', '/keys', { name: `key-${index}` })
  browser = await launchChromium()
  visited = await visit(browser, harness.url, { expectedStatuses: [404], reducedMotion: 'reduce' })
  page = visited.page
  await signIn(page, harness.url, ADMIN_KEY, '/dashboard/default/audit')
})
after(async () => {
  await visited.close()
  await browser.close()
  await harness.stop()
})

const rows = () => page.getByRole('region', { name: 'Changes' }).getByRole('row')
const drawer = () => page.getByRole('dialog')

describe('the audit list', { concurrency: false }, () => {
  test('says who did what, newest first, and loads older ones when asked', async () => {
    await rows().filter({ hasText: 'key-54' }).getByText('created').waitFor()
    await assertAccessible(page, 'audit')
    assert.equal(await rows().count(), 51)
    await page.getByRole('button', { name: 'Load older changes' }).click()
    await rows().filter({ hasText: 'workspace sales' }).waitFor()
    assert.ok((await rows().count()) > 51)
  })

  test('is narrowed to a kind, a resource and an actor, kept in the address', async () => {
    await page.getByRole('combobox', { name: 'Kind' }).click()
    await page.getByRole('option', { name: 'Routes' }).click()
    await page.waitForURL(/resource=routes%2F/)
    await page.reload()
    await rows().filter({ hasText: 'route fast' }).first().waitFor()
    assert.equal(await rows().count(), 4)
    await page.getByRole('searchbox', { name: 'One resource, e.g. routes/fast' }).fill('workspaces/sales')
    await rows().filter({ hasText: 'workspace sales' }).waitFor()
    assert.equal(await rows().count(), 2)
    await page.getByRole('combobox', { name: 'Actor' }).click()
    await page.getByRole('option', { name: 'switchyard.yaml' }).click()
    await page.getByText('No matching changes').waitFor()
    await assertAccessible(page, 'no change')
    await page.getByRole('link', { name: 'Show every change' }).click()
    await rows().filter({ hasText: 'key-54' }).waitFor()
  })
})

describe('the history of one thing', { concurrency: false }, () => {
  test('of a route, of this workspace only, from its page', async () => {
    await openPage(page, '/dashboard/default/routes/fast')
    await page.getByRole('link', { name: 'Show in the audit log' }).click()
    await page.waitForURL(/audit\?resource=routes%2Ffast&workspace=default$/)
    await rows().filter({ hasText: 'route fast' }).first().waitFor()
    assert.equal(await rows().count(), 3)
    await assertAccessible(page, 'the history of a route')
    await page.getByRole('combobox', { name: 'In workspace' }).click()
    await page.getByRole('option', { name: 'sales' }).click()
    await page.waitForURL(/workspace=sales$/)
    await rows().filter({ hasText: 'sales' }).waitFor()
    assert.equal(await rows().count(), 2)
  })

  test('of a key, from its drawer', async () => {
    await openPage(page, '/dashboard/default/keys')
    await page.getByRole('link', { name: 'key-54' }).click()
    await drawer().getByRole('link', { name: 'Show in the audit log' }).click()
    await page.waitForURL(/audit\?resource=keys%2F/)
    await rows().filter({ hasText: 'key-54' }).getByText('created').waitFor()
    assert.equal(await rows().count(), 2)
    await openPage(page, '/dashboard/default/audit')
  })
})

describe('an entry', { concurrency: false }, () => {
  test('opens to what changed, field by field, and leads to the thing itself', async () => {
    await openPage(page, '/dashboard/default/audit?resource=routes%2Ffast')
    await rows().filter({ hasText: 'changed' }).getByRole('link').click()
    await drawer().getByText('Entry 1 added: anthropic/claude-haiku-5-5').waitFor()
    await assertAccessible(page, 'a change in words')
    await drawer().getByRole('button', { name: 'Show the fields' }).click()
    const row = (field: string) => drawer().getByRole('row').filter({ hasText: field })
    await row('description').getByText('quick answers').waitFor()
    await row('chain[openai/gpt-4o] position').waitFor()
    assert.deepEqual(await row('chain[openai/gpt-4o] position').getByRole('cell').allTextContents(), ['1', '2'])
    await row('chain[anthropic/claude-haiku-5-5].timeout_ms').getByText('9000').waitFor()
    assert.equal(await row('created_at').count(), 0)
    await drawer()
      .getByRole('button', { name: /that stayed/ })
      .click()
    await row('created_at').waitFor()
    await assertAccessible(page, 'a change')
    const link = drawer().getByRole('link', { name: 'routes/fast' })
    assert.equal(await link.getAttribute('href'), '/dashboard/default/routes/fast')
    await page.keyboard.press('Escape')
    await drawer().waitFor({ state: 'detached' })
    assert.match(page.url(), /audit\?resource=routes%2Ffast$/)
  })

  test('of a read says what was read, and that nothing changed', async () => {
    await manage('POST', '/workspaces', { name: 'checked' })
    await manage('GET', '/workspaces/checked/guardrail-secret')
    await openPage(page, '/dashboard/default/audit?resource=workspaces%2Fchecked')
    await rows().filter({ hasText: 'read the guardrail secret of' }).getByRole('link').click()
    const link = drawer().getByRole('link', { name: 'workspaces/checked' })
    assert.equal(await link.getAttribute('href'), '/dashboard/checked/settings/workspaces')
    assert.equal(await drawer().getByText('What was made').count(), 0)
    await assertAccessible(page, 'a read')
  })

  test('is found by its address, also when the list does not have it on its first page', async () => {
    const [entry] = (await manage('GET', '/audit?resource=workspaces/sales')).json.data
    await openPage(page, `/dashboard/default/audit/${entry.id}`)
    await drawer().getByText('created workspace sales', { exact: false }).waitFor()
    await openPage(page, '/dashboard/default/audit/01nothing')
    await drawer().getByText("There is no audit entry '01nothing'.").waitFor()
    await assertAccessible(page, 'an entry that is not there')
    visited.assertQuiet()
  })
})
