import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { ADMIN_KEY, type Harness, startHarness } from '../harness.ts'
import { gatewayAddress, startProvider, type TestProvider } from '../oidc.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, signIn, type Visit, visit } from './visit.ts'

const ANA = { sub: 'sub-ana', email: 'ana@example.com', email_verified: true, name: 'Ana' }

describe('people', () => {
  let harness: Harness
  let provider: TestProvider
  let browser: Browser
  let admin: Visit
  let page: Page

  before(async () => {
    const address = await gatewayAddress()
    provider = await startProvider([address.callback])
    harness = await startHarness({ environment: { ...provider.environment(address.url), PORT: address.port } })
    browser = await launchChromium()
    admin = await visit(browser, harness.url)
    page = admin.page
    await signIn(page, harness.url, ADMIN_KEY)
  })

  after(async () => {
    await browser?.close()
    await harness?.stop()
    await provider?.stop()
  })

  test('to invite a viewer takes four clicks', async () => {
    let clicks = 0
    const click = async (one: Locator) => {
      clicks += 1
      await one.click()
    }
    await click(page.getByRole('link', { name: 'Settings' }))
    await click(page.getByRole('tab', { name: 'People' }))
    await page.getByText('No invitations').waitFor()
    await click(page.getByRole('button', { name: 'Invite someone' }))
    await page.getByLabel('E-mail address').fill(ANA.email)
    await assertAccessible(page, 'an invite')
    await click(page.getByRole('button', { name: 'Invite', exact: true }))
    await page.getByRole('row', { name: /ana@example\.com viewer in all workspaces/ }).waitFor()
    await assertAccessible(page, 'people')
    assert.ok(clicks <= 4, `${clicks} clicks`)
  })

  test('the invited person signs in, comes to the page they asked for, and can only read', async () => {
    provider.account = ANA
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    const theirs = await context.newPage()
    theirs.setDefaultTimeout(90_000)
    await theirs.goto(`${harness.url}/dashboard/default/routes`)
    const link = theirs.getByRole('link', { name: 'Sign in with Acme ID' })
    await link.waitFor()
    await assertAccessible(theirs, 'the sign-in')
    await link.click()
    await theirs.getByRole('heading', { name: 'Routes' }).waitFor()
    assert.match(theirs.url(), /\/dashboard\/default\/routes$/)
    const create = theirs.getByRole('button', { name: 'Create a route' })
    await create.first().waitFor()
    assert.equal(await create.first().isDisabled(), true)
    await context.close()
  })

  test('a stranger is told who they are, and comes to the same page with another account', async () => {
    provider.account = { sub: 'sub-bob', email: 'bob@example.com', email_verified: true, name: 'Bob' }
    const context = await browser.newContext({ reducedMotion: 'reduce', colorScheme: 'dark' })
    const theirs = await context.newPage()
    theirs.setDefaultTimeout(90_000)
    await theirs.goto(`${harness.url}/dashboard/default/routes`)
    await theirs.getByRole('link', { name: 'Sign in with Acme ID' }).click()
    await theirs.getByText('You signed in as bob@example.com.').waitFor()
    await assertAccessible(theirs, 'a refusal')
    provider.account = ANA
    await theirs.getByRole('link', { name: 'Use another account' }).click()
    await theirs.getByRole('heading', { name: 'Routes' }).waitFor()
    assert.match(theirs.url(), /\/dashboard\/default\/routes$/)
    await context.close()
  })

  test('an admin sees them, and disabling them ends their session', async () => {
    await page.reload()
    await page.getByRole('row', { name: /^Ana/ }).waitFor()
    await page.getByRole('button', { name: 'Change Ana' }).click()
    await page.getByLabel('Disabled').check()
    await assertAccessible(page, 'a person')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /^Ana disabled/ }).waitFor()
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    const theirs = await context.newPage()
    theirs.setDefaultTimeout(90_000)
    await theirs.goto(`${harness.url}/sign-in`)
    await theirs.getByRole('heading', { name: 'Your access is disabled' }).waitFor()
    await context.close()
  })

  test('nothing went wrong behind the page', () => admin.assertQuiet())
})
