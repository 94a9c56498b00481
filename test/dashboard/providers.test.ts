import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { rootCertificates } from 'node:tls'
import type { Browser, Page } from 'playwright-core'
import { providerFromRow } from '../../src/store/control/providers.ts'
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
  // It saves what is wrong, saves over another's change and deletes what is in use, on purpose.
  visited = await visit(browser, harness.url, { expectedStatuses: [400, 409, 412], reducedMotion: 'reduce' })
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
  })
})

describe('a provider with more than a key', { concurrency: false }, () => {
  const choose = async (label: string, option: string) => {
    await drawer().getByRole('combobox', { name: label }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }

  test('is a vendor that is known: family and address follow from the preset', async () => {
    await page.goto(`${harness.url}/dashboard/default/providers`)
    await page.getByRole('button', { name: 'Add a provider' }).click()
    await drawer().getByLabel('Name', { exact: false }).first().fill('quick')
    await choose('Preset', 'groq')
    assert.equal(await drawer().getByRole('combobox', { name: 'Family' }).inputValue(), 'openai')
    await drawer().getByText('Empty: https://api.groq.com', { exact: false }).waitFor()
    await drawer().getByRole('textbox', { name: 'API key' }).fill('sk-groq-secret')
    await drawer().getByRole('button', { name: 'Add the provider' }).click()
    await drawer().getByText('as its preset knows it').waitFor()
    const { json } = await manage('GET', '/providers/quick')
    assert.deepEqual([json.preset, json.family, json.base_url], ['groq', 'openai', null])
  })

  test('has settings and secrets of its family, a proxy and authorities', async () => {
    await page.goto(`${harness.url}/dashboard/default/providers?new=1`)
    await drawer().getByLabel('Name', { exact: false }).first().fill('cloud')
    await choose('Family', 'bedrock')
    await choose('Add a setting', 'region')
    await drawer().getByRole('textbox', { name: 'region' }).fill('eu-west-1')
    await choose('Add a setting', 'auth')
    await choose('auth', 'sigv4')
    await drawer().getByLabel('access_key_id', { exact: true }).fill('Zq7-access-key-id')
    await drawer().getByLabel('secret_access_key', { exact: true }).fill('Zq7-secret-access-key')
    await drawer().getByRole('radio', { name: 'Its own' }).check()
    await drawer().getByLabel('Address of the proxy').fill('http://me:Zq7-password@127.0.0.1:9')
    await drawer().getByLabel('Certificate authorities').fill('not a certificate')
    await assertAccessible(page, 'the form of a provider with credentials')
    await drawer().getByRole('button', { name: 'Add the provider' }).click()
    await drawer().getByText('expected certificates in PEM form', { exact: false }).waitFor()
    await drawer()
      .getByLabel('Certificate authorities')
      .fill(rootCertificates[0] ?? '')
    await drawer().getByRole('button', { name: 'Add the provider' }).click()
    await drawer().getByText('access_key_id, secret_access_key').waitFor()
    await drawer().getByText('region: eu-west-1').waitFor()
    await drawer().getByText('http://me:***@127.0.0.1:9/').waitFor()
    await assertAccessible(page, 'a provider with credentials')
    assert.ok(!(await page.content()).includes('Zq7'))
    await drawer().getByRole('button', { name: 'Test cloud' }).click()
    await drawer().getByRole('status').getByText('the proxy 127.0.0.1:9 cannot be reached', { exact: false }).waitFor()
  })

  test('keeps what is not shown when it is edited', async () => {
    const before = await stored('cloud')
    await drawer().getByRole('button', { name: 'Edit' }).click()
    await drawer().getByRole('radio', { name: 'Drain' }).check()
    await drawer().getByRole('button', { name: 'Save' }).click()
    await drawer().getByText('read on to the end (drain)').waitFor()
    const { json } = await manage('GET', '/providers/cloud')
    assert.deepEqual(json.credentials, { access_key_id: '***', secret_access_key: '***' })
    assert.deepEqual(json.settings, { region: 'eu-west-1', auth: 'sigv4' })
    assert.deepEqual(await stored('cloud'), { ...before, onCallerLeft: 'drain' })
    visited.assertQuiet()
  })
})

function stored(name: string) {
  const { db, secrets } = harness.gateway.store
  const row = db.selectFrom('providers').selectAll().where('name', '=', name).executeTakeFirstOrThrow()
  return row.then((found) => providerFromRow(found, secrets))
}
