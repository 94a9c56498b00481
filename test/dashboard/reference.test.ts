import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { CONTRACT, type Contract } from '../../src/management/contract/contract.ts'
import { ADMIN_KEY, type Harness, type Json, startHarness, until } from '../harness.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, signIn, type Visit, visit } from './visit.ts'

let harness: Harness
let browser: Browser
/** The page takes seconds to build, so one serves all tests but the one of a gateway with two ports. */
let docs: Visit
let page: Page
before(async () => {
  harness = await startHarness()
  browser = await launchChromium()
  docs = await visit(browser, harness.url)
  page = docs.page
  await signIn(page, harness.url, ADMIN_KEY)
  await page.goto(`${harness.url}/docs`)
  await block(page, 'keys.create').waitFor()
})
after(async () => {
  await browser?.close()
  await harness?.stop()
})

/** The block of one operation: its id is made of tag and name, with dots escaped. */
function block(page: Page, name: string) {
  const tag = CONTRACT[name as keyof Contract]?.tag ?? 'Applications'
  return page.locator(`[id="operations-${tag.replaceAll(' ', '_')}-${name.replaceAll('.', '\\\\.')}"]`)
}

async function open(page: Page, name: string): Promise<void> {
  const body = block(page, name).locator('.opblock-body')
  if ((await body.count()) === 0) await block(page, name).locator('.opblock-summary-control').click()
  await body.waitFor()
}

/** How the renderer is built: rows that open hold buttons, selects have no names, headings skip a level, most of it is in no landmark. */
const OF_THE_RENDERER = [
  ...['nested-interactive', 'select-name', 'scrollable-region-focusable'],
  ...['heading-order', 'landmark-unique', 'region'],
]

const SHOTS = process.env['REFERENCE_SHOTS']
const look = async (name: string) => {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: false })
}

describe('/docs', () => {
  test('is allowed nothing but files and answers of the gateway, inline styles neither', async () => {
    const { headers } = await harness.get('/docs', {})
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /)
    assert.doesNotMatch(policy, /unsafe|nonce|https?:/)
  })

  test('shows every operation, and what stands in one, without another host or a broken policy', async () => {
    for (const name of ['v1.chat.completions', ...Object.keys(CONTRACT)]) {
      assert.equal(await block(page, name).count(), 1, name)
    }
    await open(page, 'keys.create')
    const shown = await block(page, 'keys.create').innerText()
    for (const text of ['Role: editor', 'Request body', 'allowed_models', '201']) assert.ok(shown.includes(text), text)
    docs.assertQuiet()
  })

  test('shows calls under /v1 with their own address, and offers no try, where they have a port of their own', async () => {
    const apart = await startHarness({ environment: { ADMIN_PORT: '0' } })
    const { page, assertQuiet, close } = await visit(browser, apart.gateway.adminUrl)
    try {
      await page.goto(`${apart.gateway.adminUrl}/docs`)
      await block(page, 'keys.list').waitFor()
      for (const [name, tries] of [
        ['v1.models.list', 0],
        ['keys.list', 1],
      ] as const) {
        await open(page, name)
        assert.equal(await block(page, name).getByRole('button', { name: 'Try it out' }).count(), tries, name)
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

  test('is dark or light as the system is, also when that changes', async () => {
    const background = () => page.evaluate('getComputedStyle(document.querySelector(".swagger-ui")).backgroundColor')
    await page.emulateMedia({ colorScheme: 'dark' })
    await until(async () => (await background()) === 'rgb(28, 32, 34)', 'the page is dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await until(async () => (await background()) === 'rgba(0, 0, 0, 0)', 'the page is light')
    assert.equal(await page.evaluate('getComputedStyle(document.documentElement).colorScheme'), 'light')
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`axe finds nothing that we could mend, ${colorScheme}, with operations open and tried`, async () => {
      await page.emulateMedia({ colorScheme })
      const opened = ['keys.create', 'keys.update', 'keys.list']
      for (const name of opened) await open(page, name)
      await assertAccessible(page, `/docs, ${colorScheme}`, OF_THE_RENDERER)
      for (const name of opened) await block(page, name).getByRole('button', { name: 'Try it out' }).click()
      await block(page, 'keys.list').getByRole('button', { name: 'Execute' }).click()
      await block(page, 'keys.list').getByRole('button', { name: 'Clear' }).waitFor()
      await block(page, 'keys.list').locator('.live-responses-table').waitFor()
      await assertAccessible(page, `/docs, tried, ${colorScheme}`, OF_THE_RENDERER)
      await look(`tried-${colorScheme}`)
      for (const name of opened) await block(page, name).getByRole('button', { name: 'Cancel' }).click()
    })
  }

  test('tries an operation with the session of the dashboard, changes too', async () => {
    await open(page, 'keys.create')
    const tried = block(page, 'keys.create')
    await tried.getByRole('button', { name: 'Try it out' }).click()
    await tried.locator('textarea').fill('{ "name": "from-docs" }')
    await tried.getByRole('button', { name: 'Execute' }).click()
    await tried.locator('.live-responses-table .response-col_status').getByText('201').waitFor()
    const listed = await harness.get('/keys', { authorization: `Bearer ${ADMIN_KEY}` })
    assert.ok(listed.json.data.some((key: { name: string }) => key.name === 'from-docs'))
    docs.assertQuiet()
  })

  test('is as wide as a phone, an opened operation too', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await open(page, 'v1.chat.completions')
    const beyond = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
    assert.ok(Number(beyond) <= 0, `${beyond} pixels too wide`)
  })

  test('shows only what its filter asks for', async () => {
    await page.getByPlaceholder('Filter by tag or path').fill('Budgets')
    await block(page, 'keys.create').waitFor({ state: 'detached' })
    await block(page, 'budgets.list').waitFor()
    docs.assertQuiet()
  })
})
