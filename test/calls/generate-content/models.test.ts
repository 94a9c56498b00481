import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Harness, type Json, KEY } from '../../harness.ts'
import { startWorld } from './world.ts'

const harness: Harness = await startWorld()
after(() => harness.stop())

async function get(path: string, headers: Record<string, string> = { 'x-goog-api-key': KEY }) {
  const response = await fetch(harness.url + path, { headers })
  return { status: response.status, headers: response.headers, json: (await response.json()) as Json }
}

const PLACES = [
  '/v1beta/models',
  '/v1alpha/models',
  '/v1beta1/publishers/google/models',
  '/v1/publishers/google/models',
]

describe('the list of models', () => {
  for (const place of PLACES) {
    test(`${place} has what the key may use, in this format`, async () => {
      const { status, json } = await get(place)
      assert.equal(status, 200)
      const model = json.models.find(({ name }: Json) => name === 'models/native-echo')
      assert.deepEqual(model, {
        name: 'models/native-echo',
        displayName: 'native-echo',
        description: 'gemini-3.5-flash-sim-echo of google',
        outputTokenLimit: 4096,
        supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
      })
      const embedding = json.models.find(({ name }: Json) => name === 'models/native-embed')
      assert.deepEqual(embedding.supportedGenerationMethods, ['embedContent', 'batchEmbedContents'])
      assert.deepEqual((await get(`${place}/native-echo`)).json, model)
    })
  }

  test('/v1/models is the contract’s', async () => {
    const { json } = await get('/v1/models', { authorization: `Bearer ${KEY}` })
    assert.deepEqual([json.object, json.models], ['list', undefined])
  })

  test('comes in pages', async () => {
    const whole = (await get('/v1beta/models')).json.models
    const paged: Json[] = []
    let token: string | undefined
    do {
      const { json } = await get(`/v1beta/models?pageSize=7${token === undefined ? '' : `&pageToken=${token}`}`)
      paged.push(...json.models)
      token = json.nextPageToken
    } while (token !== undefined)
    assert.deepEqual(paged, whole)
  })

  test('takes keys from the query and as a bearer token; without one it is 401', async () => {
    assert.equal((await get(`/v1beta/models?key=${KEY}`, {})).status, 200)
    assert.equal((await get('/v1beta/models', { authorization: `Bearer ${KEY}` })).status, 200)
    const { status, json } = await get('/v1beta/models', {})
    assert.deepEqual([status, json.error.status], [401, 'UNAUTHENTICATED'])
    const two = await get(`/v1beta/models?key=${KEY}`, { 'x-goog-api-key': 'gw_live_other' })
    assert.deepEqual([two.status, two.json.error.status], [400, 'INVALID_ARGUMENT'])
  })

  test('an unknown one is not found', async () => {
    const { status, json } = await get('/v1beta/models/nowhere')
    assert.deepEqual([status, json.error.details[0].reason], [404, 'MODEL_NOT_FOUND'])
  })
})

describe('what the gateway does not offer is not found, in this format and with words', () => {
  const table: [method: string, path: string, words: RegExp][] = [
    ['POST', '/v1beta/cachedContents', /keeps no contents/],
    ['GET', '/v1beta/cachedContents/abc', /keeps no contents/],
    ['GET', '/v1beta/files/abc', /inlineData/],
    ['POST', '/upload/v1beta/files', /inlineData/],
    ['GET', '/v1beta/batches', /no batches/],
    ['POST', '/v1beta/interactions', /generateContent/],
    ['GET', '/v1beta/tunedModels', /v1beta\/models/],
  ]
  for (const [method, path, words] of table) {
    test(`${method} ${path}`, async () => {
      const response = await fetch(harness.url + path, { method })
      const { error } = (await response.json()) as Json
      assert.deepEqual([response.status, error.code, error.status], [404, 404, 'NOT_FOUND'])
      assert.match(error.message, words)
    })
  }

  test('a list takes no POST', async () => {
    const response = await fetch(`${harness.url}/v1beta/models`, { method: 'POST' })
    const { error } = (await response.json()) as Json
    assert.deepEqual([response.status, error.code], [405, 405])
  })
})
