import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { LARGE_BYTES } from '../../src/bodies/bodies.ts'
import type { Limits } from '../../src/domain/limits.ts'
import type { Adjustment } from '../../src/domain/request/adjustment.ts'
import { type Answered, type Harness, hello, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { assertVerified, mostUsed, newKey, newWorkspace, statuses, statusOf } from './limited.ts'

/** Thirty dollars per million answer tokens, at most 128,000 of them: up to 3.84 USD a call. */
const PRICES = 'input_per_mtok: "5", output_per_mtok: "30"'
const CONFIG = `
workspaces:
  default:
    routes:
      dear: { chain: [{ provider: openai, model: gpt-dear }] }
      dear-claude: { chain: [{ provider: anthropic, model: claude-dear }] }
      short: { chain: [{ provider: openai, model: gpt-dear, max_output_tokens: 300 }] }
      mixed: { chain: [{ provider: openai, model: gpt-sim-500, retries: 0 }, { provider: anthropic, model: claude-dear, max_output_tokens: 64000 }] }
      unpriced: { chain: [{ provider: openai, model: gpt-dear }, { provider: openai, model: gpt-unpriced }] }
      endless: { chain: [{ provider: openai, model: gpt-endless }] }
registry:
  - { provider: openai, model: gpt-dear, ${PRICES}, max_output_tokens: 128000 }
  - { provider: openai, model: gpt-sim-500, input_per_mtok: "0.1", output_per_mtok: "0.4", max_output_tokens: 128000 }
  - { provider: anthropic, model: claude-dear, ${PRICES}, max_output_tokens: 128000 }
  - { provider: openai, model: gpt-endless, ${PRICES} }
`
const PER_TOKEN = 30_000_000n
const PER_BYTE = 5_000_000n

const harness: Harness = await startHarness({ config: CONFIG })
const { simulator } = harness
beforeEach(() => simulator.reset())
afterEach(async () => {
  simulator.release()
  await assertVerified(harness)
})
after(() => harness.stop())

const fit = (usd: string, more: Partial<NonNullable<Limits['budget']>> = {}): Limits => ({
  budget: { usd, per: 'total', mode: 'hard', when_tight: 'fit', ...more },
})
const bytesOf = (body: unknown) => BigInt(JSON.stringify(body).length)
const fitting = (picodollars: bigint, body: unknown) => Number((picodollars - bytesOf(body) * PER_BYTE) / PER_TOKEN)
/** What a row says of limits; what a hard budget pins beside them is tested elsewhere. */
const adjusted = async (answer: Answered): Promise<Adjustment[]> => {
  const all: Adjustment[] = JSON.parse(String((await harness.rowOf(answer))['adjustments'] ?? '[]'))
  return all.filter(({ reason }) => reason !== 'pinned')
}

describe('a fresh key with 0.40 USD asking "hi" at a dear model', () => {
  const body = { model: 'dear', messages: [{ role: 'user', content: 'hi' }] }

  test('is refused by default, and told both ways out', async () => {
    const key = await newKey(harness, { budget: { usd: '0.40', per: 'total', mode: 'hard' } })
    const { status, json } = await harness.chat(body, key.headers)
    assert.deepEqual([status, json.error.code], [402, 'budget_exceeded'])
    const tokens = fitting(400_000_000_000n, body)
    assert.equal(json.error.details.max_tokens_that_fits, tokens)
    assert.equal(json.error.details.when_tight, 'refuse')
    for (const part of [`max_tokens ${tokens} or lower`, 'max_output_tokens', 'when_tight: fit']) {
      assert.ok(json.error.message.includes(part), `${part}: ${json.error.message}`)
    }
  })

  // A family that needs a limit sends 1024 by default, which is too expensive for two cents.
  for (const [model, usd, left] of [
    ['dear', '0.40', 400_000_000_000n],
    ['dear-claude', '0.02', 20_000_000_000n],
  ] as const) {
    test(`is served with fit (${model}, ${usd} USD), with the largest limit that fits, and told so`, async () => {
      const key = await newKey(harness, fit(usd))
      const answer = await harness.chat({ ...body, model }, key.headers)
      assert.equal(answer.status, 200, answer.text)
      const tokens = fitting(left, { ...body, model })
      assert.equal(harness.sent().max_tokens, tokens)
      assert.match(String(answer.headers.get('x-gateway-adjusted')), new RegExp(`max_tokens.*${tokens}`))
      assert.deepEqual(await adjusted(answer), [{ field: 'max_tokens', value: tokens, reason: 'fitted_to_budget' }])
      const row = await harness.rowOf(answer)
      const held = BigInt(String(row['hold_picodollars']))
      assert.equal(held, bytesOf({ ...body, model }) * PER_BYTE + BigInt(tokens) * PER_TOKEN)
      assert.ok(BigInt(String(row['cost_picodollars'])) <= held)
    })
  }

  test('one call after the other, the budget is usable nearly to its end', async () => {
    const key = await newKey(harness, fit('0.40'))
    let answer = await harness.chat(body, key.headers)
    while (answer.status === 200) answer = await harness.chat({ ...body, n: 50 }, key.headers)
    assert.equal(answer.status, 402)
    const { spent } = (await statusOf(harness, key.scope)).periods.total
    const floor = 50n * 256n * PER_TOKEN + bytesOf({ ...body, n: 50 }) * PER_BYTE
    assert.ok(spent <= 400_000_000_000n && spent + floor > 400_000_000_000n)
  })
})

describe('fit', () => {
  test('lowers a limit of the caller too, under the name the caller used', async () => {
    for (const name of ['max_tokens', 'max_completion_tokens']) {
      const body = hello('dear', { [name]: 100_000 })
      const answer = await harness.chat(body, (await newKey(harness, fit('0.40'))).headers)
      assert.equal(answer.status, 200, answer.text)
      const tokens = fitting(400_000_000_000n, body)
      assert.equal(harness.sent()[name], tokens)
      assert.deepEqual(await adjusted(answer), [{ field: name, value: tokens, reason: 'fitted_to_budget' }])
    }
  })

  test('leaves alone what fits as it is', async () => {
    const answer = await harness.chat(hello('dear', { max_tokens: 100 }), (await newKey(harness, fit('0.40'))).headers)
    assert.equal(answer.status, 200)
    assert.doesNotMatch(String(answer.headers.get('x-gateway-adjusted')), /max_tokens/)
    assert.deepEqual(await adjusted(answer), [])
    assert.equal(harness.sent().max_tokens, 100)
  })

  test('refuses below its floor, and says which', async () => {
    const body = hello('dear')
    const atFloor = bytesOf(body) * PER_BYTE + 1000n * PER_TOKEN
    const usd = (picodollars: bigint) => `0.${String(picodollars).padStart(12, '0')}`
    const served = await harness.chat(body, (await newKey(harness, fit(usd(atFloor), { fit_at_least: 1000 }))).headers)
    assert.equal(served.status, 200, served.text)
    assert.equal(harness.sent().max_tokens, 1000)
    const key = await newKey(harness, fit(usd(atFloor - 1n), { fit_at_least: 1000 }))
    const { status, json } = await harness.chat(body, key.headers)
    assert.equal(status, 402)
    assert.deepEqual(
      [json.error.details.max_tokens_that_fits, json.error.details.when_tight, json.error.details.fit_at_least],
      [999, 'fit', 1000],
    )
    assert.match(json.error.message, /fit_at_least.*1000/)
  })

  test('is 256 tokens where nothing is said', async () => {
    const body = hello('dear')
    const limit = bytesOf(body) * PER_BYTE + 255n * PER_TOKEN
    const { status, json } = await harness.chat(
      body,
      (await newKey(harness, fit(`0.${String(limit).padStart(12, '0')}`))).headers,
    )
    assert.deepEqual([status, json.error.details.fit_at_least], [402, 256])
  })

  test('fits each entry of the chain by itself, and the fallback serves with its own', async () => {
    const key = await newKey(harness, fit('0.40'))
    const answer = await harness.chat(hello('mixed'), key.headers)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers.get('x-gateway-fallback-used'), 'true')
    const [first, second] = harness.upstream().map((call) => call.body as Record<string, unknown>)
    assert.equal(first?.['max_tokens'], undefined)
    assert.equal(second?.['max_tokens'], fitting(400_000_000_000n, hello('mixed')))
  })

  test('of the workspace binds a key without a budget', async () => {
    await newWorkspace(harness, 'small', fit('0.40'))
    const chain = [{ provider: 'openai', model: 'gpt-dear' }]
    await managing(() => harness)('PUT', '/routes/dear?workspace=small', { chain })
    const key = await newKey(harness, null, 'small')
    assert.equal((await harness.chat(hello('dear'), key.headers)).status, 200)
    assert.equal(harness.sent().max_tokens, fitting(400_000_000_000n, hello('dear')))
  })

  test('500 calls at once never exceed a small budget, and whatever is left is used', async () => {
    const key = await newKey(harness, fit('0.40'))
    let ended = 0
    const [answers, most] = await mostUsed(harness, key.scope, () =>
      Promise.all(
        Array.from({ length: 500 }, async () => {
          const answer = await harness.chat(hello('dear'), key.headers)
          ended++
          return answer
        }),
      ),
    )
    assert.equal(ended, 500)
    const { 200: served = 0, 402: refused = 0 } = statuses(answers)
    assert.equal(served + refused, 500)
    assert.ok(served > 0)
    assert.ok(most <= 400_000_000_000n, String(most))
    await until(async () => (await statusOf(harness, key.scope)).periods.total.held === 0n, 'nothing is held')
    assert.ok((await statusOf(harness, key.scope)).periods.total.spent <= 400_000_000_000n)
  })

  test('with parallel calls under a default limit, all of them fit side by side', async () => {
    const key = await newKey(harness, { ...fit('0.40'), max_output_tokens: 500 })
    simulator.hold()
    const calls = Promise.all(Array.from({ length: 20 }, () => harness.chat(hello('dear'), key.headers)))
    await until(() => harness.upstream().length === 20, 'all are at the provider')
    simulator.release()
    assert.deepEqual(statuses(await calls), { 200: 20 })
  })
})

describe('a default of max_output_tokens', () => {
  test('of the entry goes before that of the key, that before the one of the workspace; the caller before all', async () => {
    const manage = managing(() => harness)
    await manage('POST', '/workspaces', { name: 'defaults', limits: { max_output_tokens: 700 } })
    const chain = (more: object) => ({ chain: [{ provider: 'openai', model: 'gpt-dear', ...more }] })
    await manage('PUT', '/routes/plain?workspace=defaults', chain({}))
    await manage('PUT', '/routes/short?workspace=defaults', chain({ max_output_tokens: 300 }))
    const without = await newKey(harness, null, 'defaults')
    const own = await newKey(harness, { max_output_tokens: 500 }, 'defaults')
    for (const [key, model, more, expected] of [
      [without, 'plain', {}, 700],
      [own, 'plain', {}, 500],
      [own, 'short', {}, 300],
      [own, 'short', { max_tokens: 900 }, 900],
      [own, 'plain', { max_tokens: null }, 500],
    ] as const) {
      const answer = await harness.chat(hello(model, more), key.headers)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(harness.sent().max_tokens, expected)
      const isOwn = (more as Record<string, unknown>)['max_tokens'] === 900
      const expectedRow = isOwn ? [] : [{ field: 'max_tokens', value: expected, reason: 'default_limit' }]
      assert.deepEqual(await adjusted(answer), expectedRow)
      assert.equal((await harness.rowOf(answer))['hold_tokens'], JSON.stringify(hello(model, more)).length + expected)
    }
  })

  test('caller naming max_completion_tokens gets no second limit', async () => {
    const key = await newKey(harness, { max_output_tokens: 500 })
    await harness.chat(hello('dear', { max_completion_tokens: 20 }), key.headers)
    assert.deepEqual([harness.sent().max_tokens, harness.sent().max_completion_tokens], [undefined, 20])
  })

  test('replaces the 1024 of the family that needs a limit, which stays without one', async () => {
    await harness.chat(hello('dear-claude'))
    assert.equal(harness.sent().max_tokens, 1024)
    await harness.chat(hello('dear-claude'), (await newKey(harness, { max_output_tokens: 2000 })).headers)
    assert.equal(harness.sent().max_tokens, 2000)
  })

  test('is nothing that is used up: it is not listed among the budgets', async () => {
    const manage = managing(() => harness)
    const [own, both] = [await newKey(harness, { max_output_tokens: 5 }), await newKey(harness, { rpm: 9 })]
    const listed = (await manage('GET', '/budgets?limit=100')).json.data.map(({ id }: { id: string }) => id)
    assert.deepEqual([listed.includes(own.id), listed.includes(both.id)], [false, true])
  })

  test('is never more than the model can give', async () => {
    await harness.chat(hello('dear'), (await newKey(harness, { max_output_tokens: 1_000_000 })).headers)
    assert.equal(harness.sent().max_tokens, 128_000)
  })
})

describe('long bodies', () => {
  const texts = [
    ['on the serving thread', 'word '.repeat(20_000)],
    ['in the worker', 'word '.repeat(40_000)],
    ['in the worker, of megabytes', 'word '.repeat(500_000)],
  ] as const
  for (const [where, content] of texts) {
    for (const model of ['dear', 'dear-claude']) {
      test(`${where}, ${model}: the default and the fitted limit are sent, and nothing else changes`, async () => {
        const body = { model, messages: [{ role: 'user', content }] }
        assert.equal(JSON.stringify(body).length >= LARGE_BYTES, where.startsWith('in the worker'))
        const key = await newKey(harness, { max_output_tokens: 500 })
        assert.equal((await harness.chat(body, key.headers)).status, 200)
        const { model: sentModel, ...sent } = harness.sent()
        assert.ok(sentModel.endsWith('-dear'))
        assert.deepEqual(Object.keys(sent).toSorted(), ['max_tokens', 'messages'])
        assert.equal(sent.max_tokens, 500)
        assert.ok(sent.messages[0].content === content)

        const budget = 14_000_000_000_000n
        const tight = await newKey(harness, fit('14', { fit_at_least: 1 }))
        const answer = await harness.chat({ ...body, max_tokens: 1_000_000 }, tight.headers)
        assert.equal(answer.status, 200, answer.text)
        const tokens = fitting(budget, { ...body, max_tokens: 1_000_000 })
        assert.equal(harness.sent().max_tokens, tokens)
        assert.ok(harness.sent().messages[0].content === content)
        assert.deepEqual(await adjusted(answer), [{ field: 'max_tokens', value: tokens, reason: 'fitted_to_budget' }])
      })
    }
  }
})

describe('under a hard budget', () => {
  test('an unknown price has a code of its own, no reset time, no figures of the budget, and the way out', async () => {
    for (const limits of [fit('1000'), { budget: { usd: '1000', per: 'day', mode: 'hard' } } as Limits]) {
      const key = await newKey(harness, limits)
      const answer = await harness.chat(hello('unpriced'), key.headers)
      assert.deepEqual([answer.status, answer.json.error.code], [402, 'price_unknown'])
      assert.equal(answer.headers.get('retry-after'), null)
      assert.deepEqual(answer.json.error.details, {
        scope: 'key',
        scope_id: key.id,
        provider: 'openai',
        model: 'gpt-unpriced',
        unknown: 'price',
      })
      for (const part of ['switchyard registry put openai/gpt-unpriced', 'PUT /registry/', 'switchyard.yaml']) {
        assert.ok(answer.json.error.message.includes(part), answer.json.error.message)
      }
      assert.doesNotMatch(answer.json.error.message, /resets|spent/)
      assert.equal((await harness.rowOf(answer)).code, 'price_unknown')
    }
  })

  test('an unknown length of the answer too, and the limit that the caller sends mends it', async () => {
    const key = await newKey(harness, fit('1000'))
    const answer = await harness.chat(hello('endless'), key.headers)
    assert.deepEqual([answer.status, answer.json.error.code], [402, 'length_unknown'])
    assert.equal(answer.json.error.details.unknown, 'max_output_tokens')
    assert.match(answer.json.error.message, /maximum output length of openai\/gpt-endless is unknown.*max_tokens/)
    assert.equal((await harness.chat(hello('endless', { max_tokens: 5 }), key.headers)).status, 200)
    await key.limit({ ...fit('1000'), max_output_tokens: 100 })
    assert.equal((await harness.chat(hello('endless'), key.headers)).status, 200)
  })

  test('and so has a file whose length nobody can bound', async () => {
    const key = await newKey(harness, fit('1000'))
    const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,aGVsbG8=', filename: 'a.pdf' } }
    const body = { model: 'dear', messages: [{ role: 'user', content: [file] }], max_tokens: 5 }
    const { status, json } = await harness.chat(body, key.headers)
    assert.deepEqual([status, json.error.code, json.error.details.unknown], [402, 'length_unknown', 'context_window'])
    assert.match(json.error.message, /switchyard registry put openai\/gpt-dear --context-window/)
  })
})
