import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, describe, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { type Provider, UNKNOWN_TRAITS } from '../domain/provider.ts'
import { NO_BOUNDS } from '../domain/request/output-limit.ts'
import { chatCompletions } from '../endpoints/chat-completions/chat-completions.ts'
import { createBodies, startWorker } from './bodies.ts'
import type { ReplyToRead } from './protocol.ts'

/** A large one, always as a promise. */
const open = async (chunks: Buffer[], withHash: boolean) =>
  bodies.open(chunks, chatCompletions, { withHash, allowsStream: false, owner: 'key_a' })

const deaths: unknown[] = []
const workers: Worker[] = []
const bodies = createBodies(
  (error) => deaths.push(error),
  () => {
    const worker = startWorker()
    workers.push(worker)
    return worker
  },
)
after(() => bodies.close())

const text = 'Zwölf 中文 "quoted"\n'.repeat(100_000)
const REQUEST = { model: 'fast', max_tokens: 7, seed: 5, messages: [{ role: 'user', content: text }] }

function chunksOf(body: unknown, chunkBytes = 65_536): Buffer[] {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const chunks: Buffer[] = []
  for (let begin = 0; begin < bytes.length; begin += chunkBytes) {
    chunks.push(Buffer.from(new Uint8Array(bytes.subarray(begin, begin + chunkBytes)).buffer))
  }
  return chunks
}

const openai = {
  position: 0,
  family: 'openai',
  model: 'upstream-a',
  traits: UNKNOWN_TRAITS,
  baseUrl: null,
  bounds: NO_BOUNDS,
}
const anthropic = {
  position: 1,
  family: 'anthropic',
  model: 'upstream-b',
  traits: UNKNOWN_TRAITS,
  baseUrl: null,
  bounds: NO_BOUNDS,
}

describe('a large request', () => {
  test('is known by its outline, its bound and its hash', async () => {
    const request = await open(chunksOf(REQUEST), true)
    assert.deepEqual(request.request, { model: 'fast', messages: [{}], max_tokens: 7, seed: 5 })
    assert.ok((request.promptTokens.most ?? 0) >= Buffer.byteLength(text))
    assert.equal(request.hash, hash('sha256', JSON.stringify(REQUEST), 'hex'))
    request.release()
  })

  test('shows the flags of its options, which decide how it is answered', async () => {
    const request = await open(chunksOf({ ...REQUEST, stream_options: { include_usage: true, note: 'x' } }), false)
    assert.deepEqual(request.request['stream_options'], { include_usage: true })
    request.release()
  })

  test('is written for each entry in the format of its family, repeatedly', async () => {
    const request = await open(chunksOf(REQUEST), false)
    const translations = await request.translate([openai, anthropic], true)
    const bounds = { outputTokens: 7, answers: 1, namedPercent: 100 }
    const wire = { max_tokens: 7, messages: [{}] }
    assert.deepEqual(translations, [
      {
        kind: 'wire',
        body: { ...wire, model: 'upstream-a', seed: 5 },
        ignored: [],
        adjustments: [],
        bounds: { ...bounds, accountPercent: 200 },
      },
      {
        kind: 'wire',
        body: { ...wire, model: 'upstream-b' },
        ignored: ['seed'],
        adjustments: [],
        bounds: { ...bounds, accountPercent: 110 },
      },
    ])
    for (const position of [0, 0, 1]) {
      const sent = JSON.parse(Buffer.from(await request.write(position)).toString())
      assert.equal(sent.model, position === 0 ? 'upstream-a' : 'upstream-b')
      assert.deepEqual(sent.messages, REQUEST.messages)
    }
    request.release()
  })

  for (const [what, body, code] of [
    ['is no JSON', `{"model":"fast","x":"${text}`, 'invalid_request'],
    ['has a bad field', { ...REQUEST, n: 'two' }, 'invalid_request'],
    ['asks for a stream', { ...REQUEST, stream: true }, 'not_implemented'],
  ] as const) {
    test(`that ${what} is refused with ${code}`, async () => {
      await assert.rejects(open(chunksOf(body), false), { name: 'GatewayError', code })
    })
  }

  test('that has been released is gone', async () => {
    const request = await open(chunksOf(REQUEST), false)
    request.release()
    await assert.rejects(async () => request.translate([openai], true), /not open/)
  })
})

describe('a large request that is mostly text', () => {
  const messages = Array.from({ length: 500 }, (_, turn) => ({
    role: turn % 2 === 0 ? 'user' : 'assistant',
    content: 'Zwölf 中文 "quoted"\n'.repeat(50),
  }))
  const conversation = { messages, max_tokens: 7, model: 'fast' }
  const json = JSON.stringify(conversation)

  test('is written for entries of both families', async () => {
    const request = await open(chunksOf(json), false)
    const translations = await request.translate([openai, anthropic], true)
    assert.deepEqual(
      translations.map(({ kind }) => kind),
      ['wire', 'wire'],
    )
    const written = Buffer.from(await request.write(0)).toString()
    assert.equal(written, json.replace('"model":"fast"', '"model":"upstream-a"'))
    const sent = JSON.parse(Buffer.from(await request.write(1)).toString())
    assert.deepEqual([sent.model, sent.max_tokens, sent.messages.length], ['upstream-b', 7, messages.length])
    request.release()
  })

  test('is serialised again when more than its model changes', async () => {
    const extended = { ...conversation, messages: messages.map((each) => ({ ...each, model: 'fast' })) }
    const request = await open(chunksOf(extended), false)
    await request.translate([openai], true)
    const sent = JSON.parse(Buffer.from(await request.write(0)).toString())
    assert.deepEqual(sent, { ...extended, model: 'upstream-a' })
    request.release()
  })

  for (const [what, body, message] of [
    ['a bad field', { ...conversation, n: 'two' }, /^n: /],
    [
      'a bad message',
      { ...conversation, messages: [...messages, { role: 'user', content: 5 }] },
      /^messages\[500\]\.content: /,
    ],
    ['half of it', json.slice(0, -10), /not valid JSON/],
  ] as const) {
    test(`is refused with the same message for ${what}`, async () => {
      await assert.rejects(open(chunksOf(body), false), {
        name: 'GatewayError',
        code: 'invalid_request',
        message,
      })
    })
  }
})

describe('a large answer', () => {
  const provider: Provider = {
    name: 'p',
    family: 'openai',
    baseUrl: null,
    apiKey: 'sk-secret-value',
    headers: {},
    onCallerLeft: 'abort',
  }
  const stamp = { id: 'chatcmpl_1', model: 'fast', created: 1_790_000_000 }
  const reply = (more: Partial<ReplyToRead> = {}): ReplyToRead => ({
    status: 200,
    family: 'openai',
    endpoint: 'chat',
    model: 'upstream-a',
    headers: {},
    provider,
    request: { model: 'fast', messages: [] },
    stamp,
    ...more,
  })
  const completion = {
    id: 'theirs',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  }

  test('is read, and written as the caller gets it', async () => {
    const read = await bodies.readLarge(chunksOf(completion), reply(), 'key_a')
    assert.ok(read.kind === 'answer' && read.answer.text !== null)
    assert.deepEqual([read.answer.usage?.input, read.answer.usage?.output, read.answer.finishReason], [3, 4, 'stop'])
    const { id, model, created, choices } = JSON.parse(Buffer.from(read.answer.text).toString())
    assert.deepEqual({ id, model, created }, stamp)
    assert.deepEqual(choices, completion.choices)
  })

  test('that is an error, or cannot be read, is a failure without secrets', async () => {
    const words = { error: { message: `bad sk-secret-value ${text}` } }
    const refused = await bodies.readLarge(chunksOf(words), reply({ status: 400 }), 'key_a')
    assert.ok(refused.kind === 'failure')
    assert.equal(refused.failure.code, 'invalid_request')
    assert.doesNotMatch(refused.failure.message, /sk-secret/)
    const unreadable = await bodies.readLarge(chunksOf(`{"choices":"${text}`), reply(), 'key_a')
    assert.equal(unreadable.kind, 'unreadable')
  })

  test('nested too deeply has usage but no text', async () => {
    const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`
    const read = await bodies.readLarge(chunksOf(`{"choices":[${deep}],"usage":{"prompt_tokens":3}}`), reply(), 'key_a')
    assert.ok(read.kind === 'answer')
    assert.deepEqual([read.answer.text, read.answer.usage?.input], [null, 3])
  })
})

test('chunks that share their buffer are copied, and the others keep their bytes', async () => {
  const whole = Buffer.from(new Uint8Array(Buffer.from(`....${JSON.stringify(REQUEST)}....`)).buffer)
  const request = await open([whole.subarray(4, whole.length - 4)], false)
  assert.equal(request.request.model, 'fast')
  assert.equal(whole.length > 0 && whole.subarray(0, 4).toString(), '....')
  request.release()
})

test('when the worker dies, its bodies fail, and the next body starts a new worker', async () => {
  const held = await open(chunksOf(REQUEST), false)
  const ending = workers.at(-1)?.terminate()
  await Promise.all([ending, assert.rejects(open(chunksOf(REQUEST), false), /has ended/)])
  await assert.rejects(async () => held.translate([openai], true), /has ended/)
  held.release()
  assert.equal(deaths.length, 1)
  const next = await open(chunksOf(REQUEST), false)
  assert.equal(next.request.model, 'fast')
  next.release()
  assert.equal(workers.length, 2)
})
