import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { FAILURES_TO_OPEN } from '../../src/domain/circuit.ts'
import { type Harness, newFolder, startHarness, until } from '../harness.ts'
import {
  ask,
  assertVerified,
  CONFIG,
  hard,
  holdOfAsk,
  type LimitedKey,
  mostUsed,
  newKey,
  newWorkspace,
  statuses,
  statusOf,
  usd,
} from './limited.ts'

const harness: Harness = await startHarness({ config: CONFIG })
const { simulator } = harness
beforeEach(() => simulator.reset())
afterEach(async () => {
  simulator.release()
  await until(async () => (await totals(WORKSPACE)).held === 0n, 'nothing is held')
  await assertVerified(harness)
})
after(() => harness.stop())

const WORKSPACE = { kind: 'workspace', id: 'default' } as const
const HOLD = holdOfAsk('plain')
const totals = async (scope: LimitedKey['scope']) => (await statusOf(harness, scope)).periods.total
const inParallel = (count: number, one: () => ReturnType<LimitedKey['chat']>) =>
  Promise.all(Array.from({ length: count }, one))

describe('500 calls at once against a hard budget for 37', () => {
  test('37 are admitted, 463 get 402, the provider sees 37', async () => {
    const key = await newKey(harness, hard(38n * HOLD - 1n))
    simulator.hold()
    let refused = 0
    const [answers, most] = await mostUsed(harness, key.scope, async () => {
      const all = inParallel(500, async () => {
        const answer = await key.chat('plain')
        if (answer.status === 402) refused++
        return answer
      })
      await until(() => refused === 463 && harness.upstream().length === 37, 'all have arrived')
      assert.equal((await totals(key.scope)).held, 37n * HOLD)
      simulator.release()
      return all
    })
    assert.deepEqual(statuses(answers), { 200: 37, 402: 463 })
    assert.equal(harness.upstream().length, 37)
    assert.equal(most, 37n * HOLD)
    assert.equal((await totals(key.scope)).held, 0n)
  })

  test('with a provider that fails and another that serves', async () => {
    const hold = holdOfAsk('falls')
    const key = await newKey(harness, hard(37n * hold))
    simulator.hold()
    let refused = 0
    const [answers, most] = await mostUsed(harness, key.scope, async () => {
      const all = inParallel(500, async () => {
        const answer = await key.chat('falls')
        if (answer.status === 402) refused++
        return answer
      })
      await until(() => refused === 463, 'all have arrived')
      simulator.release()
      return all
    })
    assert.deepEqual(statuses(answers), { 200: 37, 402: 463 })
    assert.ok(most <= 37n * hold)
    assert.equal(harness.upstream().filter((call) => call.model === 'claude-plain').length, 37)
  })

  test('with providers that fail now and then, as long as the money lasts', async () => {
    const limit = 20n * holdOfAsk('flaky')
    const key = await newKey(harness, hard(limit))
    const [answers, most] = await mostUsed(harness, key.scope, () => inParallel(300, () => key.chat('flaky')))
    const { 200: served = 0, 402: refused = 0 } = statuses(answers)
    assert.equal(served + refused, 300)
    assert.ok(served >= 20 && refused > 0)
    assert.ok(most <= limit)
  })

  test('with callers that leave', async () => {
    const limit = 10n * HOLD
    const key = await newKey(harness, hard(limit))
    simulator.hold()
    const [, most] = await mostUsed(harness, key.scope, async () => {
      const leaving = new AbortController()
      const calls = Array.from({ length: 60 }, () =>
        fetch(`${harness.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { ...key.headers, 'content-type': 'application/json' },
          body: JSON.stringify(ask('plain')),
          signal: leaving.signal,
        }).then(
          (answer) => answer.status,
          () => 0,
        ),
      )
      await until(() => harness.upstream().length === 10, 'ten are at the provider')
      leaving.abort()
      await Promise.all(calls)
      await until(async () => (await totals(key.scope)).held === 0n, 'the holds are gone')
      simulator.release()
      return Promise.all(Array.from({ length: 12 }, () => key.chat('plain')))
    })
    assert.ok(most <= limit)
    assert.equal((await totals(key.scope)).spent > 0n, true)
  })
})

describe('one call after the other until one is refused', () => {
  test('leaves less than one hold unused', async () => {
    const limit = 5n * HOLD
    const key = await newKey(harness, hard(limit))
    let answer = await key.chat('plain')
    while (answer.status === 200) answer = await key.chat('plain')
    assert.equal(answer.status, 402)
    const { spent, held } = await totals(key.scope)
    assert.equal(held, 0n)
    assert.ok(spent <= limit && spent + HOLD > limit)
  })

  test('calls that fail cost nothing, however many', async () => {
    const key = await newKey(harness, hard(holdOfAsk('fails')))
    for (let call = 0; call < 8; call++) assert.notEqual((await key.chat('fails')).status, 402)
    assert.deepEqual((await totals(key.scope)).spent, 0n)
  })

  test('an entry that is passed over now is held for all the same: its turn may come', async () => {
    const key = await newKey(harness, null)
    for (let call = 0; call < FAILURES_TO_OPEN; call++) await key.chat('fails')
    await key.limit(hard(holdOfAsk('fails') - 1n))
    assert.equal((await key.chat('fails')).status, 402)
  })
})

describe('the refusal', () => {
  test('says whose budget, every figure, when it resets and what would fit', async () => {
    const key = await newKey(harness, hard(HOLD - 5_000_000n * 40n, 'month'))
    const { status, json, headers } = await key.chat('plain')
    assert.equal(status, 402)
    assert.equal(headers.get('retry-after'), null)
    const now = new Date()
    assert.deepEqual(json.error.details, {
      scope: 'key',
      scope_id: key.id,
      limit_usd: usd(HOLD - 5_000_000n * 40n),
      spent_usd: '0',
      held_usd: '0',
      hold_usd: usd(HOLD),
      per: 'month',
      resets_at: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString(),
      max_tokens_that_fits: 60,
      when_tight: 'refuse',
      fit_at_least: null,
    })
    for (const part of ['limited-', 'per month', usd(HOLD), 'max_tokens 60 or lower', 'resets at']) {
      assert.ok(json.error.message.includes(part), `${part}: ${json.error.message}`)
    }
    assert.equal(harness.upstream().length, 0)
    const smaller = await harness.chat({ ...ask('plain'), max_tokens: 60 }, key.headers)
    assert.equal(smaller.status, 200)
  })

  test('is logged and holds nothing', async () => {
    const key = await newKey(harness, hard(1n))
    const row = await harness.rowOf(await key.chat('plain'))
    assert.deepEqual(
      [row.status, row.code, row['hold_tokens'], row['cost_picodollars']],
      [402, 'budget_exceeded', null, null],
    )
    const status = await statusOf(harness, key.scope)
    assert.deepEqual([status.requestsLastMinute, status.inFlight, status.periods.day.held], [0, 0, 0n])
  })

  test('of an unpriced model in the chain says how to price it', async () => {
    const key = await newKey(harness, hard(1_000n * HOLD))
    const { status, json } = await key.chat('unpriced')
    assert.deepEqual([status, json.error.code], [402, 'price_unknown'])
    assert.match(
      json.error.message,
      /price of openai\/gpt-unpriced is unknown.*switchyard registry put openai\/gpt-unpriced/,
    )
    assert.equal((await (await newKey(harness, null)).chat('unpriced')).status, 200)
  })

  test('comes from the workspace where that is tighter', async () => {
    await newWorkspace(harness, 'tight', hard(3n * HOLD, 'day'))
    const keys = [await newKey(harness, hard(100n * HOLD), 'tight'), await newKey(harness, null, 'tight')]
    simulator.hold()
    const pending = [keys[0], keys[1], keys[0]].map((key) => key?.chat('plain'))
    await until(() => harness.upstream().length === 3, 'three are at the provider')
    for (const key of keys) {
      const { status, json } = await key.chat('plain')
      assert.deepEqual([status, json.error.details.scope, json.error.details.scope_id], [402, 'workspace', 'tight'])
      assert.equal(json.error.details.held_usd, usd(3n * HOLD))
    }
    simulator.release()
    for (const answer of await Promise.all(pending)) assert.equal(answer?.status, 200)
  })
})

describe('a soft budget', () => {
  test('lets calls pass, warns in a header and counts', async () => {
    const key = await newKey(harness, { budget: { usd: usd(HOLD), per: 'day', mode: 'soft' } })
    const first = await key.chat('plain')
    const second = await key.chat('plain')
    assert.deepEqual([first.status, second.status], [200, 200])
    assert.equal(first.headers.get('x-gateway-budget-warning'), null)
    assert.match(
      String(second.headers.get('x-gateway-budget-warning')),
      /^key 'limited-\d+': [\d.]+ USD spent and 0 USD held of [\d.]+ USD per day\. It resets at \d{4}-\d\d-\d\d 00:00 UTC\.$/,
    )
    assert.match((await harness.get('/metrics')).text, /switchyard_budget_warnings_total\{scope="key"\} 1\n/)
    assert.match(
      (await harness.get('/metrics')).text,
      /switchyard_limit_refusals_total\{scope="key",kind="budget"\} \d+\n/,
    )
  })
})

describe('a limit that changes while calls run', () => {
  test('removed: the next call passes, the money stays counted', async () => {
    const key = await newKey(harness, hard(HOLD))
    simulator.hold()
    const running = key.chat('plain')
    await until(() => harness.upstream().length === 1, 'one is at the provider')
    assert.equal((await key.chat('plain')).status, 402)
    await key.limit(null)
    const more = key.chat('plain')
    await until(() => harness.upstream().length === 2, 'two are at the provider')
    assert.equal((await totals(key.scope)).held, 2n * HOLD)
    simulator.release()
    assert.deepEqual(statuses(await Promise.all([running, more])), { 200: 2 })
    const spent = (await totals(key.scope)).spent
    await key.limit(hard(spent + HOLD - 1n))
    assert.equal((await key.chat('plain')).status, 402)
    await key.limit(hard(spent + HOLD))
    assert.equal((await key.chat('plain')).status, 200)
  })

  test('lowered below what is spent: calls are refused and nothing becomes negative', async () => {
    const key = await newKey(harness, null)
    assert.equal((await key.chat('plain')).status, 200)
    await key.limit(hard(1n))
    const { status, json } = await key.chat('plain')
    assert.equal(status, 402)
    assert.deepEqual([json.error.details.limit_usd, json.error.details.max_tokens_that_fits], [usd(1n), null])
  })
})

test('what was spent outlives a restart', async () => {
  const folder = newFolder()
  const value = 'gw_live_restart0000000000000000000000000'
  const limits = `{ budget: { usd: "${usd(3n * HOLD)}", per: total } }`
  const config = CONFIG.replace(
    '    routes:',
    `    keys: { kept: { value: ${value}, limits: ${limits} } }\n    routes:`,
  )
  const headers = { authorization: `Bearer ${value}` }
  const first = await startHarness({ config, folder })
  let served = 0
  while ((await first.chat(ask('plain'), headers)).status === 200) served++
  const before = await statusOf(first, WORKSPACE)
  await first.stop()
  const second = await startHarness({ config, folder })
  const later = await statusOf(second, WORKSPACE)
  assert.ok(served > 2)
  assert.deepEqual(later.periods, before.periods)
  assert.equal((await second.chat(ask('plain'), headers)).status, 402)
  await assertVerified(second)
  await second.stop()
})
