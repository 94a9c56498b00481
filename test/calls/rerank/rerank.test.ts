import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { scoreOf } from '../../../simulator/openai/rerank.ts'
import { type Harness, type Json, KEY, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'

const harness: Harness = await startHarness({
  config: `
providers:
  local: { family: openai, base_url: "\${SIMULATED}", api_key: local-key }
  cohere: { preset: cohere, base_url: "\${SIMULATED}", api_key: co-key }
  voyage: { preset: voyage, base_url: "\${SIMULATED}", api_key: v-key }
  groq: { preset: groq, base_url: "\${SIMULATED}", api_key: g-key }
workspaces:
  default:
    routes:
      by-tokens: { chain: [{ provider: local, model: rank-tokens }] }
      by-units: { chain: [{ provider: cohere, model: rank-units }] }
      twice: { chain: [{ provider: local, model: rank-sim-500, retries: 0 }, { provider: local, model: rank-tokens }] }
      mixed: { interchangeable: true, chain: [{ provider: local, model: rank-sim-500, retries: 0 }, { provider: local, model: rank-tokens }] }
      talk: { chain: [{ provider: local, model: talker }] }
      counted: { chain: [{ provider: voyage, model: rerank-2.5 }] }
      vectors: { chain: [{ provider: voyage, model: voyage-embed }] }
      none: { chain: [{ provider: groq, model: rank }] }
registry:
  - { provider: local, model: rank-tokens, mode: rerank, input_per_mtok: "0.05", output_per_mtok: "0" }
  - { provider: local, model: rank-sim-500, mode: rerank, input_per_mtok: "0.05", output_per_mtok: "0" }
  - { provider: local, model: talker, mode: chat, input_per_mtok: "1", output_per_mtok: "1" }
  - { provider: cohere, model: rank-units, mode: rerank, unit_prices: [{ name: search_unit, unit: search, usd_per_1000: "2" }] }
`,
})
const { simulator } = harness
const manage = managing(() => harness)
beforeEach(() => simulator.reset())
after(() => harness.stop())

const QUERY = 'When does the train leave?'
const DOCUMENTS = ['At ten.', 'On track seven.', 'Never on Sundays.']
const ORDER = DOCUMENTS.map((text, index) => ({ index, relevance_score: scoreOf(QUERY, text) })).toSorted(
  (a, b) => b.relevance_score - a.relevance_score,
)

async function rerank(body: object, key = KEY) {
  const answer = await fetch(`${harness.url}/v1/rerank`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: QUERY, documents: DOCUMENTS, ...body }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) as Json }
}

describe('an answer', () => {
  test('has the results, best first, our id and model, and is priced by tokens', async () => {
    const { status, headers, json, text } = await rerank({ model: 'by-tokens', return_documents: true })
    assert.equal(status, 200, text)
    assert.match(json.id, /^rrk_/)
    assert.equal(json.model, 'by-tokens')
    assert.deepEqual(
      json.results,
      ORDER.map((result) => ({ ...result, document: { text: DOCUMENTS[result.index] } })),
    )
    const { total_tokens: tokens } = json.usage
    assert.ok(tokens > 0)
    assert.equal(headers.get('x-gateway-provider'), 'local')
    const row = (await harness.rows()).find(({ id }) => id === headers.get('x-gateway-request-id'))
    assert.deepEqual([row?.['endpoint'], row?.['prompt_tokens']], ['rerank', tokens])
    assert.equal(BigInt(row?.['cost_picodollars'] as number), BigInt(tokens) * 50_000n)
  })

  test('is priced by search units where the vendor bills those: 250 documents are three', async () => {
    const documents = Array.from({ length: 250 }, (_, at) => ({ text: `Line ${at}` }))
    const { status, headers, json, text } = await rerank({ model: 'by-units', documents, top_n: 5 })
    assert.equal(status, 200, text)
    assert.deepEqual([json.results.length, json.meta], [5, { billed_units: { search_units: 3 } }])
    assert.equal(headers.get('x-gateway-cost-usd'), '0.006000')
    const [call] = harness.upstream()
    assert.equal(call?.path, '/v2/rerank')
    assert.deepEqual((call?.body as Json | undefined)?.documents[0], 'Line 0')
    const id = headers.get('x-gateway-request-id')
    const explained = await manage('GET', `/requests/${id}/explain`)
    assert.match(explained.json.cost_lines.join('\n'), /search_unit.*3 × search/s)
  })

  test('is priced as a vendor counts that reads the query with each document (R2)', async () => {
    const data = [{ index: 1, relevance_score: 0.5, document: 'x' }]
    simulator.script('rerank-2.5', [{ body: { object: 'list', data, usage: { total_tokens: 32_000 } } }])
    const { headers, json, text } = await rerank({ model: 'counted', top_n: 1 })
    assert.deepEqual([json.results, json.usage?.total_tokens], [[{ index: 1, relevance_score: 0.5 }], 32_000], text)
    assert.equal(headers.get('x-gateway-cost-usd'), '0.001600')
    assert.equal((harness.upstream()[0]?.body as Json | undefined)?.top_k, 1)
  })

  test('of a large body is the same', async () => {
    const documents = Array.from({ length: 4_000 }, (_, at) => `${at} ${'long '.repeat(60)}`)
    const { status, json, text } = await rerank({ model: 'by-tokens', documents, top_n: 2, return_documents: true })
    assert.equal(status, 200, text.slice(0, 300))
    assert.deepEqual(
      json.results.map(({ document }: Json) => document.text),
      json.results.map(({ index }: Json) => documents[index]),
    )
  })
})

describe('a hard budget', () => {
  const keyWith = async (usd: string) => {
    const limits = { budget: { usd, per: 'total' } }
    const { json, text } = await manage('POST', '/keys?workspace=default', { name: `b${usd}`, limits })
    assert.ok(typeof json.value === 'string', text)
    return json.value as string
  }

  test('covers the units before the call, and is never exceeded', async () => {
    const key = await keyWith('0.005')
    const documents = Array.from({ length: 150 }, () => 'short')
    assert.equal((await rerank({ model: 'by-units', documents }, key)).status, 200)
    const refused = await rerank({ model: 'by-units', documents }, key)
    assert.deepEqual([refused.status, refused.json.error.code], [402, 'budget_exceeded'])
    assert.equal(harness.upstream().length, 1)
  })
})

test('a vendor without chats embeds, and answers no chat', async () => {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const asked = { model: 'vectors', input: ['x'], dimensions: 4, encoding_format: 'float' }
  const answer = await fetch(`${harness.url}/v1/embeddings`, { method: 'POST', headers, body: JSON.stringify(asked) })
  assert.equal(answer.status, 200)
  assert.deepEqual(harness.upstream()[0]?.body, { model: 'voyage-embed', input: ['x'], output_dimension: 4 })
  const chat = await harness.chat({ model: 'vectors', messages: [{ role: 'user', content: 'x' }] } as never)
  assert.match((chat.json as Json).error.message, /The provider 'voyage' does not offer chat/)
})

describe('what cannot be', () => {
  for (const [what, body, status, message] of [
    ['no documents', { model: 'by-tokens', documents: [] }, 400, /documents: expected a list of 1 to 10000 texts/],
    ['a chat model', { model: 'talk' }, 400, /is for chat, by its mode in the registry/],
    ['a vendor without such models', { model: 'none' }, 400, /does not offer rerank/],
    [
      'a field that a strict vendor does not take',
      { model: 'by-units', instruction: 'x' },
      400,
      /instruction: this provider does not take it/,
    ],
    ['another model of the chain', { model: 'twice' }, 502, /./],
  ] as const) {
    test(what, async () => {
      const answer = await rerank(body)
      assert.equal(answer.status, status, answer.text)
      assert.match(answer.json.error.message, message)
    })
  }

  test('models that give comparable answers may fall back', async () => {
    const answer = await rerank({ model: 'mixed' })
    assert.deepEqual([answer.status, answer.headers.get('x-gateway-fallback-used')], [200, 'true'])
  })
})
