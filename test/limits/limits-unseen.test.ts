import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { startWorld, type World } from '../calls/streams/world.ts'
import type { Json } from '../harness.ts'
import { assertVerified, type LimitedKey, newKey } from './limited.ts'

/** One dollar a million prompt tokens, two if they are written to a cache, five a million answer tokens. */
const PRICE =
  'input_per_mtok: "1", cache_write_5m_per_mtok: "2", output_per_mtok: "5", context_window: 100000, max_output_tokens: 4096'
const world: World = await startWorld({
  config: `
providers:
  local: { family: openai, base_url: "\${SIMULATED}", api_key: sk-local-key }
workspaces:
  default:
    routes:
      seen: { chain: [{ provider: openai, model: gpt-seen, retries: 0 }] }
      local: { chain: [{ provider: local, model: gpt-local, retries: 0 }] }
      vectors: { chain: [{ provider: local, model: text-embedding-local, retries: 0 }] }
registry:
  - { provider: openai, model: gpt-seen, ${PRICE} }
  - { provider: local, model: gpt-local, ${PRICE} }
  - { provider: local, model: text-embedding-local, input_per_mtok: "1", output_per_mtok: "0" }
`,
})
const { simulator } = world
beforeEach(() => simulator.reset())
afterEach(() => assertVerified(world))
after(() => world.stop())

/** The window at its dearest price, and 100 tokens of an answer. */
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
