import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { embeddingOf } from './openai/embeddings.ts'
import { type Simulator, startSimulator } from './simulator.ts'
import { type Client, connect, HELLO } from './test-client.ts'

let simulator: Simulator
let client: Client
before(async () => {
  simulator = await startSimulator()
  client = connect(simulator)
})
beforeEach(() => simulator.reset())
after(() => simulator.close())

const SMALL = 'text-embedding-3-small'
const embed = (input: unknown, more: object = {}) =>
  client.embeddings({ model: 'text-embedding-sim-echo', input, ...more })

/** As clients decode it. */
function decoded(base64: unknown): number[] {
  const bytes = Buffer.from(String(base64), 'base64')
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
}

describe('the answer', () => {
  test('has the shape of the vendor', async () => {
    const { status, json, headers } = await client.embeddings({ model: SMALL, input: ['hello', 'you there'] })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(json), ['object', 'data', 'model', 'usage'])
    assert.deepEqual([json['object'], json['model']], ['list', SMALL])
    assert.deepEqual(json.usage, { prompt_tokens: 2 + 3, total_tokens: 5 })
    assert.deepEqual(json.data[1], { object: 'embedding', index: 1, embedding: embeddingOf(SMALL, 'you there', 1536) })
    assert.match(headers.get('x-request-id') ?? '', /^req_/)
  })

  for (const [model, dimensions] of [
    [SMALL, 1536],
    ['text-embedding-3-large', 3072],
    ['text-embedding-ada-002', 1536],
    ['text-embedding-3-large-sim-echo', 3072],
    ['text-embedding-sim-echo', 8],
    ['nomic-embed-text', 8],
  ] as const)
    test(`of ${model} has vectors of ${dimensions} numbers and length 1`, async () => {
      const { json } = await client.embeddings({ model, input: 'hello' })
      const vector = json.data[0]?.['embedding'] as number[]
      assert.equal(vector.length, dimensions)
      assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-6)
    })

  test('is the same for the same text, another one for another text, model or number of dimensions', async () => {
    const vector = async (input: string, more: object) => (await embed(input, more)).text
    const first = await vector('hello', {})
    assert.equal(await vector('hello', {}), first)
    for (const [input, more] of [
      ['hello!', {}],
      ['hello', { model: 'text-embedding-sim-slow-1' }],
      ['hello', { dimensions: 4 }],
    ] as const)
      assert.notDeepEqual(JSON.parse(await vector(input, more)).data, JSON.parse(first).data)
  })

  test('in base64 holds the same numbers as little-endian floats', async () => {
    const floats = (await embed('hello', { dimensions: 5 })).json.data[0]?.['embedding'] as number[]
    const base64 = (await embed('hello', { dimensions: 5, encoding_format: 'base64' })).json.data[0]?.['embedding']
    assert.deepEqual(decoded(base64), floats.map(Math.fround))
  })

  test('counts tokens that come as tokens one by one', async () => {
    assert.deepEqual((await embed([5, 6, 7])).json.usage, { prompt_tokens: 3, total_tokens: 3 })
    const { json } = await embed([[5, 6, 7], [8]])
    assert.deepEqual([json.data.length, json.usage['total_tokens']], [2, 4])
  })
})

const REFUSED: [
  why: string,
  body: object,
  status: number,
  message: RegExp,
  param: string | null,
  code: string | null,
][] = [
  ['no model', { model: undefined }, 400, /must provide a model/, null, null],
  ['an unknown model', { model: 'text-embedding-9' }, 404, /does not exist/, null, 'model_not_found'],
  ['a chat model', { model: 'gpt-4o' }, 403, /not allowed to generate embeddings from this model/, null, null],
  ['no input', { input: undefined }, 400, /^'\$\.input' is invalid/, null, null],
  ['an empty text', { input: '' }, 400, /^'\$\.input' is invalid/, null, null],
  ['an empty text among others', { input: ['a', ''] }, 400, /^'\$\.input' is invalid/, null, null],
  ['an empty list', { input: [] }, 400, /^'\$\.input' is invalid/, null, null],
  ['an empty list of tokens', { input: [[1], []] }, 400, /^'\$\.input' is invalid/, null, null],
  ['texts among tokens', { input: [1, 'a'] }, 400, /^'\$\.input' is invalid/, null, null],
  ['a fraction as token', { input: [1.5] }, 400, /^'\$\.input' is invalid/, null, null],
  [
    'too many inputs',
    { input: Array.from({ length: 2049 }, () => 'a') },
    400,
    /maximum length 2048, but got an array with length 2049/,
    'input',
    'array_above_max_length',
  ],
  ['an input that is too long', { input: 'x'.repeat(40_000) }, 400, /maximum context length is 8192/, null, null],
  [
    'too many tokens in all',
    { input: Array.from({ length: 100 }, () => 'x'.repeat(32_000)) },
    400,
    /^Requested 800000 tokens, max 300000 tokens per request$/,
    null,
    'max_tokens_per_request',
  ],
  ['another encoding', { encoding_format: 'hex' }, 400, /'float' and 'base64'/, 'encoding_format', 'invalid_value'],
  ['dimensions as text', { dimensions: '8' }, 400, /expected an integer/, 'dimensions', 'invalid_type'],
  ['no dimensions', { dimensions: 0 }, 400, /greater than or equal to 1/, 'dimensions', null],
  ['too many dimensions', { dimensions: 1537 }, 400, /less than or equal to 1536/, 'dimensions', null],
  [
    'dimensions of an older model',
    { model: 'text-embedding-ada-002', dimensions: 8 },
    400,
    /does not support specifying dimensions/,
    null,
    null,
  ],
  ['an unknown field', { input_type: 'query' }, 400, /Unrecognized request argument supplied: input_type/, null, null],
  ['a user that is no text', { user: 5 }, 400, /Invalid type for 'user'/, 'user', 'invalid_type'],
]

describe('what the vendor refuses', () => {
  for (const [why, more, status, message, param, code] of REFUSED)
    test(why, async () => {
      const answer = await client.embeddings({ model: SMALL, input: 'hello', ...more })
      assert.equal(answer.status, status, answer.text.slice(0, 300))
      assert.match(String(answer.json.error['message']), message)
      assert.deepEqual([answer.json.error['param'], answer.json.error['code']], [param, code])
    })

  test('an embedding model on the chat path', async () => {
    for (const model of [SMALL, 'text-embedding-sim-echo']) {
      const { status, json } = await client.openai({ model, messages: HELLO })
      assert.equal(status, 404)
      assert.match(String(json.error['message']), /This is not a chat model/)
    }
  })
})

describe('scenarios', () => {
  test('fail as they do in chat', async () => {
    for (const [model, status] of [
      ['text-embedding-sim-500', 500],
      ['text-embedding-3-small-sim-429-after-3', 429],
      ['text-embedding-sim-nonsense', 404],
    ] as const) {
      assert.equal((await embed('x', { model })).status, status, model)
    }
    const model = 'text-embedding-sim-once-503'
    assert.deepEqual([(await embed('x', { model })).status, (await embed('x', { model })).status], [503, 200])
    await assert.rejects(embed('x', { model: 'text-embedding-sim-reset' }))
    assert.deepEqual((await embed('x', { model: 'text-embedding-sim-big-usage-70-0' })).json.usage, {
      prompt_tokens: 70,
      total_tokens: 70,
    })
  })

  test('sim-no-usage and sim-total-only leave usage out', async () => {
    assert.equal('usage' in (await embed('x', { model: 'text-embedding-sim-no-usage' })).json, false)
    const { json } = await embed('hello', { model: 'text-embedding-sim-total-only' })
    assert.deepEqual(json.usage, { total_tokens: 2 })
  })

  test('sim-unordered sends the last one first, each with its index', async () => {
    const model = 'text-embedding-sim-unordered'
    const { json } = await embed(['a', 'b', 'c'], { model })
    assert.deepEqual(
      json.data.map(({ index, embedding }) => [index, embedding]),
      [
        [2, embeddingOf(model, 'c', 8)],
        [1, embeddingOf(model, 'b', 8)],
        [0, embeddingOf(model, 'a', 8)],
      ],
    )
  })

  test('sim-floats and sim-base64 do not do what was asked', async () => {
    const floats = await embed('a', { model: 'text-embedding-sim-floats', encoding_format: 'base64' })
    assert.ok(Array.isArray(floats.json.data[0]?.['embedding']))
    const base64 = await embed('a', { model: 'text-embedding-sim-base64', encoding_format: 'float' })
    assert.equal(typeof base64.json.data[0]?.['embedding'], 'string')
  })

  test('take fields that only compatible servers know', async () => {
    assert.equal((await embed('a', { input_type: 'query', truncate: 'END' })).status, 200)
  })
})

test('calls are scripted, held back and recorded as in chat', async () => {
  simulator.script(SMALL, [{ status: 503 }, { body: { odd: true } }])
  assert.equal((await client.embeddings({ model: SMALL, input: 'x' })).json.error['code'], 'server_is_overloaded')
  assert.deepEqual((await client.embeddings({ model: SMALL, input: [null] })).json, { odd: true })
  simulator.hold()
  const held = embed(['first', 'then #marked1'])
  while (simulator.calls.length < 3) await new Promise((resolve) => setTimeout(resolve, 2))
  const [, , call] = simulator.calls
  assert.deepEqual([call?.path, call?.marker, call?.outcome], ['/v1/embeddings', 'marked1', 'pending'])
  simulator.release()
  assert.equal((await held).status, 200)
  assert.equal((await client.get(`${simulator.openaiUrl}/embeddings`)).status, 405)
})
