import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, beforeEach, describe, mock, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { Worker } from 'node:worker_threads'
import { atLength } from '../at-length.ts'
import { type Answered, type Harness, hello, KEY, startHarness, until } from '../harness.ts'
import { newKey } from '../limits/limited.ts'

const CONFIG = `
workspaces:
  default:
    routes:
      first: { chain: [{ provider: openai, model: gpt-sim-echo }] }
      second: { chain: [{ provider: anthropic, model: claude-sim-echo }] }
      falls: { chain: [{ provider: openai, model: gpt-sim-500, retries: 0 }, { provider: anthropic, model: claude-sim-echo }] }
      rises: { chain: [{ provider: anthropic, model: claude-sim-500, retries: 1 }, { provider: openai, model: gpt-sim-echo }] }
      answers: { chain: [{ provider: openai, model: gpt-answers, retries: 0 }] }
      translates: { chain: [{ provider: anthropic, model: claude-answers, retries: 0 }] }
      priced: { chain: [{ provider: openai, model: gpt-priced }] }
registry:
  - { provider: openai, model: gpt-priced, input_per_mtok: "1", output_per_mtok: "5", max_output_tokens: 4096 }
`

/** What goes to the worker for large bodies, and the worker itself, as they are seen in passing. */
const seen = {
  opened: [] as number[],
  released: [] as number[],
  refused: [] as number[],
  read: 0,
  worker: null as Worker | null,
  /** The next body that is brought to it is the worker's end. */
  isDoomed: false,
}
const post = Worker.prototype.postMessage
// biome-ignore lint/suspicious/noExplicitAny: messages of every worker pass here.
mock.method(Worker.prototype, 'postMessage', function (this: Worker, message: any, transfer: any) {
  if (['open', 'translate', 'write', 'read'].includes(message.task)) seen.worker = this
  if (message.task === 'open') {
    const { id, input } = message
    seen.opened.push(input.body)
    const note = (reply: { id: number; error?: object }) => {
      if (reply.id !== id) return
      this.off('message', note)
      if ('refusal' in (reply.error ?? {})) seen.refused.push(input.body)
    }
    this.on('message', note)
  }
  if (message.task === 'release') seen.released.push(message.input)
  if (message.task === 'read') seen.read += 1
  post.call(this, message, transfer)
  if (message.task === 'open' && seen.isDoomed) void this.terminate()
})

const harness: Harness = await startHarness({ config: CONFIG })
const { chat, simulator, url } = harness
beforeEach(() => {
  simulator.reset()
  Object.assign(seen, { opened: [], released: [], refused: [], read: 0, isDoomed: false })
})
after(() => harness.stop())

/** Two and a half megabytes as people write them: line ends, quotes and letters beyond Latin-1. */
const TEXT = 'Zwölf Boxkämpfer – 中文 "quoted"\n\\ 😀 '.repeat(50_000)
const large = (model: string, more: Record<string, unknown> = {}) =>
  hello(model, { messages: [{ role: 'user', content: TEXT }], ...more })

const inFlight = async () =>
  Number(/^switchyard_requests_in_flight (\d+)$/m.exec((await harness.get('/metrics')).text)?.[1])

function assertAnswered(answer: Answered, provider: string): void {
  assert.equal(answer.status, 200, answer.text.slice(0, 500))
  assert.equal(answer.headers.get('x-gateway-provider'), provider)
}

/** Without megabytes in what a failure prints. */
function assertSame(actual: unknown, expected: unknown): void {
  assert.ok(isDeepStrictEqual(actual, expected), `${JSON.stringify(actual)?.slice(0, 300)} is not what was expected`)
}

describe('a large body', () => {
  for (const [alias, provider] of [
    ['first', 'openai'],
    ['second', 'anthropic'],
  ] as const) {
    test(`reaches ${provider} as it was sent, and its answer comes back`, async () => {
      const body = large(alias, { max_tokens: 1_000_000 })
      const answer = await chat(body)
      assertAnswered(answer, provider)
      assertSame(harness.sent().messages, body['messages'])
      assertSame(answer.json.choices[0].message.content, TEXT)
      assert.equal(answer.json.model, alias)
      const row = await harness.rowOf(answer)
      assert.equal(row['request_bytes'], Buffer.byteLength(JSON.stringify(body)))
      assert.equal(row['response_bytes'], Buffer.byteLength(answer.text))
      assert.deepEqual(seen.opened, seen.released)
      assert.deepEqual([seen.opened.length, seen.read], [1, 1])
    })
  }

  test('keeps its fields, known or not, byte for byte', async () => {
    const body = JSON.stringify(
      large('first', { zeta: { b: 1, a: [0.1, null, 'é'] }, temperature: 1.5, stream: false }),
    )
    assertAnswered(await chat(body), 'openai')
    const sent = harness.upstream().at(-1)?.rawBody
    assertSame(sent, body.replace('"first"', '"gpt-sim-echo"').replace(',"stream":false', ''))
  })

  test('that is mostly text goes out byte for byte', async () => {
    const messages = [{ role: 'user', content: TEXT.slice(0, 500_000) }]
    const body = JSON.stringify(hello('first', { messages, zeta: [0.1, null], stream: false }))
    const answer = await chat(body)
    assertAnswered(answer, 'openai')
    const sent = harness.upstream().at(-1)?.rawBody
    assertSame(sent, body.replace('"first"', '"gpt-sim-echo"').replace(',"stream":false', ''))
    assertSame(answer.json.choices[0].message.content, messages[0]?.content)
    assert.equal((await harness.rowOf(answer))['request_bytes'], Buffer.byteLength(body))
    assert.equal(seen.opened.length, 1)
  })

  test('falls back from one family to the other, both ways', async () => {
    assertAnswered(await chat(large('falls')), 'anthropic')
    assertAnswered(await chat(large('rises')), 'openai')
    assert.deepEqual(
      harness.upstream().map(({ model }) => model),
      ['gpt-sim-500', 'claude-sim-echo', 'claude-sim-500', 'claude-sim-500', 'gpt-sim-echo'],
    )
    for (const { body } of harness.upstream()) {
      assertSame((body as { messages: unknown }).messages, [{ role: 'user', content: TEXT }])
    }
    assert.deepEqual(seen.opened, seen.released)
  })

  test('is held for like a small one, and refused when there is no money for it', async () => {
    const key = await newKey(harness, { budget: { usd: '10', per: 'month', mode: 'hard' } })
    const body = large('priced', { max_tokens: 100 })
    const bytes = Buffer.byteLength(JSON.stringify(body))
    const row = await harness.rowOf(await chat(body, key.headers))
    assert.equal(String(row['hold_picodollars']), String(BigInt(bytes) * 1_000_000n + 100n * 5_000_000n))
    await key.limit({ budget: { usd: '1', per: 'month', mode: 'hard' } })
    const refused = await chat(body, key.headers)
    assert.equal(refused.status, 402, refused.text)
    assert.equal(harness.upstream().length, 1)
    assert.deepEqual(seen.opened, seen.released)
  })

  test('is one call for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'large-1' }
    simulator.hold()
    const both = [chat(large('first'), headers), chat(large('first'), headers)]
    await until(() => harness.upstream().length === 1, 'the provider is asked')
    simulator.release()
    const [one, other] = await Promise.all(both)
    const third = await chat(large('first'), headers)
    assertSame(one?.text, other?.text)
    assertSame(one?.text, third.text)
    assert.equal(third.headers.get('x-gateway-idempotent-replay'), 'true')
    assert.equal((await chat(large('first', { seed: 1 }), headers)).status, 409)
    assert.equal(harness.upstream().length, 1)
    assert.deepEqual(seen.opened.sort(), seen.released.sort())
  })
})

describe('a bad large body gets the same answer as a small one', () => {
  const rest = '"messages":[{"role":"user","content":"CONTENT"}]'
  const bodies: [what: string, body: string][] = [
    ['no JSON', `{"model":"first",${rest}`],
    ['no object', '["CONTENT"]'],
    ['a stream', `{"model":"first",${rest},"stream":true}`],
    ['no model', `{${rest}}`],
    ['a model that is nobody', `{"model":"nobody",${rest}}`],
    ['no messages', '{"model":"first","x":"CONTENT"}'],
    ['a bad role', '{"model":"first","messages":[{"role":"user","content":"CONTENT"},{"role":"king"}]}'],
    ['a field of the wrong type', `{"model":"first",${rest},"n":"two"}`],
    ['a number out of range', `{"model":"first",${rest},"x":1e999}`],
    ['nesting', `{"model":"first",${rest},"x":${'['.repeat(300)}${']'.repeat(300)}}`],
    ['what the family cannot express', `{"model":"second",${rest},"x":1}`],
    ['what the family calls a mistake', `{"model":"second",${rest},"stop":[1]}`],
  ]
  for (const [what, body] of bodies) {
    test(what, async () => {
      const small = await chat(body.replace('CONTENT', 'hello'))
      assert.ok(small.status >= 400, small.text)
      // Some of what is wrong is seen without the worker, up to two megabytes.
      for (const times of [100_000, 400_000]) {
        const bad = await chat(body.replace('CONTENT', 'hello '.repeat(times)))
        assert.deepEqual([bad.status, bad.json], [small.status, small.json])
        assert.equal(harness.upstream().length, 0)
        assert.equal((await harness.rowOf(bad)).code, small.json.error.code)
      }
      assert.ok(seen.opened.length >= 1)
    })
  }

  test('bytes that are no UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"x":"'), Buffer.alloc(1_000_000, 0xff), Buffer.from('"}')])
    const headers = { authorization: `Bearer ${KEY}` }
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    assert.equal(answer.status, 400)
    assert.match(await answer.text(), /not valid UTF-8/)
  })
})

describe('a large answer to a small request', () => {
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  const choices = [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }]

  test('comes back as received, from one family', async () => {
    simulator.script('gpt-answers', [{ body: { id: 'theirs', created: 5, choices, usage, extra: { kept: TEXT } } }])
    const answer = await chat(hello('answers'))
    assertAnswered(answer, 'openai')
    const { id, ...rest } = answer.json
    assert.equal(id, answer.headers.get('x-gateway-request-id'))
    const reported = { object: 'chat.completion', created: 5, model: 'answers', choices, usage, extra: { kept: TEXT } }
    assertSame(rest, reported)
    const row = await harness.rowOf(answer)
    assert.deepEqual([row['finish_reason'], seen.read], ['stop', 1])
  })

  test('comes back translated, from the other', async () => {
    const content = [{ type: 'text', text: TEXT }]
    const body = { type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage: { input_tokens: 3 } }
    simulator.script('claude-answers', [{ body }])
    const answer = await chat(hello('translates'))
    assertAnswered(answer, 'anthropic')
    assertSame(answer.json.choices[0].message.content, TEXT)
    assert.equal(answer.json.usage.prompt_tokens, 3)
  })

  for (const [what, script, status, code] of [
    ['cut off JSON', { body: `{"choices":"${TEXT}` }, 502, 'upstream_error'],
    ['a page', { headers: { 'content-type': 'text/html' }, body: TEXT }, 502, 'upstream_error'],
    ['an error', { status: 400, body: { error: { message: TEXT } } }, 400, 'invalid_request'],
    ['no choices', { body: { usage, x: TEXT } }, 502, 'upstream_error'],
  ] as const) {
    test(`that is ${what} is ${code}`, async () => {
      simulator.script('gpt-answers', [script])
      const answer = await chat(hello('answers'))
      assert.deepEqual([answer.status, answer.json.error.code], [status, code], answer.text.slice(0, 300))
      assert.equal((await harness.rowOf(answer))['code'], code)
    })
  }
})

describe('the thread that serves goes on', () => {
  const message = '{"role":"user","content":"hi"}'
  const conversation = (messages: number) => `{"model":"nobody","messages":[${Array(messages).fill(message).join()}]}`

  test('500,000 messages are looked at while small calls are answered', async () => {
    let isAnswered = false
    const monsters = Array.from({ length: 20 }, () => chat(conversation(25_000 - 1)))
    const all = Promise.all(monsters).finally(() => (isAnswered = true))
    await until(() => seen.opened.length >= 1, 'a body is in the worker')
    const small = await chat(hello('first'))
    assertAnswered(small, 'openai')
    assert.equal(isAnswered, false)
    for (const { status } of await all) assert.equal(status, 404)
  })

  test('more fields than anybody sends are refused', async () => {
    const answer = await chat(conversation(25_000))
    assert.deepEqual([answer.status, answer.json.error.code], [400, 'invalid_request'])
    assert.match(answer.text, /more than 50000 fields/)
  })

  test('callers who leave in the middle leave nothing in the worker', async () => {
    simulator.hold()
    const body = JSON.stringify(large('first'))
    const { hostname, port } = new URL(url)
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${KEY}\r\n`
    const sockets = Array.from({ length: 5 }, () => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
      return socket
    })
    sockets[0]?.destroy()
    await until(() => seen.opened.length >= 4, 'the bodies are in the worker')
    sockets[1]?.destroy()
    await until(() => harness.upstream().length >= 3, 'the provider is asked')
    for (const socket of sockets) socket.destroy()
    await until(() => seen.released.length === seen.opened.length, 'all bodies are released')
    simulator.release()
    await until(async () => (await harness.rows()).every((row) => row['state'] === 'closed'), 'all rows are closed')
  })

  test('large calls, some broken off, leave nothing in the worker', async () => {
    const content = 'x'.repeat(140_000)
    const aliases = ['first', 'second', 'falls', 'nobody', 'unable']
    const call = async (index: number) => {
      const alias = aliases[index % aliases.length] ?? ''
      const body = hello(alias, { messages: [{ role: 'user', content }], ...(alias === 'unable' && { n: 'two' }) })
      const signal = index % 7 === 0 ? AbortSignal.timeout(index % 20) : null
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body), signal }
      await fetch(`${url}/v1/chat/completions`, init).then(
        (answer) => answer.text(),
        () => undefined,
      )
    }
    for (let begin = 0; begin < atLength(300, 1_000); begin += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => call(begin + index)))
    }
    await until(async () => (await inFlight()) === 0, 'nothing is in flight')
    // A body that is refused is not kept, and so not released.
    const kept = seen.opened.filter((body) => !seen.refused.includes(body))
    assert.deepEqual(kept.sort(), seen.released.sort())
    assert.ok(kept.length > 50)
  })

  test('a worker that dies fails the call in it, and the next one is served by a new worker', async () => {
    for (const alias of ['first', 'second']) {
      seen.isDoomed = true
      const answer = await chat(large(alias))
      assert.deepEqual([answer.status, answer.json.error.code], [500, 'internal_error'])
      assert.equal((await harness.rowOf(answer)).code, 'internal_error')
      const dead = seen.worker
      seen.isDoomed = false
      assert.equal((await chat(large(alias))).status, 200)
      assert.notEqual(seen.worker, dead)
    }
    assert.match((await harness.get('/metrics')).text, /^switchyard_requests_in_flight 0$/m)
  })
})
