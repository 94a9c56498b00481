import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { type Harness, hello, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, settled, signIn, visit } from './visit.ts'

const CONFIG = `
workspaces:
  default:
    routes:
      fast: { chain: [{ provider: openai, model: gpt-4o }] }
  other: {}
`

/** Every page, what opens on it, and what links of other people lead to. */
const PLACES = [
  ...['overview', 'requests', 'usage', 'usage?workspaces=all', 'budgets', 'performance', 'alerts', 'alerts?new=1'],
  ...['catalog', 'catalog/fast', 'playground', 'routes', 'routes/fast', 'routes?new=1', 'keys', 'keys?new=1'],
  ...['providers', 'providers/openai', 'providers?new=1', 'registry', 'registry/openai/gpt-4o', 'registry?new=1'],
  ...['registry?import=1', 'audit', 'settings', 'settings/people', 'settings/people?new=1', 'settings/admin-keys'],
  ...['settings/admin-keys?new=1', 'settings/sessions', 'settings/configuration', 'settings/ledger', 'settings/about'],
  ...['settings/workspaces/default', 'settings/workspaces?new=1'],
]

const GONE = [
  'requests/gone',
  'routes/gone',
  'keys/gone',
  'providers/gone',
  'registry/openai/gone',
  'catalog/gone',
  'gone',
]

describe('who may only look', () => {
  let harness: Harness
  let browser: Browser
  const manage = managing(() => harness)

  before(async () => {
    harness = await startHarness({ config: CONFIG })
    browser = await launchChromium()
    await harness.chat(hello('fast'))
    await harness.rows()
  })
  after(async () => {
    await browser?.close()
    await harness?.stop()
  })

  for (const workspaces of [null, ['default']]) {
    const where = workspaces === null ? 'in all workspaces' : 'in one workspace'
    test(`${where}: no page asks for what is refused, and nothing can be begun`, async () => {
      const { json } = await manage('POST', '/admin-keys', {
        name: `looks-${where.length}`,
        role: 'viewer',
        workspaces,
      })
      const { page, assertQuiet, close } = await visit(browser, harness.url)
      const refused: string[] = []
      page.on('response', (response) => {
        if (response.status() === 403) refused.push(`${new URL(page.url()).pathname}: ${response.url()}`)
      })
      await signIn(page, harness.url, json.value)
      for (const place of PLACES) {
        await openPage(page, `/dashboard/default/${place}`)
        await settled(page)
        const submits = page.locator('[type=submit]:not([disabled])')
        assert.equal(await submits.count(), 0, `${place} has a form to send`)
      }
      await openPage(page, '/dashboard/default/settings/ledger')
      await page.getByText('You don’t have access to this').waitFor()
      await assertAccessible(page, 'a part that the role does not include')
      assert.deepEqual(refused, [])
      assertQuiet()
      await close()
    })
  }

  test('what is gone is said on a page that leads on', async () => {
    const { json } = await manage('POST', '/admin-keys', { name: 'late', role: 'viewer' })
    const { page, assertQuiet, close } = await visit(browser, harness.url, { expectedStatuses: [404] })
    await signIn(page, harness.url, json.value)
    for (const place of GONE) {
      await openPage(page, `/dashboard/default/${place}`)
      await settled(page)
      await page
        .getByText(/There is no |does not have this|Not in the catalog/)
        .first()
        .waitFor()
      assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, place)
      await assertAccessible(page, place)
    }
    assertQuiet()
    await close()
  })
})
