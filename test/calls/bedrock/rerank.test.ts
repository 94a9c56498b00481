import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { scoreOf } from '../../../simulator/openai/rerank.ts'
import { type Harness, type Json, KEY, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'
import { BEDROCK_KEY } from './world.ts'

const AMAZON = 'amazon.rerank-v1:0'
const ARN = 'arn:aws:bedrock:eu-west-1::foundation-model/cohere.rerank-v3-5:0'
const UNITS = 'mode: rerank, unit_prices: [{ name: search_unit, unit: search, usd_per_1000: "1" }]'
let harness: Harness
before(async () => {
  harness = await startHarness({
    config: `
providers:
  bedrock: { family: bedrock, base_url: "\${SIMULATED_BEDROCK}", settings: { region: us-east-1 }, api_key: ${BEDROCK_KEY} }
workspaces:
  default:
    routes:
      rank: { chain: [{ provider: bedrock, model: "${AMAZON}" }] }
      other: { chain: [{ provider: bedrock, model: "${ARN}" }] }
registry:
  - { provider: bedrock, model: "${AMAZON}", ${UNITS} }
`,
  })
})
after(() => harness.stop())
beforeEach(() => harness.simulator.reset())

const QUERY = 'When does the train leave?'

async function rerank(body: object, key = KEY) {
  const answer = await fetch(`${harness.url}/v1/rerank`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'rank', query: QUERY, documents: ['At ten.', 'On track seven.'], ...body }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) as Json }
}

test('results come in the common form, best first, from a host of its own', async () => {
  const documents = ['At ten.', { text: 'On track seven.' }, 'Never on Sundays.']
  const { status, json, text } = await rerank({ documents, top_n: 2, return_documents: true })
  assert.equal(status, 200, text)
  const texts = ['At ten.', 'On track seven.', 'Never on Sundays.']
  const expected = texts
    .map((said, index) => ({ index, relevance_score: scoreOf(QUERY, said), document: { text: said } }))
    .toSorted((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, 2)
  assert.deepEqual(json.results, expected)
  const [{ path, body }] = harness.upstream() as unknown as [{ path: string; body: Json }]
  assert.equal(path, '/rerank')
  assert.equal(
    body.rerankingConfiguration.bedrockRerankingConfiguration.modelConfiguration.modelArn,
    `arn:aws:bedrock:us-east-1::foundation-model/${AMAZON}`,
  )
})

test('of 101 documents two queries are charged, of long ones as many as they have chunks', async () => {
  const cost = async (documents: string[]) => {
    const { status, headers, text } = await rerank({ documents })
    assert.equal(status, 200, text)
    return headers.get('x-gateway-cost-usd')
  }
  assert.equal(await cost(Array.from({ length: 101 }, (_, at) => `document ${at}`)), '0.002000')
  // 2,000 tokens in pieces of 503, also where the body is read by a worker: 4 chunks of 60 documents.
  assert.equal(await cost(Array.from({ length: 60 }, () => 'x'.repeat(8_000))), '0.003000')
})

test('a hard budget holds the most that the documents can be', async () => {
  const manage = managing(() => harness)
  const limits = { budget: { usd: '0.0015', per: 'total' } }
  const { json } = await manage('POST', '/keys?workspace=default', { name: 'short', limits })
  assert.equal((await rerank({ documents: Array.from({ length: 101 }, () => 'x') }, json.value)).status, 402)
  assert.equal((await rerank({}, json.value)).status, 200)
  assert.equal(harness.upstream().length, 1)
})

test('another region has its own name, and fields of others are refused', async () => {
  const { status, text } = await rerank({ model: 'other' })
  assert.equal(status, 200, text)
  const { json } = await rerank({ max_tokens_per_doc: 9 })
  assert.match(json.error.message, /max_tokens_per_doc: this provider does not take it/)
  const many = await rerank({ documents: Array.from({ length: 1_001 }, () => 'x') })
  assert.match(many.json.error.message, /at most 1000/)
})
