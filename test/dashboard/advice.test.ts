import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { ADMIN_KEY, type Harness, hello, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, settled, signIn, type Visit, visit } from './visit.ts'

const CHAIN = [
  { provider: 'openai', model: 'gpt-4o' },
  { provider: 'openai', model: 'gpt-4o-mini' },
]

/** A dear model is asked first, and a cheaper one stands behind it. */
describe('what calls could have cost less', () => {
  let harness: Harness
  let browser: Browser
  let visited: Visit
  let keyId = ''
  const manage = managing(() => harness)

  before(async () => {
    harness = await startHarness()
    assert.ok((await manage('PUT', '/routes/dear', { chain: CHAIN })).status < 300)
    const { json } = await manage('POST', '/keys', { name: 'saver' })
    keyId = json.id
    for (let calls = 0; calls < 3; calls++) {
      const { status } = await harness.chat(hello('dear'), { authorization: `Bearer ${json.value}` })
      assert.equal(status, 200)
    }
    await harness.rows()
    browser = await launchChromium()
    visited = await visit(browser, harness.url)
    await signIn(visited.page, harness.url, ADMIN_KEY)
  })
  after(async () => {
    await browser?.close()
    await harness?.stop()
  })

  for (const [of, path] of [
    ['a key', () => `keys/${keyId}`],
    ['a route', () => 'routes/dear'],
  ] as const) {
    test(`of ${of}: asked for with a click, it names the cheaper member`, async () => {
      const { page, assertQuiet } = visited
      await openPage(page, `/dashboard/default/${path()}`)
      await page.getByRole('button', { name: 'Show savings' }).click()
      await page.getByText('Last 30 days: 3 calls').waitFor()
      await page
        .getByRole('listitem')
        .filter({ hasText: /gpt-4o-mini is part of the route "dear".* 3 calls would/ })
        .waitFor()
      await settled(page)
      await assertAccessible(page, `savings of ${of}`)
      assertQuiet()
    })
  }
})
