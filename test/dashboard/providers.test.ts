import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, type Harness, hello, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, signIn, type Visit, visit } from './visit.ts'

const CONFIG = `
providers:
  local: { family: openai, base_url: "\${SIMULATED}", api_key: local-key }
workspaces:
  default:
    routes:
      near: { chain: [{ provider: local, model: gpt-4o }] }
      failing: { chain: [{ provider: openai, model: gpt-sim-503, retries: 0 }] }
`

let harness: Harness
let browser: Browser
let visited: Visit
let page: Page
const manage = managing(() => harness)

before(async () => {
  harness = await startHarness({ config: CONFIG })
  browser = await launchChromium()
  // It saves over another's change and deletes what is in use, on purpose.
  visited = await visit(browser, harness.url, { expectedStatuses: [409, 412], reducedMotion: 'reduce' })
  page = visited.page
  await signIn(page, harness.url, ADMIN_KEY, '/dashboard/default/providers')
})
after(async () => {
  await visited.close()
  await browser.close()
  await harness.stop()
})

const drawer = () => page.getByRole('dialog')

describe('the providers', { concurrency: false }, () => {
  test('stand as cards; one is asked whether it answers', async () => {
    const card = page.getByRole('article', { name: 'openai' })
    await card.getByText('environment', { exact: true }).waitFor()
    await card.getByText('Not called since the gateway started').waitFor()
    await card.getByRole('button', { name: 'Test openai' }).click()
    await card.getByRole('status').getByText('The key is accepted').waitFor()
    await assertAccessible(page, 'providers')
  })

  test('show what failed, with the request it failed in', async () => {
    const failed = await harness.chat(hello('failing'))
    assert.equal(failed.status, 503)
    await page.getByRole('link', { name: 'openai', exact: true }).click()
    await drawer().getByText('Last error', { exact: false }).waitFor()
    await drawer().getByText('provider_overloaded').waitFor()
    const link = await drawer().getByRole('link', { name: 'The request' }).getAttribute('href')
    assert.equal(link, `/dashboard/default/requests/${failed.headers.get('x-gateway-request-id')}`)
    await drawer().getByText('Environment variables of the gateway set it').waitFor()
    assert.equal(await drawer().getByRole('button', { name: 'Edit' }).count(), 0)
    await assertAccessible(page, 'a provider of the environment')
    await page.keyboard.press('Escape')
    await drawer().waitFor({ state: 'detached' })
  })

  test('of the file are read-only, can be tested, and name their routes', async () => {
    await page.goto(`${harness.url}/dashboard/default/providers/local`)
    await drawer().getByText('It stands in switchyard.yaml').waitFor()
    assert.equal(await drawer().getByRole('button', { name: 'Edit' }).count(), 0)
    await drawer().getByRole('button', { name: 'Test local' }).click()
    await drawer().getByRole('status').getByText('The key is accepted').waitFor()
    await drawer().getByRole('link', { name: 'near' }).waitFor()
    await page.keyboard.press('Escape')
  })
})

describe('a provider of one’s own', { concurrency: false }, () => {
  const keyOf = async () => {
    assert.equal((await harness.chat(hello('away'))).status, 200)
    const { headers } = harness.upstream().at(-1) ?? assert.fail('nobody was called')
    return [headers['authorization'], headers['x-team']]
  }

  test('is added, and a route uses it', async () => {
    await page.getByRole('button', { name: 'Add a provider' }).click()
    await drawer().getByLabel('Name', { exact: false }).first().fill('edge')
    await drawer().getByRole('combobox', { name: 'Family' }).click()
    await page.getByRole('option', { name: 'openai' }).click()
    await drawer().getByLabel('Base URL').fill(harness.simulator.openaiUrl)
    await drawer().getByRole('textbox', { name: 'API key' }).fill('sk-first-secret')
    await drawer().getByRole('button', { name: 'Add a header' }).click()
    await drawer().getByLabel('Name of header 1').fill('x-team')
    await drawer().getByLabel('Value of header 1').fill('research')
    await assertAccessible(page, 'the form of a new provider')
    await page.keyboard.press('Enter')
    await drawer().getByText('set, not shown').waitFor()
    assert.equal(new URL(page.url()).pathname, '/dashboard/default/providers/edge')
    await manage('PUT', '/routes/away', { chain: [{ provider: 'edge', model: 'gpt-4o' }] })
    assert.deepEqual(await keyOf(), ['Bearer sk-first-secret', 'research'])
  })

  test('has its key replaced while its header stays', async () => {
    await drawer().getByRole('button', { name: 'Edit' }).click()
    await drawer().getByRole('button', { name: 'Replace' }).click()
    await drawer().getByRole('textbox', { name: 'New API key' }).fill('sk-second-secret')
    await drawer().getByRole('radio', { name: 'Drain' }).check()
    await assertAccessible(page, 'the form of a provider')
    await drawer().getByRole('button', { name: 'Save' }).click()
    await drawer().getByText('read on to the end (drain)').waitFor()
    await drawer().getByRole('button', { name: 'Edit' }).waitFor()
    assert.deepEqual(await keyOf(), ['Bearer sk-second-secret', 'research'])
    assert.ok(!(await page.content()).includes('sk-second-secret'))
  })

  test('does not take a change over somebody else’s', async () => {
    await drawer().getByRole('button', { name: 'Edit' }).click()
    await drawer().getByLabel('Base URL').fill(`${harness.simulator.openaiUrl}/mine`)
    await manage('PUT', '/providers/edge', { family: 'openai', base_url: harness.simulator.openaiUrl, headers: null })
    await drawer().getByRole('button', { name: 'Save' }).click()
    await drawer().getByRole('alert').getByText('Somebody changed this').waitFor()
    await drawer().getByRole('button', { name: 'Load the newer version' }).click()
    await drawer().getByLabel('Name of header 1').waitFor({ state: 'detached' })
    assert.equal(await drawer().getByLabel('Base URL').inputValue(), harness.simulator.openaiUrl)
    await drawer().getByRole('button', { name: 'Cancel' }).click()
  })

  test('is deleted once no route names it', async () => {
    await drawer().getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('dialog', { name: 'Delete edge?' })
    await question.getByText('One route names it').waitFor()
    await assertAccessible(page, 'the question before a provider is deleted')
    await question.getByRole('button', { name: 'Delete the provider' }).click()
    await question.getByRole('alert').getByText('away').waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await manage('DELETE', '/routes/away')
    await drawer().getByRole('button', { name: 'Delete' }).click()
    await question.getByRole('button', { name: 'Delete the provider' }).click()
    await page.getByText('edge is deleted.').waitFor()
    assert.equal((await manage('GET', '/providers/edge')).status, 404)
    visited.assertQuiet()
  })
})
