import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { startWorld, type World } from '../calls/streams/world.ts'
import type { Json } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { assertVerified, type LimitedKey, newKey } from './limited.ts'

/** One dollar a million prompt tokens, two if they are written to a cache, five a million answer tokens. */
const PRICE =
  'input_per_mtok: "1", cache_write_5m_per_mtok: "2", output_per_mtok: "5", context_window: 100000, max_output_tokens: 4096'
const world: World = await startWorld({
  config: `
providers:
  openai: { speaks: [responses] }
  local: { family: openai, base_url: "\${SIMULATED}", api_key: sk-local-key }
workspaces:
  default:
    routes:
      seen: { chain: [{ provider: openai, model: gpt-seen, retries: 0 }] }
      local: { chain: [{ provider: local, model: gpt-local, retries: 0 }] }
      newer: { chain: [{ provider: local, model: gpt-newer, retries: 0 }] }
      one: { chain: [{ provider: local, model: gpt-one, retries: 0 }] }
      older: { chain: [{ provider: local, model: gpt-older, retries: 0 }] }
      vectors: { chain: [{ provider: local, model: nomic-embed-text, retries: 0 }] }
registry:
  - { provider: openai, model: gpt-seen, ${PRICE} }
${['local', 'newer', 'one', 'older'].map((model) => `  - { provider: local, model: gpt-${model}, ${PRICE} }`).join('\n')}
  - { provider: local, model: nomic-embed-text, mode: embedding, input_per_mtok: "1", output_per_mtok: "0" }
`,
})
const { simulator } = world
// Its account has no dearer tiers: what is held for one is in untold-tiers.test.ts.
await managing(() => world)('PUT', '/providers/local/price-percent', { price_percent: 100 })
beforeEach(() => simulator.reset())
afterEach(() => assertVerified(world))
after(() => world.stop())

/** The window at its most expensive price, and 100 tokens of an answer. */
const WINDOW = 0.2005
const budget = (usd: number) => newKey(world, { budget: { usd: usd.toFixed(6), per: 'day', mode: 'hard' } as never })
const user = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] })
const VIDEO = user({ type: 'video_url', video_url: { url: 'https://example.com/long.mp4' } })
/** Of a server that takes everything. */
const ANSWER = {
  body: {
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 90_000, completion_tokens: 5, total_tokens: 90_005 },
  },
}
const chat = (key: LimitedKey, more: Json, model = 'local') =>
  world.chat({ model, max_tokens: 100, messages: [{ role: 'user', content: 'hello' }], ...more }, key.headers)

describe('a part whose length nobody can tell from the request', () => {
  test('is held with the whole window under a hard budget, or the call is refused', async () => {
    const refused = await chat(await budget(WINDOW - 0.0001), VIDEO)
    assert.deepEqual([refused.status, refused.json.error.code], [402, 'budget_exceeded'])
    assert.equal(world.upstream().length, 0)
    simulator.script('gpt-local', [ANSWER])
    const served = await chat(await budget(WINDOW), VIDEO)
    assert.equal(served.status, 200, served.text)
    assert.equal(Number((await world.rowOf(served))['hold_picodollars']), WINDOW * 1e12)
  })

  test('changes nothing for keys without a hard budget, also with a limit of tokens', async () => {
    simulator.script('gpt-local', [ANSWER])
    const served = await chat(await newKey(world, { tpm: 1_000 }), VIDEO)
    assert.equal(served.status, 200, served.text)
  })
})

test('a field that may cost beside tokens is refused by name under a hard budget, and passes without one', async () => {
  const search = { enable_search: true }
  const refused = await chat(await budget(1), search)
  assert.deepEqual([refused.status, refused.json.error.code], [400, 'unsupported_parameter'])
  assert.match(refused.json.error.message, /^enable_search: a hard budget applies, .*leave it out/)
  assert.equal(world.upstream().length, 0)
  simulator.script('gpt-local', [ANSWER])
  assert.equal((await chat(await newKey(world, null), search)).status, 200)
  assert.equal(world.sent().enable_search, true)
})

describe('an output limit that a compatible server may ignore', () => {
  const limits = () =>
    world.upstream().map(({ body }: Json) => [body.max_tokens ?? null, body.max_completion_tokens ?? null])
  const refusal = (message: string, param: string | null, code: string | null) => ({
    status: 400,
    body: { error: { message, type: 'invalid_request_error', param, code } },
  })
  const newer = { max_tokens: undefined, max_completion_tokens: 7 }
  const wanted =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
  const table: [what: string, route: string, refused: object, learnt: (number | null)[]][] = [
    ['wants the newer name', 'newer', refusal(wanted, 'max_tokens', 'unsupported_parameter'), [null, 7]],
    [
      'takes only one of them',
      'one',
      refusal("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", null, null),
      [null, 7],
    ],
    [
      'does not know the newer name',
      'older',
      refusal("Unknown parameter: 'max_completion_tokens'.", 'max_completion_tokens', 'unknown_parameter'),
      [7, null],
    ],
  ]
  for (const [what, route, refused, learnt] of table) {
    test(`is sent under both names, once, to one that ${what}`, async () => {
      const key = await budget(1)
      simulator.script(`gpt-${route}`, [refused, ANSWER, ANSWER] as never)
      for (let call = 0; call < 2; call++) assert.equal((await chat(key, newer, route)).status, 200)
      assert.deepEqual(limits(), [[7, 7], learnt, learnt])
    })
  }

  test('is sent as the caller sent it without a hard budget', async () => {
    simulator.script('gpt-local', [ANSWER])
    assert.equal((await chat(await newKey(world, null), newer)).status, 200)
    assert.deepEqual(limits(), [[null, 7]])
  })
})

test('embeddings take no second prompt under a hard budget, and hold for the instructions of an input type', async () => {
  const { headers } = await budget(1)
  const embed = (more: Json) => world.embed({ model: 'vectors', input: 'x', ...more }, headers)
  const refused = await embed({ messages: [{ role: 'user', content: 'x'.repeat(9_000) }] })
  assert.equal(refused.status, 400)
  assert.match(refused.json.error.message, /^messages: a hard budget applies/)
  const holdOf = async (more: Json) => Number((await world.rowOf(await embed(more)))['hold_picodollars'])
  assert.equal((await holdOf({ input_type: 'query' })) - (await holdOf({})), 64e6)
})

describe('a caller who reads a stream and leaves before its tokens are counted', () => {
  /** What was held for the prompt, what is booked, and who counted. */
  async function leaves(path: string, body: Json, key: LimitedKey) {
    simulator.script(body.model === 'seen' ? 'gpt-seen' : 'gpt-local', [
      { stream: { steps: [{ play: 'first' }, 'stall', { play: 'done' }] } },
    ])
    const leaving = new AbortController()
    const response = await fetch(world.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...key.headers },
      body: JSON.stringify({ stream: true, ...body }),
      signal: leaving.signal,
    })
    assert.equal(response.status, 200)
    await response.body?.getReader().read()
    leaving.abort()
    await world.nothingRuns()
    const id = response.headers.get('x-gateway-request-id')
    const row = (await world.rows()).find((each) => each.id === id) ?? assert.fail(String(id))
    const { hold_picodollars: hold, cost_picodollars: cost, cost_most_picodollars: most } = row
    const output = 100 * 5e6
    assert.ok(Number(cost) <= Number(most) && Number(cost) <= Number(hold), JSON.stringify(row))
    return { ended: row['ended'], source: row['usage_source'], prompt: Number(hold) - output, cost: Number(cost) }
  }

  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
  const chatBody = (content: unknown) => ({ model: 'local', max_tokens: 100, messages: [{ role: 'user', content }] })
  const table: [what: string, path: string, body: Json, prompt: number][] = [
    ['an image by address', '/v1/chat/completions', chatBody([image]), 50_000],
    ['a file at the provider', '/v1/chat/completions', chatBody([{ type: 'file', file: { file_id: 'f' } }]), 100_000],
    [
      'what the provider keeps',
      '/v1/responses',
      { model: 'seen', input: 'x', max_output_tokens: 100, previous_response_id: 'resp_0123456789abcdef' },
      100_000,
    ],
  ]
  for (const [what, path, body, tokens] of table) {
    test(`pays what was held for a prompt with ${what}`, async () => {
      const { ended, source, prompt, cost } = await leaves(path, body, await budget(1))
      assert.deepEqual([ended, source], ['caller_left', 'prompt_held'])
      assert.ok(prompt >= tokens * 2e6 && cost >= prompt, `${cost} of ${prompt}`)
      const { json } = await managing(() => world)('POST', '/verify')
      assert.deepEqual(json.differences, [])
    })
  }

  test('pays an estimate for a text, and without a hard budget for everything', async () => {
    const path = '/v1/chat/completions'
    const text = await leaves(path, chatBody('hello'), await budget(1))
    const unlimited = await leaves(path, chatBody([image]), await newKey(world, null))
    for (const { ended, source, cost } of [text, unlimited]) {
      assert.deepEqual([ended, source], ['caller_left', 'estimated'])
      assert.ok(cost < 1e9, String(cost))
    }
  })

  test('the same for a whole answer without a count', async () => {
    const { choices } = ANSWER.body
    simulator.script('gpt-local', [{ body: { choices } }])
    const row = await world.rowOf(await chat(await budget(1), user(image)))
    assert.equal(row['usage_source'], 'prompt_held')
    assert.ok(Number(row['cost_picodollars']) >= Number(row['hold_picodollars']) - 100 * 5e6)
  })
})
