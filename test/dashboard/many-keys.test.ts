import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, type Harness, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, settled, signIn, type Visit, visit } from './visit.ts'

const COUNT = 3_000
const names = Array.from({ length: COUNT }, (_, index) => `app-${String(index).padStart(4, '0')}`)
const CONFIG = `
workspaces:
  default:
    keys:
${names.map((name) => `      ${name}: {}`).join('\n')}
`

describe('three thousand keys', { concurrency: false }, () => {
  let harness: Harness
  let browser: Browser
  let visited: Visit
  let page: Page
  const manage = managing(() => harness)
  const links = () => page.locator('tbody a.row-link')
  const shown = async () => links().allTextContents()

  before(async () => {
    harness = await startHarness({ config: CONFIG })
    browser = await launchChromium()
    visited = await visit(browser, harness.url)
    page = visited.page
    await signIn(page, harness.url, ADMIN_KEY, '/dashboard/default/keys')
  })
  after(async () => {
    await browser.close()
    await harness.stop()
  })

  test('stand newest first as the gateway lists them; those that follow come below', async () => {
    await links().first().waitFor()
    await settled(page)
    const { data } = (await manage('GET', '/keys?limit=500')).json
    const newest = data.map((key: { name: string }) => key.name)
    assert.deepEqual(await shown(), newest.slice(0, 200))
    for (const more of ['Show 200 more of 300+', 'Show 100 more of 100+']) {
      await page.getByRole('button', { name: more }).click()
    }
    await page.getByRole('button', { name: 'Show older keys' }).click()
    await links().nth(500).waitFor()
    assert.deepEqual((await shown()).slice(0, 500), newest)
  })

  test('are searched by the gateway, which finds one that was never read', async () => {
    await page.getByRole('searchbox', { name: 'Search keys' }).fill('PP-0007')
    await page.waitForURL(/search=PP-0007/)
    await links().getByText('app-0007').waitFor()
    assert.deepEqual(await shown(), ['app-0007'])
    await assertAccessible(page, 'a key found among thousands')
  })

  test('of a value that is pasted only the beginning is kept and sent', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const [key] = (await manage('GET', '/keys?search=app-0042')).json.data
    await page.getByRole('searchbox', { name: 'Search keys' }).fill(`${key.prefix}SecretSecretSecretSecret`)
    await links().getByText('app-0042').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('search'), key.prefix)
    assert.deepEqual(
      asked.filter((url) => url.includes('Secret')),
      [],
    )
  })

  test('are sorted once all of them are read', async () => {
    await page.getByRole('searchbox', { name: 'Search keys' }).fill('')
    await page.getByRole('button', { name: /^Show .*(more|older)/ }).waitFor()
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    await page.waitForURL(/sort=name/)
    await links().getByText('app-0000').waitFor()
    assert.deepEqual(await shown(), names.slice(0, 200))
  })

  test('and nothing went wrong behind it', () => visited.assertQuiet())
})
