import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { CONTRACT } from '../../src/management/contract/contract.ts'
import { ADMIN_KEY, type Harness, type Json, KEY, startHarness, until } from '../harness.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, assertReadable, signIn, type Visit, visit } from './visit.ts'

let harness: Harness
let browser: Browser
let docs: Visit
let page: Page
before(async () => {
  harness = await startHarness()
  browser = await launchChromium()
  docs = await visit(browser, harness.url)
  page = docs.page
  await signIn(page, harness.url, ADMIN_KEY)
})
after(async () => {
  await browser?.close()
  await harness?.stop()
})

async function open(on: Page, url: string, operation = ''): Promise<void> {
  await on.goto(`${url}/docs#${operation}`)
  await on.getByRole('heading', { level: 1 }).waitFor()
}

const region = (name: string) => page.getByRole('region', { name, exact: true })

describe('/docs', () => {
  test('is allowed nothing but files and answers of the gateway, and styles with its nonce', async () => {
    const { headers } = await harness.get('/docs', {})
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w+/=]+'; /)
    assert.doesNotMatch(policy, /unsafe|https?:/)
  })

  test('lists every operation, and shows each without another host or a broken policy', async () => {
    await open(page, harness.url)
    for (const name of ['v1.chat.completions', ...Object.keys(CONTRACT)]) {
      assert.equal(await page.locator(`nav a[href="#${name}"]`).count(), 1, name)
    }
    await page.locator('nav a[href="#keys.create"]').click()
    await page.getByRole('heading', { level: 1, name: CONTRACT['keys.create'].summary }).waitFor()
    const shown = await page.getByRole('article').innerText()
    for (const text of ['Role: editor', 'Request body', 'allowed_models', '201']) assert.ok(shown.includes(text), text)
    docs.assertQuiet()
  })

  test('shows how each format writes the same error', async () => {
    await open(page, harness.url)
    const errors = await region('Errors').innerText()
    for (const text of ['/v1/chat/completions', '/v1/messages', 'billing_error', 'budget_exceeded', 'request_id']) {
      assert.ok(errors.includes(text), text)
    }
  })

  test('finds operations by words, and says where none matches', async () => {
    await open(page, harness.url)
    const search = page.getByRole('searchbox', { name: 'Search operations' })
    await search.fill('rotate key')
    await page.locator('nav a[href="#keys.list"]').waitFor({ state: 'detached' })
    assert.equal(await page.locator('nav a[href="#keys.rotate"]').count(), 1)
    await search.fill('no such thing')
    await page.getByText('No operation matches.').waitFor()
    await search.fill('')
  })

  test('has samples in three languages with this address', async () => {
    await open(page, harness.url, 'v1.chat.completions')
    const sample = region('Code sample')
    for (const [language, text] of [
      ['curl', `curl ${harness.url}/v1/chat/completions`],
      ['Python', `OpenAI(base_url="${harness.url}/v1"`],
      ['TypeScript', "import OpenAI from 'openai'"],
    ] as const) {
      await sample.getByText(language, { exact: true }).click()
      await until(async () => (await sample.innerText()).includes(text), `${language}: ${text}`)
    }
  })

  test('tries an operation with the session of the dashboard, changes too', async () => {
    await open(page, harness.url, 'keys.create')
    await page.getByRole('textbox', { name: 'Request body' }).fill('{ "name": "from-docs" }')
    await page.getByRole('button', { name: 'Send' }).click()
    await region('Response').waitFor()
    assert.match(await region('Response').innerText(), /"name": "from-docs"/)
    const listed = await harness.get('/keys', { authorization: `Bearer ${ADMIN_KEY}` })
    assert.ok(listed.json.data.some((key: { name: string }) => key.name === 'from-docs'))
    docs.assertQuiet()
  })

  test('tries a call with a gateway key, and says what is wrong with a body', async () => {
    await open(page, harness.url, 'v1.chat.completions')
    await page.getByLabel('Gateway key').fill(KEY)
    await page.getByRole('textbox', { name: 'Request body' }).fill('{ "model": ')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('The body is not valid JSON.').waitFor()
    await page
      .getByRole('textbox', { name: 'Request body' })
      .fill('{ "model": "gpt-4o", "messages": [{ "role": "user", "content": "Hi" }] }')
    await page.getByRole('button', { name: 'Send' }).click()
    await region('Response').waitFor()
    assert.match(await region('Response').innerText(), /"chat.completion"/)
    await page.getByLabel('Gateway key').fill('')
    docs.assertQuiet()
  })

  test('shows calls with their own address, and offers no try, where they have a port of their own', async () => {
    const apart = await startHarness({ environment: { ADMIN_PORT: '0' } })
    const { page: other, assertQuiet, close } = await visit(browser, apart.gateway.adminUrl)
    try {
      for (const [name, tries] of [
        ['v1.models.list', 0],
        ['keys.list', 1],
      ] as const) {
        await open(other, apart.gateway.adminUrl, name)
        assert.equal(await other.getByRole('button', { name: 'Send' }).count(), tries, name)
      }
      const { json } = await harness.get('/openapi.json', {})
      assert.equal(json.paths['/v1/models'].servers, undefined)
      const own = (await (await fetch(`${apart.gateway.adminUrl}/openapi.json`)).json()) as Json
      assert.equal(own.paths['/v1/models'].servers[0].url, `http://{host}:${new URL(apart.url).port}`)
      assert.equal(own.paths['/keys'].servers, undefined)
      assertQuiet()
    } finally {
      await close()
      await apart.stop()
    }
  })

  for (const [colorScheme, assertGood] of [
    ['light', assertAccessible],
    ['dark', assertReadable],
  ] as const) {
    test(`axe finds nothing, ${colorScheme}: introduction, an operation, a tried one`, async () => {
      await page.emulateMedia({ colorScheme })
      await open(page, harness.url)
      await assertGood(page, `/docs, ${colorScheme}`)
      await open(page, harness.url, 'keys.list')
      await page.getByRole('button', { name: 'Send' }).click()
      await region('Response').waitFor()
      await assertGood(page, `/docs, tried, ${colorScheme}`)
      await open(page, harness.url, 'v1.messages')
      await assertGood(page, `/docs, a call, ${colorScheme}`)
    })
  }

  test('is as wide as a phone, and opens its list there', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    for (const name of ['', 'v1.chat.completions', 'usage.get']) {
      await open(page, harness.url, name)
      const beyond = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
      assert.ok(Number(beyond) <= 0, `${name}: ${beyond} pixels too wide`)
    }
    await page.getByRole('button', { name: 'Operations' }).click()
    await page.locator('nav a[href="#keys.list"]').click()
    await page.getByRole('heading', { level: 1, name: CONTRACT['keys.list'].summary }).waitFor()
    assert.equal(await page.getByRole('searchbox').isVisible(), false)
    docs.assertQuiet()
  })
})
