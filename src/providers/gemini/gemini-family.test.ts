import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TARGET } from '../../../test/fixtures/gemini/translate.ts'
import type { Provider } from '../../domain/provider.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { EmbeddingsRequest } from '../../domain/request/embeddings.ts'
import { PROVIDER_KINDS } from '../provider-kinds.ts'
import { chat, embeddings, geminiFamily } from './gemini-family.ts'

const PROVIDER: Provider = {
  name: 'g',
  family: 'gemini',
  baseUrl: null,
  apiKey: 'AIza-key',
  headers: { 'X-Team': 'a', 'x-goog-api-key': 'mine' },
  onCallerLeft: 'drain',
}
const BASE = 'https://generativelanguage.googleapis.com/v1beta'

describe('addresses', () => {
  const cases: [baseUrl: string | null, model: string, isStream: boolean, url: string][] = [
    [null, 'gemini-3.5-flash', false, `${BASE}/models/gemini-3.5-flash:generateContent`],
    [null, 'gemini-3.5-flash', true, `${BASE}/models/gemini-3.5-flash:streamGenerateContent?alt=sse`],
    [null, 'models/gemini-3.5-flash', false, `${BASE}/models/gemini-3.5-flash:generateContent`],
    [null, 'tunedModels/mine', false, `${BASE}/tunedModels/mine:generateContent`],
    [null, '../../x?key=1', false, `${BASE}/models/..%2F..%2Fx%3Fkey%3D1:generateContent`],
    ['https://proxy.example/gem/', 'm', false, 'https://proxy.example/gem/v1beta/models/m:generateContent'],
    ['https://proxy.example/v1', 'm', false, 'https://proxy.example/v1/models/m:generateContent'],
  ]
  for (const [baseUrl, model, isStream, url] of cases) {
    test(url, () => assert.equal(chat.target({ ...PROVIDER, baseUrl }, model, isStream).url, url))
  }

  test('the key is a header of its own, and nowhere else', () => {
    const { url, headers } = chat.target(PROVIDER, 'm', true)
    assert.deepEqual(headers, { 'content-type': 'application/json', 'x-team': 'a', 'x-goog-api-key': 'AIza-key' })
    assert.equal(url.includes('AIza'), false)
    assert.equal('x-goog-api-key' in chat.target({ ...PROVIDER, apiKey: null, headers: {} }, 'm').headers, false)
  })

  test('of the list, page by page', () => {
    assert.equal(geminiFamily.modelsTarget(PROVIDER, null).url, `${BASE}/models?pageSize=1000`)
    assert.equal(geminiFamily.modelsTarget(PROVIDER, 'a b').url, `${BASE}/models?pageSize=1000&pageToken=a%20b`)
  })
})

describe('the model list', () => {
  const model = (name: string, more: JsonObject = {}) => ({
    name: `models/${name}`,
    supportedGenerationMethods: ['generateContent'],
    ...more,
  })

  test('has models with their traits, and where it goes on', () => {
    const page = {
      models: [
        model('gemini-3.5-flash', { inputTokenLimit: 1_048_576, outputTokenLimit: 65_536, thinking: true }),
        model('gemini-2.0-flash', { thinking: false }),
        model('gemini-embedding-001', { supportedGenerationMethods: ['embedContent'] }),
        model('imagen-4', { supportedGenerationMethods: ['predict'] }),
        { displayName: 'no name' },
      ],
      nextPageToken: 't',
    }
    assert.deepEqual(geminiFamily.modelsFromWire(page), {
      models: [
        {
          id: 'gemini-3.5-flash',
          created: 0,
          traits: { contextWindow: 1_048_576, maxOutputTokens: 65_536, efforts: null, thinking: ['thinking'] },
        },
        {
          id: 'gemini-2.0-flash',
          created: 0,
          traits: { contextWindow: null, maxOutputTokens: null, efforts: null, thinking: [] },
        },
        {
          id: 'gemini-embedding-001',
          created: 0,
          traits: { contextWindow: null, maxOutputTokens: null, efforts: null, thinking: null },
        },
      ],
      next: 't',
    })
    assert.deepEqual(geminiFamily.modelsFromWire({}), { models: [], next: null })
  })

  test('is refused where it is none', () => {
    for (const body of [null, 5, [], 'x', { data: [] }, { models: 5 }])
      assert.throws(() => geminiFamily.modelsFromWire(body), TypeError)
  })
})

describe('embeddings', () => {
  const toWire = (fields: JsonObject) =>
    embeddings.toWire({ model: 'e', ...fields } as unknown as EmbeddingsRequest, {
      ...TARGET,
      model: 'gemini-embedding-001',
    })
  const read = (body: unknown, fields: JsonObject = {}) =>
    embeddings.fromWire(body, { model: 'e', input: 'x', ...fields } as EmbeddingsRequest)

  test('are asked for in one call, each with its model', () => {
    const request = (text: string) => ({ model: 'models/gemini-embedding-001', content: { parts: [{ text }] } })
    assert.partialDeepStrictEqual(toWire({ input: 'a' }), { body: { requests: [request('a')] }, ignored: [] })
    assert.partialDeepStrictEqual(toWire({ input: ['a', 'b'], dimensions: 3, user: 'u' }), {
      body: {
        requests: [
          { ...request('a'), outputDimensionality: 3 },
          { ...request('b'), outputDimensionality: 3 },
        ],
      },
      ignored: ['user'],
      bounds: { outputTokens: 0, answers: 1 },
    })
    assert.equal(
      embeddings.target(PROVIDER, 'gemini-embedding-001').url,
      `${BASE}/models/gemini-embedding-001:batchEmbedContents`,
    )
  })

  test('of tokens, or with unknown fields, are refused', () => {
    for (const fields of [{ input: [1, 2] }, { input: [[1]] }, { input: 'a', task: 'x' }])
      assert.equal(toWire(fields).kind, 'refused')
  })

  test('come as numbers or in base64, with a count where there is one', () => {
    const wire = { embeddings: [{ values: [0.5, -1] }, { values: [2] }] }
    assert.partialDeepStrictEqual(read(wire), {
      answer: {
        body: {
          object: 'list',
          data: [
            { object: 'embedding', index: 0, embedding: [0.5, -1] },
            { index: 1, embedding: [2] },
          ],
        },
        usage: null,
      },
    })
    assert.partialDeepStrictEqual(
      read({ ...wire, usageMetadata: { promptTokenCount: 4 } }, { encoding_format: 'base64' }),
      {
        answer: {
          body: { data: [{ embedding: 'AAAAPwAAgL8=' }, {}], usage: { prompt_tokens: 4, total_tokens: 4 } },
          usage: { input: 4 },
        },
      },
    )
  })

  test('that are none, or fewer than the inputs, are a failure', () => {
    const one = { embeddings: [{ values: [1] }] }
    assert.equal(read(one, { input: ['a'] }).kind, 'answer')
    const wrong = [null, {}, { embeddings: [] }, { embeddings: [{ values: ['x'] }] }]
    for (const [body, input] of [...wrong.map((each) => [each, 'x']), [one, ['a', 'b']]]) {
      assert.partialDeepStrictEqual(read(body, { input: input as string }), {
        kind: 'failure',
        failure: { code: 'upstream_error', retry: 'once' },
      })
    }
  })
})

test('operations by the name of a model', () => {
  const names = [
    'gemini-3.5-flash',
    'models/gemini-3.5-flash',
    'gemma-4-27b-it',
    'gemini-embedding-001',
    'text-embedding-004',
    'x',
  ]
  assert.deepEqual(
    names.map((name) => geminiFamily.operationOf(name)),
    ['chat', 'chat', 'chat', 'embeddings', 'embeddings', null],
  )
})

test('settings are those of safety, and whether models are listed', () => {
  const problemOf = (settings: JsonObject) => PROVIDER_KINDS.problemOf({ ...PROVIDER, settings })
  assert.equal(
    problemOf({ safety_settings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] }),
    null,
  )
  assert.equal(problemOf({ list_models: true }), null)
  assert.deepEqual(
    [{ list_models: true }, {}].map((settings) => geminiFamily.isListed?.({ ...PROVIDER, settings })),
    [true, false],
  )
  assert.match(problemOf({ region: 'us' }) ?? '', /^settings: unknown field "region"/)
  assert.match(problemOf({ safety_settings: 'off' }) ?? '', /^settings\.safety_settings/)
})
