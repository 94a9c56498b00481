import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, type Harness, startHarness } from '../harness.ts'
import { auditOf, managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, settled, signIn, type Visit, visit } from './visit.ts'

const SHOTS = process.env['CONTENT_SHOTS']

describe('what was said', () => {
  let harness: Harness
  let browser: Browser
  let visited: Visit
  let page: Page
  let id: string
  const manage = managing(() => harness)

  const say = async () => {
    const messages = [
      { role: 'system', content: 'You are the support desk of a bakery. Be brief.' },
      { role: 'user', content: 'My order TICKET-4711 is late, write to ada@bakery.example' },
    ]
    const answer = await harness.chat({ model: 'gpt-4o-mini', messages })
    return answer.headers.get('x-gateway-request-id') ?? ''
  }

  before(async () => {
    harness = await startHarness({ environment: { SECRETS_KEY: 'a-key-for-stored-content' } })
    browser = await launchChromium()
    visited = await visit(browser, harness.url, { viewport: { width: 1440, height: 1000 } })
    page = visited.page
    id = await say()
    await signIn(page, harness.url, ADMIN_KEY, `/dashboard/default/requests/${id}`)
  })
  after(async () => {
    await browser?.close()
    await harness?.stop()
  })

  const show = () => page.getByRole('button', { name: 'Show what was said' })
  const look = async (name: string, of = page) => {
    if (SHOTS !== undefined) await of.screenshot({ path: `${SHOTS}/${name}.png` })
  }

  test('is not offered where the workspace stores nothing', async () => {
    await page.getByRole('heading', { name: 'Attempts' }).waitFor()
    await settled(page)
    assert.equal(await show().count(), 0)
  })

  test('is switched on in the settings of the workspace', async () => {
    await openPage(page, '/dashboard/default/settings/workspaces/default')
    const drawer = page.getByRole('dialog', { name: 'default' })
    await drawer.getByRole('switch', { name: /Store prompts and answers/ }).click()
    await drawer.getByLabel('Days until it is deleted').fill('5')
    await drawer.getByLabel('E-mail addresses').check()
    await drawer.getByLabel('Further patterns').fill('ticket: TICKET-[0-9]+')
    await assertAccessible(page, 'content of a workspace')
    await look('settings')
    await drawer.getByRole('button', { name: 'Save' }).click()
    await page.getByText('default saved').waitFor()
    assert.deepEqual((await manage('GET', '/workspaces/default')).json.content, {
      retention_days: 5,
      redact: ['secret', 'card', 'email'],
      patterns: [{ name: 'ticket', regex: 'TICKET-[0-9]+' }],
    })
  })

  test('is read beside the request when asked for, once, as a conversation or raw', async () => {
    id = await say()
    await openPage(page, `/dashboard/default/requests/${id}`)
    await show().waitFor()
    assert.deepEqual(await auditOf(manage, `requests/${id}`), [])
    await show().click()
    await page.getByText('My order [redacted:ticket] is late, write to [redacted:email]').first().waitFor()
    await page.getByText('email redacted').waitFor()
    await assertAccessible(page, 'what was said')
    await look('light')
    assert.equal((await auditOf(manage, `requests/${id}`)).length, 1)
    await page.getByRole('switch', { name: 'Raw' }).click()
    await page.getByLabel('Request as stored').getByText('"messages"').waitFor()
    await look('raw')
  })

  test('is part of the command that is copied', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.match(await page.evaluate('navigator.clipboard.readText()'), /My order \[redacted:ticket\] is late/)
  })

  test('is replayed in the playground, beside another model', async () => {
    await page.getByRole('button', { name: 'Replay with another model' }).click()
    await page.waitForURL(/playground\?model=gpt-4o-mini&against=/)
    assert.match(await page.getByLabel('Message 2, user').inputValue(), /My order/)
    const other = page.getByRole('combobox', { name: 'Compare with' })
    await other.pressSequentially('gpt-of-my-own')
    await page.getByRole('option', { name: 'gpt-of-my-own' }).waitFor()
    await other.press('Enter')
    await page.getByRole('button', { name: 'Send to both' }).click()
    await page.getByText('openai · gpt-of-my-own').waitFor()
    await assertAccessible(page, 'a replayed request')
    await look('replay')
    assert.doesNotMatch(page.url(), /order/)
    await openPage(page, `/dashboard/default/requests/${id}`)
    await show().click()
    await page.getByText('My order').first().waitFor()
  })

  test('is deleted there, after a question', async () => {
    const question = page.getByRole('dialog', { name: 'Delete stored content?' })
    const ask = page.getByRole('button', { name: 'Delete content' })
    await ask.click()
    await question.waitFor()
    await assertAccessible(page, 'before content is deleted')
    await look('delete')
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    assert.equal((await manage('GET', `/requests/${id}/content`)).status, 200)
    await ask.click()
    await question.getByRole('button', { name: 'Delete content' }).click()
    await page.getByText('Content deleted.').waitFor()
    assert.equal((await manage('GET', `/requests/${id}/content`)).status, 404)
  })

  test('is not offered to a viewer', async () => {
    const { value } = (await manage('POST', '/admin-keys', { name: 'looker', role: 'viewer' })).json
    const other = await visit(browser, harness.url)
    await signIn(other.page, harness.url, value, `/dashboard/default/requests/${id}`)
    await other.page.getByRole('heading', { name: 'Attempts' }).waitFor()
    await settled(other.page)
    assert.equal(await other.page.getByRole('button', { name: 'Show what was said' }).count(), 0)
    other.assertQuiet()
    await other.close()
  })

  test('is readable in the dark and on a phone', async () => {
    const phone = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const
    const other = await visit(browser, harness.url, phone)
    await signIn(other.page, harness.url, ADMIN_KEY, `/dashboard/default/requests/${await say()}`)
    await other.page.getByRole('button', { name: 'Show what was said' }).click()
    const said = other.page.getByText('My order [redacted:ticket]').first()
    await said.waitFor()
    await said.scrollIntoViewIfNeeded()
    await look('phone-dark', other.page)
    await assertAccessible(other.page, 'on a phone')
    other.assertQuiet()
    await other.close()
  })

  test('nothing went wrong behind the page', () => visited.assertQuiet())
})
