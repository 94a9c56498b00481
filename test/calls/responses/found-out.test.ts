import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, describe, test } from 'node:test'
import { assertVerified, hard, newKey } from '../../limits/limited.ts'
import { managing } from '../../management/manage.ts'
import { type ResponsesWorld, startResponses } from './world.ts'

/** What it was asked, and what it answers on `/v1/responses`. */
const server = {
  asked: [] as { path: string; body: string }[],
  responses: 404,
  chat: 200,
  noModel: false,
  holds: null as Promise<void> | null,
}

const ANSWER = {
  ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'm' },
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'native', annotations: [] }] }],
  usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
}
const COMPLETION = {
  ...{ id: 'c1', object: 'chat.completion', created: 1, model: 'm' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'translated' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  const path = request.url ?? ''
  if (request.method === 'POST') server.asked.push({ path, body })
  const reply = (status: number, value: object) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }
  if (path === '/v1/chat/completions' && server.chat === 200) return reply(200, COMPLETION)
  if (path !== '/v1/responses') return reply(404, { error: 'no such path' })
  await server.holds
  if (server.noModel && body !== '{}')
    return reply(404, { error: { message: 'no such model', code: 'model_not_found' } })
  if (server.responses === 200 && body !== '{}') return reply(200, ANSWER)
  return reply(server.responses === 200 ? 400 : server.responses, { error: { message: 'model: is missing' } })
}

const upstream = createServer((request, response) => void handle(request, response))
let world: ResponsesWorld
let now = Date.parse('2026-11-19T00:00:00Z')
let providers = 0
const manage = managing(() => world)
before(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  world = await startResponses({ now: () => now })
})
after(async () => {
  await world.stop()
  upstream.close()
})
beforeEach(() => Object.assign(server, { asked: [], responses: 404, chat: 200, noModel: false, holds: null }))

const addressOf = () => `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`

/** A route to a provider of its own, which was not asked before. */
async function routeTo(more: object = {}): Promise<string> {
  const name = `found-${++providers}`
  const made = await manage('PUT', `/providers/${name}`, { family: 'openai', base_url: addressOf(), ...more })
  assert.ok(made.status < 300, made.text)
  await manage('PUT', `/routes/${name}`, { chain: [{ provider: name, model: 'm' }] })
  return name
}

async function said(model: string): Promise<string> {
  const answer = await world.respond({ model, input: 'hello' })
  assert.equal(answer.status, 200, answer.text)
  const message = answer.json.output.find(({ type }: { type: string }) => type === 'message')
  return message.content[0].text
}
const paths = () => server.asked.map(({ path, body }) => (body === '{}' ? `${path} {}` : path))

describe('whether an address speaks the format is found out', () => {
  for (const status of [404, 405]) {
    test(`${status}: its calls are translated, and the caller sees no error`, async () => {
      server.responses = status
      const model = await routeTo()
      assert.equal(await said(model), 'translated')
      assert.equal(await said(model), 'translated')
      assert.deepEqual(paths(), ['/v1/responses {}', '/v1/chat/completions', '/v1/chat/completions'])
    })
  }

  test('where the path is there, its calls pass as they are', async () => {
    server.responses = 200
    const model = await routeTo()
    assert.equal(await said(model), 'native')
    assert.equal(await said(model), 'native')
    assert.deepEqual(paths(), ['/v1/responses {}', '/v1/responses', '/v1/responses'])
    assert.deepEqual(JSON.parse(server.asked[1]?.body ?? ''), { model: 'm', input: 'hello' })
  })

  test('calls at the same time ask once, and chat does not ask', async () => {
    const model = await routeTo()
    const chat = await world.chat({ model, messages: [{ role: 'user', content: 'hello' }] })
    assert.equal(chat.status, 200)
    const gate = Promise.withResolvers<void>()
    server.holds = gate.promise
    const all = Promise.all([said(model), said(model), said(model)])
    gate.resolve()
    assert.deepEqual(await all, ['translated', 'translated', 'translated'])
    assert.equal(paths().filter((path) => path.endsWith('{}')).length, 1)
  })

  test('an address that does not say is translated for, and asked again later', async () => {
    server.responses = 500
    const model = await routeTo()
    assert.equal(await said(model), 'translated')
    server.responses = 200
    assert.equal(await said(model), 'translated')
    now += 11_000
    // No call waits for what was asked again.
    let last = ''
    do last = await said(model)
    while (last !== 'native')
    assert.equal(paths().filter((path) => path.endsWith('{}')).length, 2)
  })

  for (const size of [10, 300_000]) {
    test(`an address that loses the path is translated for in the same call, with ${size} bytes`, async () => {
      server.responses = 200
      const model = await routeTo()
      assert.equal(await said(model), 'native')
      server.responses = 404
      const answer = await world.respond({ model, input: 'x'.repeat(size) })
      assert.equal(answer.json.output.at(-1).content[0].text, 'translated', answer.text)
      assert.deepEqual(paths().slice(2), ['/v1/responses', '/v1/responses {}', '/v1/chat/completions'])
      assert.equal(JSON.parse(server.asked.at(-1)?.body ?? '').messages[0].content.length, size)
      const { attempts: tried } = await world.rowOf(answer)
      const attempts: { status: number; reason: string }[] = JSON.parse(String(tried))
      assert.deepEqual(
        attempts.map(({ status, reason }) => [status, reason]),
        [
          [404, 'asked again, translated: the address no longer speaks the format'],
          [200, 'served'],
        ],
      )
      assert.equal(await said(model), 'translated')
      assert.equal(paths().length, 6, 'the next call is translated at once')
    })
  }

  test('an address that speaks nothing else from now on gets calls as they came', async () => {
    const model = await routeTo()
    assert.equal(await said(model), 'translated')
    Object.assign(server, { responses: 200, chat: 404 })
    assert.equal(await said(model), 'native')
    assert.equal(await said(model), 'native')
    assert.deepEqual(paths().slice(2), ['/v1/chat/completions', '/v1/responses {}', '/v1/responses', '/v1/responses'])
  })

  test('a model that is not there is a 404 as before, and its address is not asked each time', async () => {
    server.responses = 200
    const model = await routeTo()
    assert.equal(await said(model), 'native')
    server.noModel = true
    for (let call = 0; call < 3; call++) assert.equal((await world.respond({ model, input: 'hello' })).status, 404)
    assert.equal(paths().filter((path) => path.endsWith('{}')).length, 2)
    now += 11_000
    assert.equal((await world.respond({ model, input: 'hello' })).status, 404)
    assert.equal(paths().filter((path) => path.endsWith('{}')).length, 3)
    assert.ok(paths().every((path) => !path.includes('chat')))
  })

  test('under a hard budget it is translated within what was held', async () => {
    server.responses = 200
    const model = await routeTo()
    const price = { input_per_mtok: '1', output_per_mtok: '1', max_output_tokens: 1000, context_window: 10_000 }
    const registered = await manage('PUT', `/registry/${model}/m`, price)
    assert.ok(registered.status < 300, registered.text)
    const key = await newKey(world, hard(100_000_000_000n))
    const ask = () => world.respond({ model, input: 'hello', max_output_tokens: 50 }, key.headers)
    assert.equal((await ask()).json.output[0].content[0].text, 'native')
    server.responses = 404
    const answer = await ask()
    assert.equal(answer.json.output.at(-1).content[0].text, 'translated', answer.text)
    assert.equal(JSON.parse(server.asked.at(-1)?.body ?? '').max_tokens, 50)
    await assertVerified(world)
  })

  test('`speaks` overrides it', async () => {
    server.responses = 200
    assert.equal(await said(await routeTo({ speaks: [] })), 'translated')
    assert.equal(await said(await routeTo({ speaks: ['responses'] })), 'native')
    assert.deepEqual(paths(), ['/v1/chat/completions', '/v1/responses'])
  })
})

describe('of the provider that the environment makes', () => {
  for (const [speaks, answer, asked] of [
    ['', 'native', 1],
    ['responses', 'native', 0],
    ['chat', 'translated', 0],
  ] as const) {
    test(`OPENAI_SPEAKS=${speaks}`, async () => {
      server.responses = 200
      const other = await startResponses({ environment: { OPENAI_SPEAKS: speaks, OPENAI_BASE_URL: addressOf() } })
      try {
        const { json } = await other.respond({ model: 'gpt-m', input: 'hello' })
        assert.equal(json.output.at(-1).content[0].text, answer)
        assert.equal(paths().filter((path) => path.endsWith('{}')).length, asked)
      } finally {
        await other.stop()
      }
    })
  }

  test('anything else is refused at the start', async () => {
    await assert.rejects(
      startResponses({ environment: { OPENAI_SPEAKS: 'prose' } }),
      /OPENAI_SPEAKS: responses or chat/,
    )
  })
})
