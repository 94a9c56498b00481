import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, type Harness, hello, type Json, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, signIn, type Visit, visit } from './visit.ts'

const CONFIG = `
workspaces:
  default:
    streaming: true
  fixed:
    guardrail: { url: "https://guardrail.example/check", after: true, on_failure: open }
`
const SHOTS = process.env['GUARDRAIL_SHOTS']

describe('the guardrail of a workspace', () => {
  /** Blocks everything, and remembers what it was asked. */
  const asked: { signed: string; signature: string; body: Json }[] = []
  const guardrail = createServer(async (request, response) => {
    const text = (await buffer(request)).toString()
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = request.headers
    asked.push({ signed: `${id}.${at}.${text}`, signature: String(signature), body: JSON.parse(text) })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ action: 'block', message: 'Not here, please.', reason: 'off_topic' }))
  })
  let harness: Harness
  let browser: Browser
  let visited: Visit
  let page: Page
  let url: string
  const manage = managing(() => harness)
  const stored = async (workspace = 'default') => (await manage('GET', `/workspaces/${workspace}`)).json.guardrail

  before(async () => {
    await new Promise<void>((resolve) => guardrail.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(guardrail.address() as AddressInfo).port}/check`
    harness = await startHarness({ config: CONFIG, environment: { SECRETS_KEY: 'a-key-for-guardrails' } })
    browser = await launchChromium()
    // Addresses and times that the gateway refuses.
    visited = await visit(browser, harness.url, { expectedStatuses: [400], viewport: { width: 1440, height: 1000 } })
    page = visited.page
    await signIn(page, harness.url, ADMIN_KEY, '/dashboard/default/settings/workspaces/default')
  })
  after(async () => {
    await browser?.close()
    await harness?.stop()
    guardrail.closeAllConnections()
    guardrail.close()
  })

  const drawer = (of = page) => of.getByRole('dialog', { name: 'default' })
  const field = (name: string) => drawer().getByLabel(name)
  const toggle = () => drawer().getByRole('switch', { name: /^Guardrail/ })
  const note = (of = page) => drawer(of).getByText('Nothing streams while answers are checked')
  const look = async (name: string, of = page) => {
    if (SHOTS !== undefined) await of.screenshot({ path: `${SHOTS}/${name}.png` })
  }
  async function save(status = 200): Promise<void> {
    const answered = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await drawer().getByRole('button', { name: 'Save' }).click()
    assert.equal((await answered).status(), status)
  }

  test('is off, and asks for an address and for something to check', async () => {
    const button = drawer().getByRole('button', { name: 'Save' })
    await toggle().waitFor()
    assert.equal(await toggle().isChecked(), false)
    await toggle().click()
    assert.equal(await button.isDisabled(), true)
    await field('Address').fill('ftp://nowhere')
    assert.equal(await button.isEnabled(), true)
    await field('Requests, before a provider is called').click()
    await drawer().getByText('Choose at least one').waitFor()
    assert.equal(await button.isDisabled(), true)
    await field('Requests, before a provider is called').click()
  })

  test('has what the gateway refuses told at its field', async () => {
    await save(400)
    await drawer().getByText('expected an http:// or https:// address').waitFor()
    assert.equal(await field('Address').getAttribute('aria-invalid'), 'true')
    await field('Address').fill(url)
    await field('Timeout').fill('10')
    await save(400)
    await page.locator('[aria-invalid=true]').and(field('Timeout')).waitFor()
    assert.notEqual(await field('Address').getAttribute('aria-invalid'), 'true')
    await assertAccessible(page, 'a guardrail with a problem')
    assert.equal(await stored(), null)
  })

  test('is set with its timeout and what happens without a verdict, and holds from the next call on', async () => {
    await field('Timeout').fill('30000')
    await field('Let it pass').click()
    await save()
    assert.deepEqual(await stored(), { url, before: true, after: false, timeout_ms: 30_000, on_failure: 'open' })
    const { status, json } = await harness.chat(hello('gpt-4o-mini'))
    assert.deepEqual([status, json.error.code, json.error.message], [400, 'blocked_by_guardrail', 'Not here, please.'])
    assert.equal(asked.at(-1)?.body.type, 'guardrail.before')
  })

  test('shows the secret that verifies its questions, when asked for', async () => {
    await drawer().getByRole('button', { name: 'Show the secret' }).click()
    const shown = drawer().getByRole('status', { name: 'Guardrail secret' })
    await shown.scrollIntoViewIfNeeded()
    await assertAccessible(page, 'the secret of a guardrail')
    await look('secret')
    const key = Buffer.from((await shown.innerText()).trim().replace('whsec_', ''), 'base64')
    const [question] = asked.slice(-1)
    assert.ok(question !== undefined)
    assert.equal(question.signature, `v1,${createHmac('sha256', key).update(question.signed).digest('base64')}`)
  })

  test('says that nothing streams where answers are checked, and nothing does', async () => {
    assert.equal(await note().count(), 0)
    await field('Requests, before a provider is called').click()
    await field('Answers, before the caller gets them').click()
    await note().waitFor()
    await field('Address').scrollIntoViewIfNeeded()
    await assertAccessible(page, 'a guardrail for answers')
    await look('light')
    await save()
    const { before: isBefore, after: isAfter } = await stored()
    assert.deepEqual([isBefore, isAfter], [false, true])
    assert.equal((await harness.chat({ ...hello('gpt-4o-mini'), stream: true })).status, 501)
    assert.equal((await harness.chat(hello('gpt-4o-mini'))).json.error.code, 'blocked_by_guardrail')
    assert.equal(asked.at(-1)?.body.type, 'guardrail.after')
  })

  test('is readable in the dark and on a phone', async () => {
    const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const
    const other = await visit(browser, harness.url, phone)
    await signIn(other.page, harness.url, ADMIN_KEY, '/dashboard/default/settings/workspaces/default')
    await note(other.page).scrollIntoViewIfNeeded()
    await assertAccessible(other.page, 'a guardrail on a phone')
    await look('phone-dark', other.page)
    other.assertQuiet()
    await other.close()
  })

  test('is switched off again', async () => {
    await toggle().click()
    await save()
    assert.equal(await stored(), null)
    await drawer().getByRole('button', { name: 'Show the secret' }).waitFor({ state: 'detached' })
    await drawer().getByRole('status', { name: 'Guardrail secret' }).waitFor({ state: 'detached' })
    const before = asked.length
    assert.equal((await harness.chat(hello('gpt-4o-mini'))).status, 200)
    assert.equal(asked.length, before)
  })

  test('of the file is shown and cannot be changed, while the rest can', async () => {
    await openPage(page, '/dashboard/default/settings/workspaces/fixed')
    const fixed = page.getByRole('dialog', { name: 'fixed' })
    await fixed.getByLabel('Address').waitFor()
    assert.equal(await fixed.getByLabel('Address').inputValue(), 'https://guardrail.example/check')
    for (const name of ['Address', 'Answers, before the caller gets them', 'Timeout', 'Let it pass']) {
      assert.equal(await fixed.getByLabel(name).isDisabled(), true, name)
    }
    await fixed.getByLabel('Description').fill('checked by the file')
    await fixed.getByRole('button', { name: 'Save' }).click()
    await page.getByText('fixed saved').waitFor()
    assert.equal((await stored('fixed')).url, 'https://guardrail.example/check')
  })

  test('comes with a new workspace', async () => {
    await openPage(page, '/dashboard/default/settings/workspaces?new=1')
    const dialog = page.getByRole('dialog', { name: 'Create a workspace' })
    await dialog.getByLabel('Name').fill('lab')
    await dialog.getByRole('switch', { name: /^Guardrail/ }).click()
    await dialog.getByLabel('Address').fill(url)
    await dialog.getByRole('button', { name: 'Create the workspace' }).click()
    await page.getByText('Workspace lab created').waitFor()
    assert.equal((await stored('lab')).url, url)
  })

  test('nothing went wrong behind the page', () => visited.assertQuiet())
})
