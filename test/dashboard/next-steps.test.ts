import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, type Answered, type Harness, hello, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, settled, signIn, type Visit, visit } from './visit.ts'

/** Each failure is fixed where it is explained, and the same call is then served. */
describe('the next step after a failure', () => {
  let harness: Harness
  let browser: Browser
  let visited: Visit
  let page: Page
  const manage = managing(() => harness)

  before(async () => {
    harness = await startHarness()
    browser = await launchChromium()
    visited = await visit(browser, harness.url, { viewport: { width: 1440, height: 900 }, expectedStatuses: [404] })
    page = visited.page
    await signIn(page, harness.url, ADMIN_KEY)
  })

  after(async () => {
    await browser?.close()
    await harness?.stop()
  })

  const why = () => page.getByRole('region', { name: 'Why it failed' })

  async function keyWith(name: string, settings: object): Promise<{ authorization: string }> {
    const { json } = await manage('POST', '/keys', { name, ...settings })
    return { authorization: `Bearer ${json.value}` }
  }

  async function open(failed: Answered, on: Page = page): Promise<void> {
    await harness.rowOf(failed)
    await on.goto(`${harness.url}/dashboard/default/requests/${failed.headers.get('x-gateway-request-id')}`)
    await on.getByRole('region', { name: 'Why it failed' }).waitFor()
    await settled(on)
  }

  test('a budget is raised, to what the call needs', async () => {
    const limits = { rpm: 60, budget: { usd: '0.000001', per: 'month', mode: 'hard' } }
    const headers = await keyWith('ci', { limits })
    const call = () => harness.chat(hello('gpt-4o', { max_tokens: 5 }), headers)
    await open(await call())
    await why().getByLabel('Budget of ci').waitFor()
    await assertAccessible(page, 'a budget about to be raised')
    await why().getByRole('button', { name: 'Raise budget' }).click()
    await why()
      .getByRole('status')
      .and(page.locator(':focus'))
      .getByText(/^The budget of ci is now \$0\.\d+ a month\. Applies from the next call\.$/)
      .waitFor()
    assert.equal((await call()).status, 200)
    const [key] = (await manage('GET', '/keys?search=ci')).json.data
    assert.equal(key.limits.rpm, 60)
    assert.equal(key.limits.budget.mode, 'hard')
  })

  test('a rate limit of the workspace is raised', async () => {
    await manage('PATCH', '/workspaces/default', { limits: { rpm: 1 } })
    let failed = await harness.chat(hello('gpt-4o'))
    while (failed.status === 200) failed = await harness.chat(hello('gpt-4o'))
    assert.equal(failed.status, 429)
    await open(failed)
    await why().getByLabel('Requests per minute of workspace default').fill('600')
    await page.keyboard.press('Enter')
    await why().getByText('The limit of workspace default is now 600 requests per minute.').waitFor()
    assert.equal((await harness.chat(hello('gpt-4o'))).status, 200)
  })

  test('streaming is turned on', async () => {
    const stream = () => harness.chat(hello('gpt-4o', { stream: true }))
    await open(await stream())
    await why().getByRole('button', { name: 'Turn on streaming in default' }).click()
    await why().getByText('Streaming is on in default now.').waitFor()
    assert.equal((await stream()).status, 200)
  })

  test('a model is allowed', async () => {
    const headers = await keyWith('narrow', { allowed_models: ['fast'] })
    const call = () => harness.chat(hello('gpt-4o'), headers)
    await open(await call())
    await why().getByRole('button', { name: 'Allow gpt-4o for narrow' }).click()
    await why().getByText('narrow may use gpt-4o now.').waitFor()
    assert.equal((await call()).status, 200)
  })

  test('a price is set, of a model that the registry does not have', async () => {
    const headers = await keyWith('capped', { limits: { budget: { usd: '5', per: 'month', mode: 'hard' } } })
    const call = () => harness.chat(hello('gpt-unheard-of', { max_tokens: 5 }), headers)
    await open(await call())
    await why().getByRole('button', { name: 'Set price' }).click()
    await why().getByLabel('Input, per million tokens').fill('1.5')
    await why().getByLabel('Output, per million tokens').fill('6')
    await assertAccessible(page, 'a price about to be set')
    await why().getByRole('button', { name: 'Save' }).click()
    await why().getByText('The price of openai/gpt-unheard-of is set').waitFor()
    assert.equal((await call()).status, 200)
  })

  test('a provider is tested', async () => {
    await open(await harness.chat(hello('gpt-sim-503')))
    await why().getByRole('button', { name: 'Test openai' }).click()
    await why()
      .getByRole('status')
      .getByText(/models/)
      .waitFor()
    await assertAccessible(page, 'a tested provider')
  })

  test('who may only look sees why a step is not theirs, on a phone in the dark too', async () => {
    const { json } = await manage('POST', '/admin-keys', { name: 'looker', role: 'viewer' })
    const failed = await harness.chat(hello('gpt-sim-503'))
    const other = await visit(browser, harness.url, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
    await signIn(other.page, harness.url, json.value)
    await open(failed, other.page)
    const button = other.page.getByRole('button', { name: 'Test openai' })
    assert.ok(await button.isDisabled())
    assert.match((await button.getAttribute('title')) ?? '', /viewer/)
    await assertAccessible(other.page, 'a failed request for a viewer')
    other.assertQuiet()
    await other.close()
  })

  test('nothing went wrong behind the page', () => visited.assertQuiet())
})
