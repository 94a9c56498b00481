import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { type Harness, hello, KEY, startHarness, until } from '../harness.ts'
import { newKey } from '../limits/limited.ts'

const MIB = 1024 * 1024
/** Seven eighths of a bound are for bodies beyond 64 KiB: three of this size for a key, seven for all. */
const BODY_BYTES = 2 * MIB
const harness: Harness = await startHarness({
  environment: {
    MAX_BODY_BYTES: String(BODY_BYTES),
    MAX_BUFFERED_BYTES: String(16 * MIB),
    MAX_BUFFERED_BYTES_PER_KEY: String(8 * MIB),
  },
})
const { chat, simulator, url } = harness
beforeEach(() => simulator.reset())
afterEach(() => simulator.release())
after(() => harness.stop())

const bodyOf = (bytes: number, model = 'gpt-sim-echo') => {
  const empty = JSON.stringify(hello(model, { messages: [{ role: 'user', content: '' }] })).length
  return JSON.stringify(hello(model, { messages: [{ role: 'user', content: 'x'.repeat(bytes - empty) }] }))
}
const LARGE = bodyOf(BODY_BYTES)

/** A call that sends only its first bytes, until it continues or leaves. */
interface Sender {
  socket: Socket
  /** Head and body of what came back so far. */
  answer(): string
}

function send(key: string, framing: string, body: string, to = url): Sender {
  const { hostname, port } = new URL(to)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (piece) => (text += piece.toString('latin1'))).on('error', () => undefined)
  const fields = ['host: x', `authorization: ${key}`, 'content-type: application/json', framing]
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${body}`)
  return { socket, answer: () => text }
}

const unfinished = (key: string) => send(key, `content-length: ${BODY_BYTES}`, LARGE.slice(0, -1000))
const whole = (key: string) => send(key, `content-length: ${BODY_BYTES}`, LARGE)
const chunked = (key: string) =>
  send(key, 'transfer-encoding: chunked', `${BODY_BYTES.toString(16)}\r\n${LARGE}\r\n0\r\n\r\n`)

const many = (count: number, make: (key: string) => Sender, key: string) =>
  Array.from({ length: count }, () => make(key))
const answered = (senders: readonly Sender[], pattern = /^HTTP/) =>
  senders.filter((sender) => pattern.test(sender.answer())).length

/** A series with labels begins with its first count; every other figure is always there. */
async function metric(name: string): Promise<number> {
  const { text } = await harness.get('/metrics')
  return Number(new RegExp(`^switchyard_${name} (\\d+)$`, 'm').exec(text)?.[1] ?? (name.includes('{') ? 0 : Number.NaN))
}

const buffered = () => metric('buffered_bytes')
const nothingHeld = () => until(async () => (await buffered()) === 0, 'nothing is held')
const served = async (body: string, headers: Record<string, string>) => (await chat(body, headers)).status === 200

const OF_KEY = /^HTTP\/1\.1 429 .*\r\nretry-after: \d+\r\n.*"code":"key_rate_limited".*"kind":"buffered_bytes"/s
const OF_ALL = /^HTTP\/1\.1 503 .*\r\nretry-after: \d+\r\n.*"code":"buffer_full"/s

async function codesOf(keyId: string): Promise<Record<string, number>> {
  const codes: Record<string, number> = {}
  for (const row of await harness.rows()) {
    if (row['key_id'] === keyId) codes[row.code ?? 'ok'] = (codes[row.code ?? 'ok'] ?? 0) + 1
  }
  return codes
}

describe('one key', () => {
  test('holds no more than its share, with bodies that never end; the others go on', async () => {
    const [key, other] = [await newKey(harness, null), await newKey(harness, null)]
    const senders = many(60, unfinished, key.headers['authorization'] ?? '')
    await until(() => answered(senders, OF_KEY) === 57, '57 of them are refused')
    assert.equal(answered(senders), 57)
    assert.equal(await buffered(), 3 * BODY_BYTES)
    assert.equal(await metric('buffer_refusals_total{scope="key"}'), 57)
    assert.ok(await served(LARGE, other.headers), 'another key sends a large body')
    assert.ok(await served(bodyOf(10_000), key.headers), 'the key itself sends a small one')
    for (const { socket } of senders) socket.destroy()
    await nothingHeld()
    assert.ok(await served(LARGE, key.headers), 'there is room again')
    await until(async () => (await codesOf(key.id))['caller_left'] === 3, 'the rows are complete')
    assert.deepEqual(await codesOf(key.id), { key_rate_limited: 57, caller_left: 3, ok: 2 })
  })

  for (const [way, make] of Object.entries({ 'with a length': whole, 'in chunks': chunked })) {
    test(`holds no more than its share, with whole bodies ${way} at a slow provider`, async () => {
      const [key, other] = [await newKey(harness, null), await newKey(harness, null)]
      simulator.hold()
      const senders = many(50, make, key.headers['authorization'] ?? '')
      await until(() => answered(senders, OF_KEY) + harness.upstream().length === 50, 'all are sent on or refused')
      const sentOn = harness.upstream().length
      assert.ok(make === whole ? sentOn === 3 : sentOn >= 1 && sentOn <= 3, `${sentOn} were sent on`)
      assert.equal(await buffered(), sentOn * BODY_BYTES)
      const others = [chat(LARGE, other.headers), chat(hello('gpt-sim-echo'), other.headers)]
      await until(() => harness.upstream().length === sentOn + 2, 'another key is served meanwhile')
      simulator.release()
      await until(() => answered(senders) === 50, 'all are answered')
      assert.equal(answered(senders, /^HTTP\/1\.1 200 /), sentOn)
      for (const { status } of await Promise.all(others)) assert.equal(status, 200)
      await nothingHeld()
      assert.deepEqual(await codesOf(key.id), { key_rate_limited: 50 - sentOn, ok: sentOn })
      for (const { socket } of senders) socket.destroy()
    })
  }
})

test('all keys together hold no more than the process may; small bodies are served to the end', async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => newKey(harness, null)))
  const before = await metric('buffer_refusals_total{scope="gateway"}')
  const senders: Sender[] = []
  for (const [index, count] of [3, 3, 1].entries()) {
    senders.push(...many(count, unfinished, keys[index]?.headers['authorization'] ?? ''))
  }
  await until(async () => (await buffered()) === 7 * BODY_BYTES, 'seven large bodies are on their way')
  const last = keys[3]
  assert.ok(last !== undefined)
  const refused = whole(last.headers['authorization'] ?? '')
  await until(() => OF_ALL.test(refused.answer()), 'the eighth is refused')
  assert.equal(await metric('buffer_refusals_total{scope="gateway"}'), before + 1)
  assert.equal(await metric('buffered_max_bytes'), 16 * MIB)
  assert.ok(await served(bodyOf(64 * 1024), last.headers))
  assert.deepEqual(await codesOf(last.id), { buffer_full: 1, ok: 1 })
  for (const { socket } of [...senders, refused]) socket.destroy()
  await nothingHeld()
  assert.ok(await served(LARGE, last.headers))
})

test('the connection of a refused body serves the next call', async () => {
  const key = (await newKey(harness, null)).headers['authorization'] ?? ''
  const senders = many(3, unfinished, key)
  await until(async () => (await buffered()) === 3 * BODY_BYTES, 'its share is taken')
  const refused = whole(key)
  await until(() => OF_KEY.test(refused.answer()), 'it is refused')
  const small = JSON.stringify(hello('gpt-sim-echo'))
  const fields = `host: x\r\nauthorization: ${key}\r\nconnection: close\r\ncontent-length: ${small.length}`
  refused.socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${fields}\r\n\r\n${small}`)
  await once(refused.socket, 'close')
  assert.match(refused.answer(), /HTTP\/1\.1 200 OK/)
  for (const { socket } of senders) socket.destroy()
  await nothingHeld()
})

describe('memory is given back, however a call ends', () => {
  const large = (model: string, more = {}) => ({
    ...JSON.parse(LARGE.slice(0, -4_000) + LARGE.slice(-4)),
    model,
    ...more,
  })
  const ends: [how: string, status: number, body: unknown, headers?: Record<string, string>][] = [
    ['an answer', 200, large('gpt-sim-echo')],
    ['an answer of the other family', 200, large('claude-sim-echo')],
    ['no such model', 404, large('nobody')],
    ['a stream', 501, large('gpt-4o', { stream: true })],
    ['no JSON', 400, LARGE.slice(1)],
    ['a media type', 415, LARGE, { 'content-type': 'text/plain' }],
    ['an unknown key', 401, LARGE, { authorization: 'Bearer gw_live_nobody' }],
    ['a body beyond the limit', 413, `${LARGE} `],
    ['a provider that fails', 502, large('gpt-sim-500-noretry')],
  ]
  for (const [how, status, body, headers] of ends) {
    test(how, async () => {
      assert.equal((await chat(body, headers)).status, status)
      await nothingHeld()
    })
  }

  test('calls of one Idempotency-Key, and their replay', async () => {
    const headers = { 'idempotency-key': 'memory-1' }
    simulator.hold()
    const both = [chat(LARGE, headers), chat(LARGE, headers)]
    await until(async () => (await buffered()) === 2 * BODY_BYTES, 'both hold their body')
    await until(() => harness.upstream().length === 1, 'the provider is asked')
    simulator.release()
    for (const { status } of await Promise.all(both)) assert.equal(status, 200)
    assert.equal((await chat(LARGE, headers)).headers.get('x-gateway-idempotent-replay'), 'true')
    await nothingHeld()
  })

  test('a caller who leaves while the provider works', async () => {
    simulator.hold()
    const senders = many(3, whole, `Bearer ${KEY}`)
    await until(() => harness.upstream().length === 3, 'the provider is asked')
    for (const { socket } of senders) socket.destroy()
    await nothingHeld()
  })
})

test('a stranger cannot fill memory by signing in', async () => {
  const headers = { 'content-type': 'application/json' }
  const key = 'x'.repeat(70_000)
  const answer = await fetch(`${url}/sessions`, { method: 'POST', headers, body: JSON.stringify({ key }) })
  assert.equal(answer.status, 413)
})

test('a body that arrives too slowly is 408, in the row too, and its connection ends', async () => {
  const slow = await startHarness({ environment: { MIN_BODY_BYTES_PER_SECOND: '1000000' } })
  const small = bodyOf(50_000)
  const senders = [
    send(`Bearer ${KEY}`, `content-length: ${LARGE.length}`, LARGE.slice(0, -1), slow.url),
    send(`Bearer ${KEY}`, `content-length: ${small.length}`, small.slice(0, -1), slow.url),
    send(`Bearer ${KEY}`, 'transfer-encoding: chunked', `5\r\n${small.slice(0, 5)}\r\n`, slow.url),
  ]
  await Promise.all(senders.map(({ socket }) => once(socket, 'close')))
  for (const sender of senders) assert.match(sender.answer(), /^HTTP\/1\.1 408 .*"code":"request_timeout"/s)
  const rows = await slow.rows()
  assert.deepEqual(
    rows.map(({ status, code }) => [status, code]),
    Array(3).fill([408, 'request_timeout']),
  )
  assert.equal(slow.upstream().length, 0)
  assert.match((await slow.get('/metrics')).text, /^switchyard_buffered_bytes 0$/m)
  await slow.stop()
})
