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
let key: string
const manage = managing(() => harness)

before(async () => {
  harness = await startHarness()
  const chain = (model: string) => ({ chain: [{ provider: 'openai', model }] })
  await manage('PUT', '/routes/fast', chain('gpt-4o'))
  await manage('PUT', '/routes/fast', chain('gpt-4o-mini'))
  await manage('PUT', '/routes/gone', chain('gpt-4o'))
  await manage('DELETE', '/routes/gone')
  key = (await manage('POST', '/keys', { name: 'app', limits: { budget: { usd: '5', per: 'month' } } })).json.id
  await manage('PATCH', `/keys/${key}`, { limits: { budget: { usd: '10', per: 'month' } } })
  await manage('POST', '/workspaces', { name: 'sales', limits: { rpm: 5 } })
  await manage('PATCH', '/workspaces/sales', { limits: { rpm: 9 } })
  await manage('PUT', '/providers/mine', { family: 'openai', base_url: 'https://mine.example/v1', api_key: 'sk-1' })
  await manage('DELETE', '/providers/mine')
  await manage('PUT', '/registry/openai/gpt-4o', { input_per_mtok: '99', output_per_mtok: '99' })
  browser = await launchChromium()
  visited = await visit(browser, harness.url, { expectedStatuses: [404], reducedMotion: 'reduce' })
  page = visited.page
  await signIn(page, harness.url, ADMIN_KEY, '/dashboard/default/routes/fast')
})
after(async () => {
  await visited.close()
  await browser.close()
  await harness.stop()
})

const open = (path: string) => openPage(page, `/dashboard/default/${path}`)
const restore = (words: string) =>
  page
    .getByRole('listitem')
    .filter({ hasText: words })
    .getByRole('button', { name: /^Restore the version/ })
const dialog = () => page.getByRole('dialog', { name: 'Restore this version' })

describe('a version is restored', { concurrency: false }, () => {
  test('of a route, by keyboard, after saying what will change', async () => {
    await page.getByText('Entry 1 changed from openai/gpt-4o to openai/gpt-4o-mini').waitFor()
    await assertAccessible(page, 'a route with its history')
    await restore('Created').focus()
    await page.keyboard.press('Enter')
    await dialog().getByText('Entry 1 changed from openai/gpt-4o-mini to openai/gpt-4o').waitFor()
    await assertAccessible(page, 'what a restore changes')
    await page.keyboard.press('Enter')
    await dialog().waitFor({ state: 'detached' })
    await page.getByText('Version restored.').waitFor()
    const { chain } = (await manage('GET', '/routes/fast')).json
    assert.deepEqual(chain, [{ provider: 'openai', model: 'gpt-4o' }])
    await page.getByText('Entry 1 changed from openai/gpt-4o-mini to openai/gpt-4o', { exact: true }).waitFor()
  })

  test('of a route that was deleted', async () => {
    await open('routes/gone')
    await restore('Created').click()
    await dialog().getByText('It is created again.').waitFor()
    await dialog().getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('heading', { name: 'Chain' }).waitFor()
    assert.equal((await manage('GET', '/routes/gone')).status, 200)
  })

  test('of a key; Escape closes the dialog, not the drawer', async () => {
    await open(`keys/${key}`)
    await page.getByText('Budget raised from 5 to 10 USD a month').waitFor()
    await assertAccessible(page, 'a key with its history')
    await restore('Created').click()
    await dialog().getByText('Budget lowered from 10 to 5 USD a month').waitFor()
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await restore('Created').click()
    await dialog().getByRole('button', { name: 'Restore' }).click()
    await dialog().waitFor({ state: 'detached' })
    await page.getByText('Budget lowered from 10 to 5 USD a month').waitFor()
    assert.equal((await manage('GET', `/keys/${key}`)).json.limits.budget.usd, '5')
  })

  test('of a workspace, whose form follows', async () => {
    await open('settings/workspaces/sales')
    await restore('Created').click()
    await dialog().getByRole('button', { name: 'Restore' }).click()
    await dialog().waitFor({ state: 'detached' })
    await page.getByText('Requests per minute lowered from 9 to 5').waitFor()
    assert.equal((await manage('GET', '/workspaces/sales')).json.limits.rpm, 5)
    await page.getByRole('button', { name: 'Save', exact: true, disabled: true }).waitFor()
  })

  test('of a route, in one click from its last change in the audit log', async () => {
    const model = { provider: 'openai', model: 'gpt-5.4-mini' }
    await manage('PUT', '/routes/gone', { chain: [model], description: 'changed' })
    const [last, first] = (await manage('GET', '/audit?resource=routes/gone')).json.data
    await open(`audit/${first.id}`)
    await page.getByRole('heading', { name: 'Created as' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Undo this change' }).count(), 0)
    await open(`audit/${last.id}`)
    await page.getByRole('button', { name: 'Undo this change' }).click()
    await page.getByText('Change undone.').waitFor()
    await page.getByRole('button', { name: 'Undo this change' }).waitFor({ state: 'detached' })
    assert.equal((await manage('GET', '/routes/gone')).json.description, null)
  })

  test('of a provider that was deleted, from the audit log', async () => {
    const [entry] = (await manage('GET', '/audit?resource=providers/mine')).json.data
    await open(`audit/${entry.id}`)
    await page.getByRole('button', { name: 'Restore' }).click()
    await assertAccessible(page, 'a deleted provider')
    await dialog().getByRole('button', { name: 'Restore' }).click()
    await page.getByText('Enter again, because secrets are not recorded: API key.').waitFor()
    await open('providers/mine')
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.getByText('Restored', { exact: true }).waitFor()
    await assertAccessible(page, 'a provider with its history')
  })

  test('of a price, also the built-in one', async () => {
    await open('registry/openai/gpt-4o')
    await restore('Before that').click()
    await dialog().getByText('Input price lowered from 99', { exact: false }).waitFor()
    await dialog().getByRole('button', { name: 'Restore' }).click()
    await dialog().waitFor({ state: 'detached' })
    assert.notEqual((await manage('GET', '/registry/openai/gpt-4o')).json.input_per_mtok, '99')
    visited.assertQuiet()
  })
})

test('a viewer sees the versions, and no way to restore them', async () => {
  const { value } = (await manage('POST', '/admin-keys', { name: 'viewer', role: 'viewer' })).json
  const other = await visit(browser, harness.url, { reducedMotion: 'reduce' })
  await signIn(other.page, harness.url, value, '/dashboard/default/routes/fast')
  await other.page.getByText('Entry 1 changed from openai/gpt-4o to openai/gpt-4o-mini').waitFor()
  assert.equal(await other.page.getByRole('button', { name: /^Restore/ }).count(), 0)
  await openPage(other.page, '/dashboard/default/registry/openai/gpt-4o')
  await other.page.getByText('Only admins of all workspaces can see this history.').waitFor()
  await other.close()
})
