import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, test } from 'node:test'
import type { Limits } from '../../src/domain/limits.ts'
import { type Answered, type Harness, startHarness, until } from '../harness.ts'
import { ask, assertVerified, newKey, statuses, usd } from './limited.ts'

/** What an answer token costs, in USD for a million; prompts are nearly free. */
const CONFIG = `
workspaces:
  default:
    routes:
      dear: { chain: [{ provider: openai, model: gpt-dear }] }
      both: { chain: [{ provider: openai, model: gpt-dear }, { provider: openai, model: gpt-middle }, { provider: anthropic, model: claude-cheap }] }
      cheap: { chain: [{ provider: anthropic, model: claude-cheap }] }
registry:
  - { provider: openai, model: gpt-dear, input_per_mtok: "0.000001", output_per_mtok: "100", max_output_tokens: 4096 }
  - { provider: openai, model: gpt-middle, input_per_mtok: "0.000001", output_per_mtok: "10", max_output_tokens: 4096 }
  - { provider: anthropic, model: claude-cheap, input_per_mtok: "0.000001", output_per_mtok: "1", max_output_tokens: 4096 }
`
const harness: Harness = await startHarness({ config: CONFIG })
const { simulator } = harness
beforeEach(() => simulator.reset())
afterEach(async () => {
  simulator.release()
  await assertVerified(harness)
})
after(() => harness.stop())

/** A call has 100 answer tokens at most: so many dollars at each model, with room for its prompt. */
const DEAR = 10_010_000_000n
const MIDDLE = 1_010_000_000n
const CHEAP = 110_000_000n

const stepping = (picodollars: bigint, route?: string): Limits => ({
  budget: {
    ...{ usd: usd(picodollars), per: 'total', mode: 'hard', when_tight: 'step_down' },
    ...(route !== undefined && { step_down_to: route }),
  },
})

const servedBy = (answer: Answered) => [
  answer.headers.get('x-gateway-model'),
  answer.headers.get('x-gateway-fallback-used'),
  // What is pinned under a hard budget is another matter.
  answer.headers
    .get('x-gateway-adjusted')
    ?.split(', ')
    .find((each) => each.includes('stepped_down')) ?? null,
]

test('a call goes to the first entry of its route that what is left covers', async () => {
  const key = await newKey(harness, stepping(MIDDLE))
  const answer = await key.chat('both')
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(servedBy(answer), ['gpt-middle', 'true', 'model=gpt-middle;stepped_down;from=gpt-dear'])
  const row = await harness.rowOf(answer)
  assert.match(String(row['adjustments']), /stepped_down/)
  assert.match(String(row['attempts']), /skipped: what is left of the budget does not cover it/)
  assert.deepEqual(
    harness.upstream().map(({ model }) => model),
    ['gpt-middle'],
  )
})

test('or to a route that the budget names', async () => {
  const key = await newKey(harness, stepping(CHEAP, 'cheap'))
  const answer = await key.chat('dear')
  assert.deepEqual(servedBy(answer), ['claude-cheap', 'true', 'model=claude-cheap;stepped_down;from=gpt-dear'])
})

test('as long as everything fits, nothing is stepped over', async () => {
  const key = await newKey(harness, stepping(DEAR))
  assert.deepEqual(servedBy(await key.chat('both')), ['gpt-dear', 'false', null])
})

test('where nothing cheaper fits, the refusal has the figures', async () => {
  const key = await newKey(harness, stepping(CHEAP - 50_000_000n, 'cheap'))
  const answer = await key.chat('both')
  assert.equal(answer.status, 402)
  assert.equal(answer.json.error.details.when_tight, 'step_down')
  assert.deepEqual(harness.upstream(), [])
})

test('many at once: the dear one first, then cheaper ones, never above the budget', async () => {
  const key = await newKey(harness, stepping(DEAR + MIDDLE + 2n * CHEAP))
  simulator.hold()
  let refused = 0
  const all = Promise.all(
    Array.from({ length: 12 }, async () => {
      const answer = await key.chat('both')
      if (answer.status === 402) refused++
      return answer
    }),
  )
  await until(() => harness.upstream().length === 4 && refused === 8, 'all are decided')
  simulator.release()
  assert.deepEqual(statuses(await all), { 200: 4, 402: 8 })
  const asked = harness.upstream().map(({ model }) => model)
  assert.deepEqual(asked.toSorted(), ['claude-cheap', 'claude-cheap', 'gpt-dear', 'gpt-middle'])
})

test('of a session it steps down alike', async () => {
  const key = await newKey(harness, {
    budgets: [{ each: 'session', usd: usd(MIDDLE), per: 'total', mode: 'hard', when_tight: 'step_down' }],
  })
  const answer = await harness.chat(ask('both'), { ...key.headers, 'x-gateway-session': 'a' })
  assert.deepEqual(servedBy(answer)[0], 'gpt-middle')
  assert.equal((await key.chat('both')).headers.get('x-gateway-model'), 'gpt-dear')
})

test('a budget warns from the part that it names', async () => {
  const budget = { usd: usd(2n * DEAR), per: 'total', mode: 'hard', warn_at: 1 } as const
  for (const limits of [{ budget }, { budgets: [{ ...budget, each: 'session' }] }] satisfies Limits[]) {
    const key = await newKey(harness, limits)
    const send = () => harness.chat(ask('dear'), { ...key.headers, 'x-gateway-session': 'w' })
    const first = await send()
    assert.equal(first.headers.get('x-gateway-budget-warning'), null)
    // An answer costs more than one percent of it.
    const second = await send()
    assert.equal(second.status, 200)
    assert.match(second.headers.get('x-gateway-budget-warning') ?? '', /key 'limited-\d+': .* of .* USD in total/)
  }
})

test('bad input names the field', async () => {
  const { managing } = await import('../management/manage.ts')
  const manage = managing(() => harness)
  const create = async (budget: unknown) => {
    const answer = await manage('POST', '/keys', { name: `bad-${refusedKeys++}`, limits: { budget } })
    assert.equal(answer.status, 400, answer.text)
    return answer.json.error.message as string
  }
  const good = { usd: '1', per: 'day' }
  assert.match(await create({ ...good, step_down_to: 'cheap' }), /step_down_to: only with when_tight: step_down/)
  assert.match(await create({ ...good, mode: 'soft', when_tight: 'step_down' }), /a soft budget refuses nothing/)
  assert.match(await create({ ...good, warn_at: 100 }), /warn_at/)
})

test('a route to step down to has to be one that the workspace can use', async () => {
  const { managing } = await import('../management/manage.ts')
  const manage = managing(() => harness)
  const stepsTo = (route: string) => ({ usd: '1', per: 'day', when_tight: 'step_down', step_down_to: route })
  const limits = { budgets: [stepsTo('cheap'), { ...stepsTo('gone'), each: 'session' }] }
  const key = await newKey(harness, null)
  const refusals = [
    await manage('POST', '/keys', { name: `bad-${refusedKeys++}`, limits }),
    await manage('PATCH', `/keys/${key.id}`, { limits }),
    await manage('PATCH', '/workspaces/default', { limits }),
    await manage('PUT', '/key-templates/gone', { workspace: 'default', max_keys: 1, limits }),
  ]
  for (const answer of refusals) {
    assert.equal(answer.status, 400, answer.text)
    const { message } = answer.json.error
    assert.match(message, /limits\.budgets\[1\]\.step_down_to: there is no route 'gone' in workspace 'default'/)
  }
  const chain = [{ provider: 'anthropic', model: 'claude-cheap' }]
  await manage('POST', '/workspaces', { name: 'sharing' })
  assert.equal((await manage('PUT', '/routes/gone?workspace=sharing', { chain, shared: true })).status, 201)
  assert.equal((await manage('PATCH', `/keys/${key.id}`, { limits })).status, 200)
})
let refusedKeys = 0
