import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, type Answered, type Harness, hello, startHarness } from '../harness.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, signIn, type Visit, visit } from './visit.ts'

const CONFIG = `
registry:
  - { provider: openai, model: gpt-sim-echo, input_per_mtok: "1250", output_per_mtok: "10000" }
  - { provider: openai, model: text-embedding-sim-echo, mode: embedding, input_per_mtok: "20", output_per_mtok: "0" }
`
let harness: Harness
let browser: Browser
let walk: Visit
let page: Page
let last: Answered

before(async () => {
  harness = await startHarness({ config: CONFIG })
  for (const user of ['ada', 'ada', 'grace']) {
    const body = { ...hello('gpt-sim-echo'), user, metadata: { team: 'search' } }
    last = await harness.chat(body, { 'x-gateway-session': 'run-7' })
  }
  await harness.chat(hello('gpt-sim-echo'), { 'x-gateway-session': 'run-8' })
  await harness.embed({ model: 'text-embedding-sim-echo', input: 'hello' })
  browser = await launchChromium()
  walk = await visit(browser, harness.url, { viewport: { width: 1440, height: 900 } })
  page = walk.page
  await signIn(page, harness.url, ADMIN_KEY, `/dashboard/default/requests/${last.json.id}`)
})

after(async () => {
  await browser?.close()
  await harness?.stop()
})

const rows = (name: string) => page.getByRole('region', { name }).locator('tbody tr')

/** What the calls of the session have cost, as the page writes it. */
async function costOf(session: string): Promise<string> {
  const { json } = await harness.get(`/usage?session=${session}`, { authorization: `Bearer ${ADMIN_KEY}` })
  assert.ok(Number(json.total.cost_usd) > 0)
  return `$${Number(json.total.cost_usd).toFixed(json.total.cost_usd < 0.1 ? 4 : 3)}`
}

describe('who spent it', () => {
  test('the page of a request says for whom it was, and what its session has cost', async () => {
    const section = page.getByRole('complementary')
    await section.getByText('This session has cost').waitFor()
    const text = (await section.innerText()).replaceAll(/\s+/g, ' ')
    assert.ok(text.includes(`This session has cost ${await costOf('run-7')} in 3 requests.`), text)
    await assertAccessible(page, 'for whom')
    await section.getByRole('link', { name: 'search' }).waitFor()
    await section.getByRole('link', { name: 'run-7' }).click()
    await page.getByText('All 3 requests are shown').waitFor()
  })

  test('the list of a session of several agents shows them as a tree, which follows new calls', async () => {
    const call = (agent: string, parent: string) =>
      harness.chat(hello('gpt-sim-echo'), {
        'x-gateway-session': 'run-9',
        ...(agent === '' ? {} : { 'x-gateway-agent': agent, 'x-gateway-parent': parent }),
      })
    for (const [agent, parent] of [
      ['', ''],
      ['look', 'run-9'],
      ['deeper', 'look'],
    ] as const)
      await call(agent, parent)
    await openPage(page, '/dashboard/default/requests?session=run-9')
    await rows('Agents of this session').nth(2).waitFor()
    const names = await rows('Agents of this session').locator('td:first-child').allInnerTexts()
    assert.deepEqual(names, ['Main agent', 'look', 'deeper'])
    await page.getByText('3 requests, ').waitFor()
    assert.equal(await page.getByText('This session has cost').count(), 0, 'said once')
    await assertAccessible(page, 'a session as a tree')
    await call('late', 'run-9')
    await rows('Agents of this session').filter({ hasText: 'late' }).waitFor()
    await page.getByRole('link', { name: 'deeper' }).click()
    await page.getByText('This is the only request').waitFor()
    assert.match(page.url(), /agent=deeper/)
  })

  test('a session with budgets says what is left of them, for it and for each agent', async () => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' }
    const limits = { budgets: ['session', 'agent'].map((each) => ({ each, usd: '2000', per: 'total' })) }
    const body = JSON.stringify({ name: 'agents', limits })
    const made = await fetch(`${harness.url}/keys`, { method: 'POST', headers, body })
    const { value } = (await made.json()) as { value: string }
    const agents: Record<string, string>[] = [{}, { 'x-gateway-agent': 'look' }]
    for (const agent of agents) {
      const names = { authorization: `Bearer ${value}`, 'x-gateway-session': 'run-10', ...agent }
      assert.equal((await harness.chat(hello('gpt-sim-echo', { max_tokens: 10 }), names)).status, 200)
    }
    await openPage(page, '/dashboard/default/requests?session=run-10')
    await page.getByText(/left of \$2,000\.00 for each session/).waitFor()
    const look = rows('Agents of this session').filter({ hasText: 'look' })
    assert.match(await look.innerText(), /\$1,99\d\.\d\d/)
    await assertAccessible(page, 'what is left for a session')
    const folder = process.env['SCREENSHOTS']
    if (folder !== undefined) await page.screenshot({ path: `${folder}/session-left.png`, fullPage: true })
  })

  test('the list of a session has its sum at the head, and can be narrowed by user', async () => {
    await openPage(page, '/dashboard/default/requests?session=run-7')
    await page.getByRole('status').filter({ hasText: 'in 3 requests.' }).waitFor()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('button', { name: 'User', exact: true }).click()
    await page.getByRole('option', { name: /grace/ }).click()
    await page.getByText('This is the only request').waitFor()
    assert.match(page.url(), /session=run-7/)
    assert.match(page.url(), /user=grace/)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    await page.getByLabel('Tag', { exact: true }).fill('team:nobody')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove the filter Tag team:nobody' }).waitFor()
    await rows('Requests').first().waitFor({ state: 'detached' })
  })

  for (const [group, first, count] of [
    ['Session', 'run-7', 3],
    ['User', 'ada', 2],
    ['Endpoint', 'chat', 10],
  ] as const) {
    test(`usage by ${group}: each leads to its requests`, async () => {
      await openPage(page, '/dashboard/default/usage')
      await page.getByRole('radiogroup', { name: 'Group by' }).getByText(group, { exact: true }).click()
      const table = rows('Totals by group')
      await table.getByRole('link', { name: first, exact: true }).waitFor()
      await assertAccessible(page, `usage by ${group}`)
      await table.getByRole('link', { name: first, exact: true }).click()
      await page.getByText(`All ${count} requests are shown`).waitFor()
    })
  }

  test('of many sessions the first hundred are drawn, and the others on request', async () => {
    const calls = Array.from({ length: 100 }, (_, index) =>
      harness.chat(hello('gpt-sim-echo'), { 'x-gateway-session': `many-${index}` }),
    )
    await Promise.all(calls)
    await openPage(page, '/dashboard/default/usage?group=session')
    const showAll = page.getByRole('button', { name: /^Show all \d+$/ })
    await showAll.waitFor()
    assert.equal(await rows('Totals by group').count(), 100)
    const all = Number((await showAll.innerText()).replace('Show all ', ''))
    assert.ok(all > 100, `${all}`)
    await showAll.click()
    await showAll.waitFor({ state: 'detached' })
    assert.equal(await rows('Totals by group').count(), all)
  })

  test('nothing went wrong behind the pages', () => walk.assertQuiet())
})
