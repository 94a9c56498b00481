import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import type { Harness, Json } from '../../harness.ts'
import { post, startWorld } from './world.ts'

const harness: Harness = await startWorld()
beforeEach(() => harness.simulator.reset())
after(() => harness.stop())

const one = (alias: string) => `/v1beta/models/${alias}:embedContent`
const many = (alias: string) => `/v1beta/models/${alias}:batchEmbedContents`
const content = (text: string) => ({ parts: [{ text }] })
const MODEL = 'models/gemini-embedding-001-sim-echo'

describe('a provider that speaks the format', () => {
  test('gets one content byte for byte', async () => {
    const body =
      '{"content" : {"parts":[{"text":"h\\u0065llo"}]}, "taskType":"RETRIEVAL_QUERY", "outputDimensionality": 4}'
    const answer = await post(harness.url, one('native-embed'), body)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.json.embedding.values.length, 4)
    const [call] = harness.upstream()
    assert.equal(call?.rawBody, body)
    assert.equal(call?.path, `/v1beta/${MODEL}:embedContent`)
    const row = await harness.rowOf({ ...answer, json: null } as never)
    const { promptTokenCount } = answer.json.usageMetadata
    assert.deepEqual(
      [row['endpoint'], row['usage_source'], Number(row['cost_picodollars'])],
      ['embed_content', 'provider', promptTokenCount * 1_000_000],
    )
  })

  test('gets many, each with the entry’s model', async () => {
    const requests = ['hello', 'world'].map((text) => ({
      model: 'models/native-embed',
      content: content(text),
      title: text,
    }))
    const answer = await post(harness.url, many('native-embed'), { requests })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.json.embeddings.length, 2)
    assert.deepEqual(harness.sent(), { requests: requests.map((each) => ({ ...each, model: MODEL })) })
  })

  test('with fewer vectors than contents has failed', async () => {
    const short = { body: { embeddings: [{ values: [1, 2] }] } }
    harness.simulator.script('gemini-embedding-scripted', [short, short])
    const requests = [{ content: content('a') }, { content: content('b') }]
    const answer = await post(harness.url, many('scripted-embed'), { requests })
    assert.deepEqual([answer.status, answer.json.error.status], [502, 'UNAVAILABLE'], answer.text)
    assert.match(answer.json.error.message, /fewer embeddings/)
  })
})

describe('any other provider', () => {
  test('gets our own request, and its answer comes back in this format', async () => {
    const requests = ['hello', 'world'].map((text) => ({
      ...{ model: 'models/chat-embed', content: content(text), outputDimensionality: 4, taskType: 'CLUSTERING' },
    }))
    const answer = await post(harness.url, many('chat-embed'), { requests })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(harness.sent(), { model: 'text-embedding-sim-echo', input: ['hello', 'world'], dimensions: 4 })
    const direct = await harness.embed({ model: 'chat-embed', input: ['hello', 'world'], dimensions: 4 })
    assert.deepEqual(
      answer.json.embeddings.map(({ values }: Json) => values),
      direct.json.data.map(({ embedding }: Json) => embedding),
    )
    assert.equal(answer.json.usageMetadata.promptTokenCount, direct.json.usage.prompt_tokens)
    assert.equal(answer.headers.get('x-gateway-ignored-params'), 'taskType')
    const row = await harness.rowOf({ ...answer, json: null } as never)
    assert.equal(row['endpoint'], 'batch_embed_contents')
  })

  test('gets one as a list of one', async () => {
    const answer = await post(harness.url, one('chat-embed'), { content: content('hello') })
    assert.equal(answer.status, 200, answer.text)
    assert.ok(answer.json.embedding.values.length > 0)
    assert.deepEqual(harness.sent(), { model: 'text-embedding-sim-echo', input: ['hello'] })
  })

  const picture = { parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] }
  const table: [what: string, requests: object[], words: RegExp][] = [
    ['pictures', [{ content: content('a') }, { content: picture }], /requests\[1\]\.content: expected texts only/],
    [
      'lengths that differ',
      [{ content: content('a'), outputDimensionality: 4 }, { content: content('b') }],
      /outputDimensionality/,
    ],
    ['no requests', [], /at least one request/],
    ['no content', [{}], /content/],
  ]
  for (const [what, requests, words] of table) {
    test(`${what} are refused in words`, async () => {
      const answer = await post(harness.url, many('chat-embed'), { requests })
      assert.deepEqual([answer.status, answer.json.error.status], [400, 'INVALID_ARGUMENT'], answer.text)
      assert.match(answer.json.error.message, words)
      assert.equal(harness.upstream().length, 0)
    })
  }

  test('a chat model is refused with the path to use', async () => {
    const answer = await post(harness.url, one('chat-echo'), { content: content('a') })
    assert.equal(answer.status, 400, answer.text)
  })
})
