import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, beforeEach, describe, test } from 'node:test'
import { asPicodollars, picodollarsOfUsd } from '../../src/domain/pricing/price.ts'
import { atLength } from '../at-length.ts'
import { cliOf } from '../cli/run-cli.ts'
import { type Harness, hello, type Json, newFolder, startHarness, until } from '../harness.ts'
import { managing } from './manage.ts'

let harness: Harness
before(async () => {
  harness = await startHarness({
    config: 'workspaces: { filed: { limits: { rpm: 9 }, keys: { ci: { limits: { max_parallel: 2 } } } } }',
  })
})
after(() => harness.stop())
const manage = managing(() => harness)
const cli = cliOf(() => harness.url)

let made = 0
/** A workspace with its own key, so that no test sees another's money. */
let workspace: string
let key: { id: string; value: string }
beforeEach(async () => {
  workspace = `team-${++made}`
  await manage('POST', '/workspaces', { name: workspace })
  key = (await manage('POST', `/keys?workspace=${workspace}`, { name: 'app' })).json
})

const limitKey = async (limits: unknown) =>
  assert.equal((await manage('PATCH', `/keys/${key.id}`, { limits })).status, 200)
const limitWorkspace = async (limits: unknown) =>
  assert.equal((await manage('PATCH', `/workspaces/${workspace}`, { limits })).status, 200)
const call = (model: string, more = {}) =>
  harness.chat(hello(model, { max_completion_tokens: 100, ...more }), { authorization: `Bearer ${key.value}` })
const budgets = async (query = `workspace=${workspace}`): Promise<Json[]> =>
  (await manage('GET', `/budgets?${query}`)).json.data
/** A page checks for half a second, however busy the machine is: all of them. */
const verified = async (): Promise<Json> => {
  const { json: first } = await manage('POST', '/verify')
  for (let { next_cursor: next } = first; next !== null; ) {
    const { json: page } = await manage('POST', `/verify?cursor=${next}`)
    first.rows.differences.push(...page.rows.differences)
    next = page.next_cursor
  }
  return first
}
const MODEL = 'gpt-5.4-mini'

let upstreamBefore = 0
beforeEach(() => {
  upstreamBefore = harness.upstream().length
})
const arrived = (count: number) =>
  until(() => harness.upstream().length === upstreamBefore + count, `${count} calls are at the provider`)

describe('GET /budgets', () => {
  test('lists whatever has limits, a workspace before its keys, and nothing else', async () => {
    assert.deepEqual(await budgets(), [])
    await limitKey({ rpm: 5 })
    await limitWorkspace({ budget: { usd: '5', per: 'week' } })
    const rows = await budgets()
    assert.deepEqual(
      rows.map(({ scope, id, name, workspace: of }) => [scope, id, name, of]),
      [
        ['workspace', workspace, workspace, workspace],
        ['key', key.id, 'app', workspace],
      ],
    )
    await limitKey({})
    await limitWorkspace(null)
    assert.deepEqual(await budgets(), [])
  })

  test('shows what the file has set, page by page', async () => {
    const first = (await manage('GET', '/budgets?workspace=filed&limit=1')).json
    const second = (await manage('GET', `/budgets?workspace=filed&limit=1&cursor=${first.next_cursor}`)).json
    assert.deepEqual([first.data[0].scope, first.data[0].limits], ['workspace', { rpm: 9 }])
    assert.deepEqual([second.data[0].name, second.data[0].limits], ['ci', { max_parallel: 2 }])
    assert.equal(second.next_cursor, null)
  })

  test('shows spent, remaining and reset to the last digit, in every period, after calls of known cost', async () => {
    await limitKey({ rpm: 100, tpm: 100_000, budget: { usd: '1.000000000001', per: 'month' } })
    await limitWorkspace({ budget: { usd: '1', per: 'total' } })
    let cost = 0n
    for (let count = 0; count < 3; count++) {
      const answer = await call(MODEL)
      assert.equal(answer.status, 200, answer.text)
      cost += BigInt((await harness.rowOf(answer))['cost_picodollars'] as number)
    }
    assert.ok(cost > 0n)
    const [ofWorkspace, ofKey] = await budgets()
    for (const { periods } of [ofWorkspace, ofKey]) {
      for (const period of ['day', 'week', 'month', 'total']) {
        assert.equal(picodollarsOfUsd(periods[period].spent_usd), cost)
        assert.equal(periods[period].held_usd, '0')
      }
    }
    const { month, day, total } = ofKey.periods
    assert.equal(month.limit_usd, '1.000000000001')
    assert.equal(picodollarsOfUsd(month.remaining_usd), picodollarsOfUsd('1.000000000001') - cost)
    assert.deepEqual([day.limit_usd, day.remaining_usd, total.starts_at, total.resets_at], [null, null, null, null])
    assert.match(month.resets_at, /^\d{4}-\d\d-01T00:00:00\.000Z$/)
    assert.equal(Date.parse(day.resets_at) - Date.parse(day.starts_at), 86_400_000)
    assert.equal(picodollarsOfUsd(ofWorkspace.periods.total.remaining_usd), picodollarsOfUsd('1') - cost)
    assert.deepEqual([ofKey.requests_last_minute, ofKey.in_flight, ofKey.state], [3, 0, 'ok'])
    assert.ok(ofKey.tokens_last_minute > 0)
  })

  test('can be asked for what is near a limit or over it alone, page by page', async () => {
    const state = async (wanted: string, more = '') =>
      (await manage('GET', `/budgets?workspace=${workspace}&state=${wanted}${more}`)).json
    await limitKey({ rpm: 5 })
    await limitWorkspace({ rpm: 4 })
    const names = async (wanted: string) => (await budgetsIn(wanted)).map(({ scope }: Json) => scope)
    const budgetsIn = async (wanted: string) => (await state(wanted)).data
    assert.deepEqual(await names('near'), [])
    for (let count = 0; count < 4; count++) assert.equal((await call(MODEL)).status, 200)
    assert.deepEqual([await names('near'), await names('over')], [['workspace', 'key'], ['workspace']])
    const first = await state('near', '&limit=1')
    const second = await state('near', `&limit=1&cursor=${first.next_cursor}`)
    assert.deepEqual([first.data[0].scope, second.data[0].scope, second.next_cursor], ['workspace', 'key', null])
    assert.equal((await manage('GET', '/budgets?state=ok')).status, 400)
  })

  test('shows what is held while a call runs', async () => {
    await limitKey({ max_parallel: 1, budget: { usd: '5', per: 'day' } })
    harness.simulator.hold()
    const running = call(MODEL)
    await arrived(1)
    const [during] = await budgets()
    assert.deepEqual([during.in_flight, during.state, during.periods.day.spent_usd], [1, 'over', '0'])
    const { held_usd: held, remaining_usd: left } = during.periods.day
    assert.ok(picodollarsOfUsd(held) > 0n)
    assert.equal(picodollarsOfUsd(held) + picodollarsOfUsd(left), picodollarsOfUsd('5'))
    assert.deepEqual((await verified()).differences, [])
    harness.simulator.release()
    assert.equal((await running).status, 200)
    const [afterwards] = await budgets()
    assert.deepEqual([afterwards.in_flight, afterwards.periods.day.held_usd, afterwards.state], [0, '0', 'ok'])
  })

  test('a budget lowered below what is spent leaves 0, and the next call is refused', async () => {
    assert.equal((await call(MODEL)).status, 200)
    await limitKey({ budget: { usd: '0.000000000001', per: 'day' } })
    const [row] = await budgets()
    assert.deepEqual([row.state, row.periods.day.remaining_usd], ['over', '0'])
    const refused = await call(MODEL)
    assert.deepEqual([refused.status, refused.json.error.code], [402, 'budget_exceeded'])
    assert.equal(refused.json.error.details.spent_usd, row.periods.day.spent_usd)
    await limitKey(null)
    assert.equal((await call(MODEL)).status, 200)
  })

  test('a limit taken away while a call runs acts on the next one; the running one is settled as always', async () => {
    await limitKey({ max_parallel: 1 })
    harness.simulator.hold()
    const running = call(MODEL)
    await arrived(1)
    assert.equal((await call(MODEL)).status, 429)
    await limitKey(null)
    const second = call(MODEL)
    await arrived(2)
    harness.simulator.release()
    assert.deepEqual([(await running).status, (await second).status], [200, 200])
    await limitKey({ max_parallel: 1 })
    assert.equal((await budgets())[0].in_flight, 0)
    assert.deepEqual((await verified()).differences, [])
  })

  test('is near from 80 % of any limit', async () => {
    await limitKey({ rpm: 5 })
    for (let count = 0; count < 4; count++) assert.equal((await call(MODEL)).status, 200)
    assert.equal((await budgets())[0].state, 'near')
    assert.equal((await call(MODEL)).status, 200)
    assert.equal((await budgets())[0].state, 'over')
  })

  test('a key that refuses calls is near its limit, however much is left', async () => {
    await limitKey({ budget: { usd: '0.0001', per: 'month' } })
    assert.equal((await call(MODEL, { max_completion_tokens: 1_000_000 })).status, 402)
    await harness.rows()
    const [row] = await budgets()
    assert.deepEqual([row.state, row.refused_last_day, row.periods.month.spent_usd], ['near', 1, '0'])
    assert.deepEqual(
      (await budgets(`workspace=${workspace}&state=near`)).map(({ id }) => id),
      [key.id],
    )
    await limitKey(null)
    await limitWorkspace({ rpm: 5 })
    const [ofWorkspace] = await budgets()
    assert.deepEqual([ofWorkspace.scope, ofWorkspace.refused_last_day], ['workspace', 1])
  })

  test('leaves out a key that no longer works', async () => {
    await limitKey({ rpm: 5 })
    await manage('DELETE', `/keys/${key.id}`)
    assert.deepEqual(await budgets(), [])
  })

  const refused: [string, number, string][] = [
    ['/budgets?workspace=nowhere', 404, 'not_found'],
    ['/budgets?workspace=-bad', 400, 'invalid_request'],
    ['/budgets?cursor=nonsense', 400, 'invalid_request'],
    ['/budgets?limit=0', 400, 'invalid_request'],
    ['/budgets?scope=key', 400, 'invalid_request'],
  ]
  for (const [path, status, code] of refused) {
    test(`${path} is ${status} ${code}`, async () => {
      const answer = await manage('GET', path)
      assert.deepEqual([answer.status, answer.json.error.code], [status, code])
    })
  }
})

describe('POST /verify', () => {
  test('finds nothing after calls that were answered, failed and refused, in workspaces that are there and gone', async () => {
    await limitKey({ rpm: 3, budget: { usd: '1', per: 'month' } })
    await harness.chat(hello('no-such-model'), { authorization: `Bearer ${key.value}` })
    for (const model of [MODEL, 'sim-500', MODEL, MODEL, MODEL]) await call(model)
    const { checked, differences } = await verified()
    assert.deepEqual(differences, [])
    assert.ok(checked >= 2)
    assert.equal((await manage('DELETE', `/workspaces/${workspace}?force=true`)).status, 204)
    assert.deepEqual((await verified()).differences, [])
  })

  test('names the scope, the counter and both figures where a sum was tampered with; the command ends with 1', async () => {
    const answer = await call(MODEL)
    assert.equal(answer.status, 200)
    const { cost_picodollars: cost } = await harness.rowOf(answer)
    const { db } = harness.gateway.store
    const tamper = (by: bigint) =>
      db
        .updateTable('usage_hours')
        .set((row) => ({ cost_picodollars: row('cost_picodollars', '+', by as never) as never }))
        .where('key_id', '=', key.id)
        .execute()
    await tamper(1n)
    const { differences, rows } = await verified()
    const ofKey = differences.filter((each: Json) => each.scope === 'key')
    assert.deepEqual(
      ofKey.map(({ id, name, workspace: of, counter }: Json) => [id, name, of, counter]),
      ['day.spent', 'week.spent', 'month.spent', 'total.spent'].map((counter) => [key.id, 'app', workspace, counter]),
    )
    assert.equal(picodollarsOfUsd(ofKey[0].ledger), BigInt(cost as number))
    assert.equal(picodollarsOfUsd(ofKey[0].log), asPicodollars(BigInt(cost as number) + 1n))
    assert.equal(differences.length, 8)
    assert.deepEqual(
      rows.differences.map(({ id, key_id: of, figure }: Json) => [id, of, figure]),
      [[null, key.id, 'cost_usd']],
    )
    const reported = await cli('verify')
    assert.equal(reported.code, 1)
    assert.match(reported.stdout, new RegExp(`^key +${key.id} +app +${workspace} +day\\.spent `, 'm'))
    assert.match(reported.stdout, /^✗ 8 differences in \d+ keys and workspaces$/m)
    assert.match(reported.stdout, new RegExp(`^sum of \\S+ +${workspace} +${key.id} +cost_usd `, 'm'))
    await tamper(-1n)
    await assertClean()
  })

  async function assertClean(): Promise<void> {
    const clean = await cli('verify')
    assert.equal(clean.code, 0, clean.stdout)
    assert.match(clean.stdout, /^✓ \d+ keys and workspaces add up to the request log$/m)
    assert.match(clean.stdout, /^✓ \d+ rows cost what their prices say; the sums of \d+ hours add up to them$/m)
  }

  for (const [what, column, figure] of [
    ['cost', 'cost_picodollars', 'cost_usd'],
    ['usage', 'completion_tokens', 'cost_usd'],
    ['usage', 'prompt_tokens', 'prompt_tokens'],
  ] as const) {
    test(`names a row whose ${what} was tampered with (${column}) and both figures; the command ends with 1`, async () => {
      const answer = await call(MODEL)
      const { id } = await harness.rowOf(answer)
      const tamper = (by: number) =>
        harness.gateway.store.db
          .updateTable('requests')
          .set((row) => ({ [column]: row(column, '+', by as never) }))
          .where('id', '=', id)
          .execute()
      await tamper(1)
      const { rows } = await verified()
      const ofRow = rows.differences.filter((each: Json) => each.id !== null)
      assert.deepEqual(
        ofRow.map((each: Json) => [each.id, each.workspace, each.key_id, each.figure]),
        [[id, workspace, key.id, figure]],
      )
      assert.notEqual(ofRow[0].stored, ofRow[0].computed)
      const reported = await cli('verify')
      assert.equal(reported.code, 1)
      assert.match(reported.stdout, new RegExp(`^${id} +${workspace} +${key.id} +${figure} `, 'm'))
      assert.match(reported.stdout, /^✗ \d+ differences in \d+ rows and \d+ hours$/m)
      assert.equal(JSON.parse((await cli('verify --since 2999-01-01 --json')).stdout).rows.checked, 0)
      await tamper(-1)
      await assertClean()
    })
  }
})

test('switchyard budgets draws how much is used', async () => {
  await limitKey({ rpm: 10, max_parallel: 3, budget: { usd: '7', per: 'month', mode: 'soft' } })
  assert.equal((await call(MODEL)).status, 200)
  await limitWorkspace({ budget: { usd: '0.000000000001', per: 'day' } })
  const { stdout, code } = await cli(`budgets --workspace ${workspace}`)
  assert.equal(code, 0)
  assert.match(
    stdout,
    /^workspace +key +state +budget +spent_usd +held_usd +left_usd +used +forecast_usd +refused_24h +resets_at +rpm +tpm +parallel$/m,
  )
  assert.match(stdout, /\(all keys\) +over +0\.000000000001\/day +0\.\d+ +0 +0 +████████ \d+ % /)
  assert.match(stdout, /app +ok +7\/month:soft +0\.\d+ +0 +6\.9\d+ +░░░░░░░░ 0 % +– +0 +\S+ \S+ +1\/10 +– +0\/3$/m)
  await limitWorkspace(null)
  await limitKey(null)
  assert.match((await cli(`budgets --workspace ${workspace}`)).stderr, /Nothing has limits/)
})

test('verify is clean at any moment while calls begin, end, fail and are refused', async () => {
  await limitKey({ max_parallel: 8, budget: { usd: '0.05', per: 'day' } })
  const models = [MODEL, 'sim-500', MODEL, 'gpt-6-luna']
  let running = true
  const callers = Array.from({ length: 12 }, async (_, index) => {
    for (let count = index; running; count++) await call(models[count % models.length] ?? MODEL)
  })
  for (let count = 0; count < atLength(2, 6); count++) {
    const { differences, rows } = await verified()
    assert.deepEqual([differences, rows.differences], [[], []])
  }
  running = false
  await Promise.all(callers)
  const { differences, busy } = await verified()
  assert.deepEqual([differences, busy], [[], 0])
})

test('after a restart everything is counted as before', async () => {
  const folder = newFolder()
  const first = await startHarness({ folder })
  const shown = async (of: Harness) => {
    const ask = managing(() => of)
    const { data } = (await ask('GET', '/budgets')).json
    const { checked, differences } = (await ask('POST', '/verify')).json
    return { total: data[0].periods.total, checked, differences }
  }
  await managing(() => first)('PATCH', '/workspaces/default', {
    limits: { rpm: 5, budget: { usd: '3', per: 'total' } },
  })
  assert.equal((await first.chat(hello(MODEL))).status, 200)
  const earlier = await shown(first)
  await first.stop()
  const second = await startHarness({ folder })
  const later = await shown(second)
  await second.stop()
  rmSync(folder, { recursive: true, force: true })
  assert.notEqual(earlier.total.spent_usd, '0')
  assert.deepEqual([earlier.checked, earlier.differences], [2, []])
  assert.deepEqual(later, earlier)
})
