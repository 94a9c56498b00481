import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, type Harness, type Json, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, signIn, type Visit, visit } from './visit.ts'

const SHOTS = process.env['CACHE_SHOTS']

describe('the response cache of a route', () => {
  let harness: Harness
  let browser: Browser
  let visited: Visit
  let page: Page
  const manage = managing(() => harness)
  const stored = async () => (await manage('GET', '/routes/faq')).json.cache
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const look = async (name: string, of = page) => {
    if (SHOTS !== undefined) await of.screenshot({ path: `${SHOTS}/${name}.png` })
  }

  before(async () => {
    harness = await startHarness()
    await manage('PUT', '/routes/faq', { chain: [{ provider: 'openai', model: 'gpt-5.4-mini' }] })
    browser = await launchChromium()
    // A time that the gateway refuses.
    visited = await visit(browser, harness.url, { expectedStatuses: [400], viewport: { width: 1440, height: 1000 } })
    page = visited.page
    await signIn(page, harness.url, ADMIN_KEY, '/dashboard/default/routes/faq')
  })
  after(async () => {
    await browser?.close()
    await harness?.stop()
  })

  /** Saves, and says with which status the gateway answered. */
  async function save(): Promise<number> {
    const answered = page.waitForResponse((response) => response.request().method() === 'PUT')
    await button('Save').click()
    return (await answered).status()
  }

  /** Sends the same message once more from the page of the route; says whether a provider was called, and the id. */
  async function ask(verdict: string): Promise<{ isPaid: boolean; id: string }> {
    const before = harness.upstream().length
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname === '/try')
    await button('Send').click()
    const { headers } = (await (await answered).json()) as { headers: Record<string, string> }
    await page.locator('dd').getByText(verdict, { exact: true }).waitFor()
    return { isPaid: harness.upstream().length > before, id: headers['x-gateway-request-id'] ?? '' }
  }

  test('is off, and cannot be emptied then', async () => {
    const cached = page.getByLabel('Cache answers')
    await cached.waitFor()
    assert.equal(await cached.isChecked(), false)
    assert.equal(await button('Purge cache').count(), 0)
    assert.equal(await stored(), null)
  })

  test('is switched on with its time, for whom and for what, in words before it is saved', async () => {
    await page.getByLabel('Cache answers').check()
    await page.getByText('Answers are cached for 3600 s for each key').waitFor()
    await page.getByLabel('For', { exact: true }).fill('')
    assert.equal(await save(), 400)
    await page
      .locator('[aria-invalid=true]')
      .and(page.getByLabel('For', { exact: true }))
      .waitFor()
    assert.equal(await stored(), null)
    await page.getByLabel('For', { exact: true }).fill('86400')
    await page.getByText('The whole workspace').click()
    await page.getByLabel('Also with tools').check()
    await page.getByText('Answers are cached for 86400 s for the whole workspace, with tools, too').waitFor()
    await assertAccessible(page, 'the cache of a route')
    await look('fields-light')
    assert.equal(await save(), 200)
    assert.deepEqual(await stored(), { ttl_seconds: 86_400, scope: 'workspace', tools: true })
  })

  test('gives the same answer to the same bytes, at no cost, and the page says so', async () => {
    await page.getByText('Call', { exact: true }).click()
    await page.getByLabel('Message').fill('Is the line clear?')
    const first = await ask('miss: not in the cache')
    const second = await ask('hit: answered from the cache')
    assert.deepEqual([first.isPaid, second.isPaid], [true, false])
    await page.locator('dd').getByText('$0', { exact: true }).waitFor()
    await assertAccessible(page, 'an answer from the cache')
    await look('hit-light')
    await page.getByText(/, 1 from the cache, \$0\.\d+ saved$/).waitFor()
  })

  test('is seen in the log, with whose answer it was and what that saved', async () => {
    await page.goto(`${harness.url}/dashboard/default/requests`)
    const hits = page.getByRole('row').filter({ hasText: 'Answered from the response cache of its route' })
    await page.getByRole('row').nth(2).waitFor()
    assert.equal(await hits.count(), 1)
    await page.goto(`${harness.url}/dashboard/default/requests?cache=hit`)
    await hits.waitFor()
    assert.equal(await page.locator('tbody').getByRole('row').count(), 1)
    const [hit] = (await manage('GET', '/requests?cache=hit')).json.data as Json[]
    const [miss] = (await manage('GET', '/requests?cache=miss')).json.data as Json[]
    await page.goto(`${harness.url}/dashboard/default/requests/${hit.id}`)
    const said = (name: string) => page.locator('dt').getByText(name, { exact: true }).locator('xpath=following::dd[1]')
    await said('Response cache').getByText('hit: answered from the cache').waitFor()
    assert.equal(await said('Saved').locator('[title]').getAttribute('title'), `$${miss.cost_usd} USD`)
    await page.getByText('a route alias, whose response cache had the answer.').waitFor()
    await page.getByText('The caller got 200, a stored answer of openai/gpt-5.4-mini.').waitFor()
    await assertAccessible(page, 'a request that was answered from the cache')
    await look('request-light')
    await said('Answer of').getByRole('link').click()
    await page.waitForURL(new RegExp(`/requests/${miss.id}$`))
    await said('Response cache').getByText('miss: not in the cache').waitFor()
  })

  test('shows the money it saved on the overview and the usage page', async () => {
    const { total } = (await manage('GET', '/usage')).json
    assert.equal(total.cache_hits, 1)
    const exact = `$${total.saved_usd} USD`
    await page.goto(`${harness.url}/dashboard/default/overview`)
    const tile = page.locator('main').getByRole('link', { name: /^Spend/ })
    await tile.getByText('saved').getByTitle(exact).waitFor()
    await look('overview-light')
    await page.goto(`${harness.url}/dashboard/default/usage`)
    await page.getByText('saved by 1 cache hit', { exact: false }).getByTitle(exact).waitFor()
    await look('usage-light')
  })

  test('is in the dark and on a phone as accessible, and nothing scrolls sideways', async () => {
    const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const
    const other = await visit(browser, harness.url, phone)
    await signIn(other.page, harness.url, ADMIN_KEY, '/dashboard/default/routes/faq')
    await other.page.getByLabel('Also with tools').scrollIntoViewIfNeeded()
    await assertAccessible(other.page, 'the cache on a phone in the dark')
    await look('phone-dark', other.page)
    assert.equal(await other.page.evaluate('document.documentElement.scrollWidth'), 390)
    other.assertQuiet()
    await other.close()
  })

  test('is emptied: the next call is paid again', async () => {
    await page.goto(`${harness.url}/dashboard/default/routes/faq?try=call`)
    await page.getByLabel('Message').fill('Is the line clear?')
    assert.equal((await ask('hit: answered from the cache')).isPaid, false)
    await button('Purge cache').click()
    await page.getByText("Cache of 'faq' cleared").waitFor()
    assert.equal((await ask('miss: not in the cache')).isPaid, true)
    assert.equal((await ask('hit: answered from the cache')).isPaid, false)
  })

  test('is switched off again, and every call is paid', async () => {
    await page.getByLabel('Cache answers').uncheck()
    await page.getByText('Answers are not cached').waitFor()
    assert.equal(await save(), 200)
    assert.equal(await stored(), null)
    await button('Purge cache').waitFor({ state: 'detached' })
    const before = harness.upstream().length
    await button('Send').click()
    await page.locator('dt').getByText('Response cache', { exact: true }).waitFor({ state: 'detached' })
    await page.locator('dt').getByText('Provider took', { exact: true }).waitFor()
    assert.equal(harness.upstream().length, before + 1)
  })

  test('nothing went wrong behind the page', () => visited.assertQuiet())
})
