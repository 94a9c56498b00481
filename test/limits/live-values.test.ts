import assert from 'node:assert/strict'
import { after, afterEach, describe, test } from 'node:test'
import type { EachBudget } from '../../src/domain/limits.ts'
import { cliOf } from '../cli/run-cli.ts'
import { type Harness, type Json, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { ask, assertVerified, CONFIG, holdOfAsk, type LimitedKey, newKey, newWorkspace, usd } from './limited.ts'

const harness: Harness = await startHarness({ config: CONFIG })
const { simulator } = harness
const manage = managing(() => harness)
afterEach(async () => {
  simulator.release()
  await assertVerified(harness)
})
after(() => harness.stop())

const HOLD = holdOfAsk('plain')
const each = (kind: EachBudget['each'], more: Partial<EachBudget> = {}): EachBudget => ({
  ...(kind !== undefined && { each: kind }),
  ...{ usd: usd(20n * HOLD), per: 'total', mode: 'hard', ...more },
})
const send = async (key: LimitedKey, headers: Record<string, string>, body: object = {}) => {
  const answer = await harness.chat({ ...ask('plain'), ...body }, { ...key.headers, ...headers })
  assert.equal(answer.status, 200, answer.text)
}
/** Of one owner, by its id: what its budgets say of their values. */
const valuesOf = async (id: string, workspace = 'default'): Promise<Json[]> => {
  await harness.rows()
  const { json } = await manage('GET', `/budgets?workspace=${workspace}&values=true`)
  return json.data.find((each: Json) => each.id === id).values
}
const shown = ({ each, live, tightest }: Json) => [each, live, tightest.map(({ value }: Json) => value)]

describe('budgets for each value, where budgets are listed', () => {
  test('of many sessions say how many are live and show the five tightest', async () => {
    const key = await newKey(harness, { budgets: [each('session'), each('session', { per: 'day', mode: 'soft' })] })
    for (let place = 1; place <= 7; place++) {
      for (let call = 0; call < place; call++) await send(key, { 'x-gateway-session': `s${place}` })
    }
    const found = await valuesOf(key.id)
    const tightest = ['s7', 's6', 's5', 's4', 's3']
    assert.deepEqual(found.map(shown), [
      ['session', 7, tightest],
      ['session', 7, tightest],
    ])
    const [
      {
        tightest: [use],
        ...budget
      },
    ] = found
    const row = (await manage('GET', `/usage?session=s7&key=${key.id}`)).json.total
    const left = BigInt(Math.round(Number(use.limit_usd) * 1e12)) - BigInt(Math.round(Number(row.cost_usd) * 1e12))
    assert.deepEqual(use, {
      ...{ value: 's7', session: null, key_id: key.id, key: use.key, limit_usd: usd(20n * HOLD) },
      ...{ spent_usd: row.cost_usd, held_usd: '0', remaining_usd: usd(left), resets_at: null },
    })
    assert.match(use.key, /^limited-/)
    assert.deepEqual([budget.per, budget.mode, budget.limit_usd], ['total', 'hard', usd(20n * HOLD)])
  })

  test('a value whose first call is running is shown with what it holds', async () => {
    const key = await newKey(harness, { budgets: [each('project')] })
    simulator.hold()
    const before = harness.upstream().length
    const running = send(key, { 'x-gateway-project': 'first' })
    await until(() => harness.upstream().length > before, 'it has arrived')
    let found: Json[]
    do found = await valuesOf(key.id)
    while (found[0].tightest.length === 0)
    const [{ live, tightest }] = found
    assert.deepEqual([live, tightest[0].value, tightest[0].held_usd], [0, 'first', usd(HOLD)])
    simulator.release()
    await running
  })

  test('of a workspace: sessions by key, users over all keys, keys, tags, and a further period', async () => {
    const budgets = [each('session'), each('user'), each('key'), each('tag:team'), each(undefined, { per: 'day' })]
    await newWorkspace(harness, 'live', { budgets })
    const [one, other] = [await newKey(harness, null, 'live'), await newKey(harness, null, 'live')]
    const body = { user: 'ann', metadata: { team: 'blue', other: 'x' } }
    await send(one, { 'x-gateway-session': 'same' }, body)
    await send(other, { 'x-gateway-session': 'same' }, body)
    await send(other, { 'x-gateway-session': 'same' }, body)
    const [sessions, users, keys, tags, day] = await valuesOf('live', 'live')
    const keyIds = ({ tightest }: Json) => tightest.map(({ key_id: id }: Json) => id)
    assert.deepEqual(
      [shown(sessions), keyIds(sessions)],
      [
        ['session', 2, ['same', 'same']],
        [other.id, one.id],
      ],
    )
    assert.deepEqual([shown(users), keyIds(users)], [['user', 1, ['ann']], [null]])
    assert.deepEqual(
      [shown(keys), keyIds(keys)],
      [
        ['key', 2, [null, null]],
        [other.id, one.id],
      ],
    )
    assert.deepEqual([shown(tags), keyIds(tags)], [['tag:team', 1, ['blue']], [null]])
    assert.deepEqual([shown(day), keyIds(day)], [[null, 1, [null]], [null]])
    const { cost_usd: cost } = (await manage('GET', '/usage?workspace=live')).json.total
    for (const { tightest } of [users, tags, day]) assert.equal(tightest[0].spent_usd, cost)
  })

  test('keys on one page each have their own values', async () => {
    const [one, other] = [
      await newKey(harness, { budgets: [each('user')] }),
      await newKey(harness, { budgets: [each('user')] }),
    ]
    await send(one, {}, { user: 'ann' })
    await send(other, {}, { user: 'bob' })
    assert.deepEqual((await valuesOf(one.id)).map(shown), [['user', 1, ['ann']]])
    assert.deepEqual((await valuesOf(other.id)).map(shown), [['user', 1, ['bob']]])
  })

  test('are left out where nobody asks for them', async () => {
    const { json } = await manage('GET', '/budgets')
    assert.ok(json.data.length > 1)
    assert.ok(json.data.every(({ values }: Json) => values === null))
  })

  test('are on the command line', async () => {
    const { stdout } = await cliOf(() => harness.url)('budgets --workspace live')
    assert.match(stdout, /The tightest values:/)
    assert.match(stdout, /^live +\(all keys\) +session +total +2 +same +0\.\d+ +0\.\d+ +0 +0\.\d+/m)
    assert.match(stdout, /^live +\(all keys\) +\(all\) +day +1 /m)
  })
})
