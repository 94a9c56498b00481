import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, type Harness, hello, type Json, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, signIn, type Visit, visit } from './visit.ts'

const CONFIG = `
providers:
  local: { family: openai, base_url: "\${SIMULATED}", api_key: local-key }
registry:
  - { provider: local, model: filed, input_per_mtok: "1", output_per_mtok: "2" }
`

let harness: Harness
let browser: Browser
let visited: Visit
let page: Page
const manage = managing(() => harness)

before(async () => {
  harness = await startHarness({ config: CONFIG })
  browser = await launchChromium()
  // A model that the registry does not have is looked for on purpose.
  visited = await visit(browser, harness.url, { expectedStatuses: [404], reducedMotion: 'reduce' })
  page = visited.page
  await signIn(page, harness.url, ADMIN_KEY, '/dashboard/default/registry')
})
after(async () => {
  await visited.close()
  await browser.close()
  await harness.stop()
})

const drawer = () => page.getByRole('dialog')
const table = () => page.getByRole('region', { name: 'Models' }).getByRole('table')
const priceOf = async (path: string) => (await manage('GET', `/registry/${path}`)).json.input_per_mtok

describe('the models', { concurrency: false }, () => {
  test('are searched, filtered and sorted, and the address keeps it', async () => {
    await table().getByRole('link', { name: 'gpt-4o', exact: true }).waitFor()
    await assertAccessible(page, 'registry')
    await page.getByRole('searchbox', { name: 'Search models, aliases, capabilities' }).fill('gpt-4o')
    await page.waitForURL(/search=gpt-4o/)
    await page.getByRole('button', { name: 'Input' }).click()
    await page.waitForURL(/search=gpt-4o&sort=-input/)
    await page.reload()
    await table().getByRole('columnheader', { name: 'Input' }).waitFor()
    assert.equal(await table().getByRole('columnheader', { name: 'Input' }).getAttribute('aria-sort'), 'descending')
    const names = await table().getByRole('link').allTextContents()
    assert.ok(names.length > 1 && names.every((name) => name.includes('gpt-4o')), names.join())
  })

  test('that match nothing are told so', async () => {
    await openPage(page, '/dashboard/default/registry?search=no-such-model')
    await page.getByText('No model matches').waitFor()
    await assertAccessible(page, 'no model')
    await page.getByRole('link', { name: 'Show every model' }).click()
    await table().waitFor()
  })

  test('of the file are read-only; one that is not there can be added', async () => {
    await openPage(page, '/dashboard/default/registry/local/filed?search=local')
    await drawer().getByText('Managed by switchyard.yaml').waitFor()
    assert.equal(await drawer().getByRole('button', { name: 'Edit' }).count(), 0)
    await openPage(page, '/dashboard/default/registry/local/org%2Fnew-one?search=local')
    await drawer().getByText('The registry does not have this model').waitFor()
    await assertAccessible(page, 'an unknown model')
    await drawer().getByRole('button', { name: 'Set its prices' }).click()
    await drawer().getByRole('textbox', { name: 'Input', exact: true }).fill('0.2')
    await drawer().getByRole('textbox', { name: 'Output', exact: true }).fill('0.8')
    await drawer().getByRole('button', { name: 'Add a price per unit' }).click()
    await drawer().locator('input[aria-label="Name of unit 1"]').fill('audio_input')
    await drawer().getByRole('textbox', { name: 'USD per 1,000 of unit 1' }).fill('4.3')
    await drawer().getByRole('textbox', { name: 'At least of unit 1' }).fill('10000')
    await drawer().getByRole('button', { name: 'Add the model' }).click()
    await drawer().getByText('in force', { exact: true }).waitFor()
    assert.equal(await priceOf('local/org%2Fnew-one'), '0.2')
    await drawer().getByText('audio_input, 1,000 × minute of audio, at least 10 s').waitFor()
    assert.deepEqual((await manage('GET', '/registry/local/org%2Fnew-one')).json.unit_prices, [
      { name: 'audio_input', unit: 'audio_minute', usd_per_1000: '4.3', minimum_ms: 10_000 },
    ])
  })
})

describe('a change of prices', { concurrency: false }, () => {
  test('is a new version of the history; a call already made keeps its cost', async () => {
    const answer = await harness.chat(hello('gpt-4o'))
    const id = answer.headers.get('x-gateway-request-id')
    const costOf = async () => (await manage('GET', `/requests/${id}`)).json.cost_usd
    const cost = await costOf()
    assert.match(cost, /^0\.0*[1-9]/)
    await openPage(page, '/dashboard/default/registry/openai/gpt-4o?search=gpt-4o')
    await drawer().getByRole('button', { name: 'Edit' }).click()
    await drawer().getByText('Calls already made keep their cost').waitFor()
    const input = drawer().getByRole('textbox', { name: 'Input', exact: true })
    await input.fill('2,75')
    await drawer().getByText('a price is a number with at most six decimals').waitFor()
    await assertAccessible(page, 'the form of a model')
    await input.fill('2.75')
    await input.press('Enter')
    const history = drawer().getByRole('list').filter({ hasText: '+10 %' })
    await history.getByText('+10 %').waitFor()
    assert.equal(await history.getByRole('listitem').count(), 2)
    await assertAccessible(page, 'a model with its history')
    const { data } = (await manage('GET', '/registry/openai/gpt-4o/history')).json
    assert.deepEqual(
      data.map((version: Json) => version.input_per_mtok),
      ['2.75', '2.5'],
    )
    assert.equal(await costOf(), cost)
  })
})

describe('an import', { concurrency: false }, () => {
  const LIST = {
    theirs: { id: 'theirs', models: { fresh: { id: 'fresh', cost: { input: 1.25, output: 10 } } } },
    openai: { id: 'openai', models: { 'gpt-4o': { id: 'gpt-4o', cost: { input: 2.2, output: 9 } } } },
    others: { id: 'others', models: { left: { id: 'left', cost: { input: 1, output: 1 } } } },
  }

  test('tells what is wrong with the text', async () => {
    await openPage(page, '/dashboard/default/registry?search=gpt-4o')
    await page.getByRole('button', { name: 'Import prices' }).click()
    await drawer().getByLabel('Or paste its text').fill('{ "openai": ')
    await drawer().getByText('This is not JSON').waitFor()
    assert.equal(await drawer().getByRole('button', { name: 'Preview' }).isDisabled(), true)
  })

  test('is previewed from a file without changing anything', async () => {
    await drawer().getByLabel('Or paste its text').fill('')
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      drawer().getByRole('button', { name: 'File' }).click(),
    ])
    const buffer = Buffer.from(JSON.stringify(LIST))
    await chooser.setFiles({ name: 'api.json', mimeType: 'application/json', buffer })
    await drawer().getByRole('combobox', { name: 'Provider here for theirs' }).click()
    await page.getByRole('option', { name: 'local' }).click()
    await assertAccessible(page, 'the list to import')
    await drawer().getByRole('button', { name: 'Preview' }).click()
    const changed = drawer().getByRole('region', { name: 'Changed models' })
    await changed.getByText('−20 %').waitFor()
    await assertAccessible(page, 'the preview')
    await drawer().getByText('Added 1').click()
    await drawer().getByRole('region', { name: 'Added models' }).getByText('fresh').waitFor()
    await drawer().getByText('Skipped 1').click()
    await drawer().getByText("there is no provider 'others'").waitFor()
    assert.equal(await priceOf('openai/gpt-4o'), '2.75')
  })

  test('is applied after a question, and stands in the history and the audit list', async () => {
    await drawer().getByRole('button', { name: 'Apply to 2 models' }).click()
    const question = page.getByRole('dialog', { name: 'Apply this price list?' })
    await assertAccessible(page, 'the question before an import')
    await question.getByRole('button', { name: 'Apply' }).click()
    await drawer().getByText('List applied').waitFor()
    await assertAccessible(page, 'the import is done')
    assert.deepEqual([await priceOf('openai/gpt-4o'), await priceOf('local/fresh')], ['2.2', '1.25'])
    await drawer().getByRole('link', { name: 'Show in the audit log' }).click()
    await page
      .getByRole('link')
      .filter({ has: page.getByRole('time') })
      .first()
      .click()
    await drawer().getByText('1 added and 1 changed').waitFor()
    await assertAccessible(page, 'an import in the audit list')
    visited.assertQuiet()
  })
})
