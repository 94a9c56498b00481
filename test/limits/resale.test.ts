import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ADMIN_KEY, type Answered, type Harness, hello, KEY, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'

const CONFIG = `
workspaces:
  default:
    streaming: true
    limits: { max_output_tokens: 100, budget: { usd: "1", per: day } }
    routes:
      fast: { chain: [{ provider: openai, model: gpt-sim-echo }] }
    resale:
      markup_percent: "20"
      prices: { openai/gpt-sim-slow-1: { input_per_mtok: "100", output_per_mtok: "200" } }
registry:
  - { provider: openai, model: gpt-sim-echo, input_per_mtok: "1.25", output_per_mtok: "10" }
  - { provider: openai, model: gpt-sim-slow-1, input_per_mtok: "1.25", output_per_mtok: "10" }
`

let harness: Harness
before(async () => {
  harness = await startHarness({ config: CONFIG })
})
after(() => harness.stop())

const manage = managing(() => harness)
const rowOf = async (answer: Answered) =>
  (await manage('GET', `/requests/${answer.headers.get('x-gateway-request-id')}`)).json
const picodollars = (usd: string) => BigInt(Math.round(Number(usd) * 1e12))
const csvFields = (line: string) =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((match) => match[1] ?? match[2] ?? '')

describe('a second price list', () => {
  test('adds its markup to the cost, in a column of its own', async () => {
    const answer = await harness.chat(hello('fast'))
    const { cost_usd: cost, resale_usd: resale, usage } = await rowOf(answer)
    assert.equal(cost, '0.00003125')
    assert.equal(resale, '0.0000375')
    assert.deepEqual([usage.prompt_tokens, usage.completion_tokens], [9, 2])
    assert.equal(answer.headers.get('x-gateway-cost-usd'), '0.000031')
  })

  test('streams are charged alike', async () => {
    const response = await fetch(`${harness.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...hello('fast'), stream: true }),
    })
    assert.match(await response.text(), /\[DONE\]/)
    const { json } = await manage('GET', `/requests/${response.headers.get('x-gateway-request-id')}`)
    assert.equal(picodollars(json.resale_usd), (picodollars(json.cost_usd) * 120n + 50n) / 100n)
  })

  test('has prices of its own by model', async () => {
    const { resale_usd: resale, usage } = await rowOf(await harness.chat(hello('gpt-sim-slow-1')))
    const charged = BigInt(usage.prompt_tokens) * 100_000_000n + BigInt(usage.completion_tokens) * 200_000_000n
    assert.equal(picodollars(resale), charged)
  })

  test('charges nothing for a call that failed', async () => {
    const { resale_usd: resale } = await rowOf(await harness.chat(hello('gpt-sim-400')))
    assert.equal(resale, null)
  })

  test('is summed in the usage; budgets and verify know only the cost', async () => {
    const rows = (await manage('GET', '/requests')).json.data as {
      resale_usd: string | null
      cost_usd: string | null
    }[]
    const sum = (of: (row: (typeof rows)[number]) => string | null) =>
      rows.reduce((total, row) => total + picodollars(of(row) ?? '0'), 0n)
    const { total, data } = (await manage('GET', '/usage?group_by=key')).json
    assert.equal(
      picodollars(total.resale_usd),
      sum((row) => row.resale_usd),
    )
    assert.equal(data[0].resale_usd, total.resale_usd)
    assert.notEqual(total.resale_usd, total.cost_usd)
    const [budget] = (await manage('GET', '/budgets')).json.data
    assert.equal(
      picodollars(budget.periods.day.spent_usd),
      sum((row) => row.cost_usd),
    )
    const { differences, rows: checked } = (await manage('POST', '/verify')).json
    assert.deepEqual([differences, checked.differences], [[], []])
  })

  test('the export has it', async () => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}` }
    const csv = await (await fetch(`${harness.url}/requests/export?format=csv`, { headers })).text()
    const columns = csv.split('\r\n')[0]?.split(',') ?? []
    assert.ok(columns.includes('resale_usd'), columns.join())
  })

  test('FOCUS has it in a column of its own, beside the cost', async () => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}` }
    const month = new Date().toISOString().slice(0, 7)
    const csv = await (await fetch(`${harness.url}/usage/focus?month=${month}`, { headers })).text()
    const [head = [], ...lines] = csv.trimEnd().split('\r\n').map(csvFields)
    const sum = (name: string) => lines.reduce((so, line) => so + picodollars(line[head.indexOf(name)] || '0'), 0n)
    const { total } = (await manage('GET', '/usage/workspaces')).json
    assert.equal(sum('x_ResaleCost'), picodollars(total.resale_usd))
    assert.equal(sum('BilledCost'), picodollars(total.cost_usd))
    assert.ok(sum('x_ResaleCost') > sum('BilledCost'))
  })

  test('a change is for later calls: what was charged stays', async () => {
    const first = await harness.chat(hello('fast'))
    const before = await rowOf(first)
    const owned = await manage('PATCH', '/workspaces/default', { resale: null })
    assert.equal(owned.json.error.code, 'managed_by_config')
    await manage('POST', '/workspaces', { name: 'other', resale: { markup_percent: '-50' } })
    const { json } = await manage('POST', '/keys?workspace=other', { name: 'app' })
    const as = { authorization: `Bearer ${json.value}` }
    const half = await rowOf(await harness.chat(hello('gpt-sim-echo'), as))
    assert.equal(picodollars(half.resale_usd) * 2n, picodollars(half.cost_usd))
    await manage('PATCH', '/workspaces/other', { resale: null })
    assert.equal((await rowOf(await harness.chat(hello('gpt-sim-echo'), as))).resale_usd, null)
    assert.deepEqual((await rowOf(first)).resale_usd, before.resale_usd)
    const { data } = (await manage('GET', '/audit')).json
    const audited = data.filter(({ resource }: { resource: string }) => resource === 'workspaces/other')
    assert.deepEqual(
      audited.map(({ action }: { action: string }) => action),
      ['workspaces.update', 'workspaces.create'],
    )
  })

  test('bad input names its field', async () => {
    for (const [resale, field] of [
      [{ markup_percent: '-101' }, /resale\.markup_percent/],
      [{ markup_percent: 20 }, /resale\.markup_percent/],
      [{ prices: { fast: { input_per_mtok: '1' } } }, /resale\.prices\.fast\.output_per_mtok/],
      [{ discount: '1' }, /resale.*discount|discount.*resale/],
    ] as const) {
      const { status, json } = await manage('PATCH', '/workspaces/other', { resale })
      assert.equal(status, 400)
      assert.match(json.error.message, field)
    }
  })
})
