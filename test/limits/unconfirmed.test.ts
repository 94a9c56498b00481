import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import type { UnconfirmedPolicy } from '../../src/domain/pricing/unconfirmed.ts'
import { type Harness, type Json, type Row, startHarness, until } from '../harness.ts'
import { auditOf, managing } from '../management/manage.ts'
import { assertVerified, hard, holdOfAsk, type LimitedKey, newKey, statusOf, usd } from './limited.ts'

/** What an attempt ends with, and what its provider may bill for it. */
const CASES: readonly [scenario: string, most: 'hold' | 'nothing', what: string][] = [
  ['hang', 'hold', 'a timeout after the request was sent'],
  ['stall', 'hold', 'an answer that stops in the middle'],
  ['cut', 'hold', 'an answer that is cut off'],
  ['cut-socket', 'hold', 'a connection that dies in the middle of an answer'],
  ['reset', 'hold', 'a connection that is reset'],
  ['html', 'hold', 'a page that is no answer'],
  ['504', 'hold', 'an edge that gave up waiting'],
  ['500', 'nothing', 'an error that the provider answered itself'],
  ['429', 'nothing', 'a rate limit'],
  ['400', 'nothing', 'a refused request'],
]
const MODELS = [...CASES.map(([scenario]) => `openai, model: gpt-sim-${scenario}`), 'anthropic, model: claude-plain']
const POLICIES = ['bound', 'estimate', 'ignore'] as const
const ROUTES = CASES.flatMap(([scenario]) => {
  const first = `{ provider: openai, model: gpt-sim-${scenario}, retries: 0, timeout_ms: 700 }`
  return [
    `      only-${scenario}: { chain: [${first}] }`,
    `      then-${scenario}: { chain: [${first}, { provider: anthropic, model: claude-plain }] }`,
  ]
}).join('\n')
const CONFIG = `
workspaces:
  default: { routes: {} }
${POLICIES.map((policy) => `  ${policy}:\n    limits: { unconfirmed: ${policy} }\n    routes:\n${ROUTES}`).join('\n')}
registry:
${MODELS.map((model) => `  - { provider: ${model}, input_per_mtok: "1", output_per_mtok: "5", max_output_tokens: 4096 }`).join('\n')}
`
const harness: Harness = await startHarness({ config: CONFIG })
const { simulator } = harness
const manage = managing(() => harness)
beforeEach(() => simulator.reset())
afterEach(async () => {
  await until(async () => (await statusOf(harness, WORKSPACE)).periods.total.held === 0n, 'nothing is held')
  await assertVerified(harness)
})
after(() => harness.stop())

const WORKSPACE = { kind: 'workspace', id: 'bound' } as const
const rowsOf = async ({ id }: LimitedKey) => (await harness.rows()).filter((row) => row['key_id'] === id)
const money = (row: Row | undefined, column: string) => {
  const value = row?.[`${column}_picodollars`]
  return value === null || value === undefined ? null : BigInt(value as number)
}
const spentOf = async ({ scope }: LimitedKey) => (await statusOf(harness, scope)).periods.total.spent
const budgetOf = async (key: LimitedKey, workspace = 'bound'): Promise<Json> => {
  const { json } = await manage('GET', `/budgets?workspace=${workspace}&limit=200`)
  return json.data.find(({ id }: { id: string }) => id === key.id).periods.total
}
const newPayer = (picodollars: bigint, workspace: UnconfirmedPolicy = 'bound') =>
  newKey(harness, hard(picodollars), workspace)

describe('an attempt that gave no count of tokens may be billed', () => {
  for (const [scenario, most, what] of CASES) {
    test(`${what}: ${most}`, async () => {
      const hold = holdOfAsk(`only-${scenario}`)
      const key = await newPayer(10n * hold)
      const answer = await key.chat(`only-${scenario}`)
      assert.ok(answer.status >= 400, answer.text)
      const [row] = await rowsOf(key)
      const expected = most === 'nothing' ? null : money(row, 'hold')
      assert.equal(money(row, 'unconfirmed_most'), expected)
      assert.equal(money(row, 'cost'), null)
      assert.equal(await spentOf(key), expected ?? 0n)
      const [attempt] = (await manage('GET', `/requests/${row?.id}`)).json.attempts
      assert.equal(attempt.unconfirmed?.most_usd ?? null, expected === null ? null : usd(expected))
      const { steps } = (await manage('GET', `/requests/${row?.id}/explain`)).json
      assert.equal(steps.join(' ').includes('The provider may bill it: at most'), expected !== null)
    })
  }

  test('beside the cost of the entry that served in the end', async () => {
    const key = await newPayer(10n * holdOfAsk('then-hang'))
    assert.equal((await key.chat('then-hang')).status, 200)
    const [row] = await rowsOf(key)
    const [most, cost] = [money(row, 'unconfirmed_most'), money(row, 'cost')]
    assert.ok(most !== null && most > 0n && cost !== null && cost > 0n)
    assert.equal(await spentOf(key), most + cost)
    const {
      spent_usd: spent,
      unconfirmed_usd: unconfirmed,
      remaining_usd: left,
      limit_usd: limit,
    } = await budgetOf(key)
    assert.deepEqual([spent, unconfirmed], [usd(cost), usd(most)])
    assert.equal(left, usd(10n * holdOfAsk('then-hang') - most - cost))
    assert.equal(limit, usd(10n * holdOfAsk('then-hang')))
    const { total } = (await manage('GET', '/usage?workspace=bound&group_by=key')).json
    assert.ok(Number(total.unconfirmed_most_usd) >= Number(usd(most)))
  })

  test('a budget that covers one attempt and not another beside it asks no second entry', async () => {
    const hold = holdOfAsk('then-hang')
    const key = await newPayer(hold + hold / 2n)
    assert.equal((await key.chat('then-hang')).status, 504)
    const [row] = await rowsOf(key)
    assert.match(String(row?.['attempts']), /the hard budget does not cover another beside it/)
    assert.equal(simulator.bill.filter(({ model }) => model === 'claude-plain').length, 0)
  })

  for (const policy of ['estimate', 'ignore'] as const) {
    test(`the policy ${policy} counts less of it`, async () => {
      const key = await newPayer(10n * holdOfAsk('only-stall'), policy)
      assert.ok((await key.chat('only-stall')).status >= 500)
      const [row] = await rowsOf(key)
      const expected = policy === 'ignore' ? 0n : money(row, 'unconfirmed_estimate')
      assert.ok((money(row, 'unconfirmed_most') ?? 0n) > (expected ?? 0n))
      assert.equal(money(row, 'unconfirmed_counted'), expected)
      assert.equal(await spentOf(key), expected)
    })
  }
})

describe('what became of it is an entry of its own', () => {
  /** One call whose hold is unconfirmed, under a budget with no room for another. */
  async function stalled(): Promise<{ key: LimitedKey; id: string; most: bigint; row: Row }> {
    const hold = holdOfAsk('only-hang')
    const key = await newPayer(hold + hold / 2n)
    assert.equal((await key.chat('only-hang')).status, 504)
    assert.equal((await key.chat('only-hang')).status, 402)
    const row = (await rowsOf(key)).find(({ code }) => code !== 'budget_exceeded')
    assert.ok(row)
    return { key, id: row.id, most: money(row, 'unconfirmed_most') ?? 0n, row }
  }
  const correct = (body: object) => manage('POST', '/corrections', { reason: 'seen on the invoice', ...body })
  const open = async () => (await manage('GET', '/requests?workspace=bound&unconfirmed=open&limit=200')).json.data

  test('released: the budget has room again, and the row stays as it was', async () => {
    const { key, id, most, row } = await stalled()
    assert.ok((await open()).some((each: { id: string }) => each.id === id))
    const made = await correct({ kind: 'released', request_ids: [id] })
    assert.equal(made.status, 201, made.text)
    const [entry] = made.json.data
    assert.deepEqual([entry.cost_usd, entry.counted_usd], ['0', `-${usd(most)}`])
    const { spent_usd: spent, unconfirmed_usd: left } = await budgetOf(key)
    assert.deepEqual([spent, left], ['0', '0'])
    assert.ok(!(await open()).some((each: { id: string }) => each.id === id))
    assert.deepEqual((await manage('GET', `/requests/${id}`)).json.correction, entry)
    assert.equal((await key.chat('only-500')).status, 502)
    assert.deepEqual(
      (await rowsOf(key)).find((each) => each.id === id),
      row,
    )
    const [audited] = await auditOf(manage, `corrections/${entry.id}`)
    assert.equal(audited.action, 'corrections.released')
    assert.equal(audited.after.data[0].reason, 'seen on the invoice')
    const listed = (await manage('GET', '/corrections?workspace=bound')).json.data
    assert.ok(listed.some((each: { id: string }) => each.id === entry.id))
  })

  test('confirmed for less: the rest is free again, the figure is spent', async () => {
    const { key, id, most } = await stalled()
    const made = await correct({ kind: 'confirmed', request_ids: [id], usd: usd(most / 4n), source: 'INV-7' })
    assert.equal(made.status, 201, made.text)
    const { spent_usd: spent, unconfirmed_usd: left, remaining_usd: remaining } = await budgetOf(key)
    assert.deepEqual([spent, left], [usd(most / 4n), '0'])
    assert.equal(remaining, usd(holdOfAsk('only-hang') + holdOfAsk('only-hang') / 2n - most / 4n))
    assert.equal((await key.chat('only-500')).status, 502)
  })

  test('confirmed without a figure: all that was held', async () => {
    const { key, id, most } = await stalled()
    const made = await correct({ kind: 'confirmed', request_ids: [id] })
    assert.deepEqual([made.json.data[0].cost_usd, made.json.data[0].counted_usd], [usd(most), '0'])
    assert.equal((await budgetOf(key)).spent_usd, usd(most))
    assert.equal((await key.chat('only-500')).status, 402)
  })

  test('the holder of a key sees what is left', async () => {
    const { key, id } = await stalled()
    const left = async () =>
      (await harness.get('/v1/key', key.headers)).json.budgets.find(({ scope }: Json) => scope === 'key').remaining_usd
    const before = await left()
    await correct({ kind: 'released', request_ids: [id] })
    assert.ok(Number(await left()) > Number(before))
  })

  test('what does not fit is refused in words, and changes nothing', async () => {
    const { key, id, most } = await stalled()
    assert.equal((await key.chat('only-500')).status, 402)
    const refused = (await rowsOf(key)).find(({ code }) => code === 'budget_exceeded')
    const table: [body: object, status: number, words: RegExp][] = [
      [{ kind: 'released', request_ids: [id], usd: '1' }, 400, /usd: goes with the kind confirmed/],
      [{ kind: 'confirmed', request_ids: [id], usd: usd(most + 1n) }, 400, /usd: this call can have cost at most/],
      [{ kind: 'released', request_ids: [id, id] }, 400, /request_ids: names a request twice/],
      [{ kind: 'released', request_ids: [id, 'chatcmpl_none'] }, 404, /there is no request 'chatcmpl_none'/],
      [{ kind: 'released', request_ids: [refused?.id] }, 409, /has no unconfirmed spend/],
      [{ kind: 'released', request_ids: [id], reason: ' ' }, 400, /reason/],
    ]
    for (const [body, status, words] of table) {
      const answer = await correct(body)
      assert.equal(answer.status, status, answer.text)
      assert.match(answer.json.error.message, words)
    }
    assert.equal((await budgetOf(key)).unconfirmed_usd, usd(most))
    assert.equal((await correct({ kind: 'released', request_ids: [id] })).status, 201)
    const again = await correct({ kind: 'confirmed', request_ids: [id] })
    assert.equal(again.status, 409)
    assert.match(again.json.error.message, /was released by .+ at 2/)
  })
})
