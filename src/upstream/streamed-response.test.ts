import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { inspect } from 'node:util'
import type { Presence } from '../domain/presence.ts'
import { createUpstreamClient } from './client.ts'
import { collect, StreamedExchange, type StreamOptions, type UpstreamAnswer } from './streamed-response.ts'
import { bodyOf, MAX_RESPONSE_BYTES } from './whole-response.ts'

const open: (() => void)[] = []
after(() => {
  for (const close of open) close()
})

/** A provider on a real socket; `connections` are those that were made to it. */
async function provider(onRequest: (socket: Socket, path: string) => void) {
  const connections: Socket[] = []
  const server = createServer((socket) => {
    connections.push(socket)
    socket.on('error', () => {})
    socket.on('data', (bytes) => onRequest(socket, bytes.toString('latin1').split(' ', 2)[1] ?? ''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = createUpstreamClient()
  open.push(
    () => client.close(),
    () => server.close(),
  )
  const { port } = server.address() as AddressInfo
  const endpoint = (path: string) => client.endpoint({ url: `http://127.0.0.1:${port}${path}`, headers: {} })
  const call = (path = '/', more: Partial<StreamOptions> = {}) =>
    client.call(endpoint(path), { method: 'POST', body: '{}', timeoutMs: 60_000, presence: null, ...more })
  const answer = async (path = '/', more: Partial<StreamOptions> = {}): Promise<UpstreamAnswer> => {
    const outcome = await call(path, more)
    assert.ok(outcome.kind === 'answer', JSON.stringify(outcome))
    return outcome
  }
  return { client, connections, endpoint, call, answer }
}

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`
const LAST_CHUNK = '0\r\n\r\n'
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

/** All of a body, and how it ended. */
async function read(answer: UpstreamAnswer) {
  let text = ''
  let part = await answer.next()
  for (; part.kind === 'piece'; part = await answer.next()) text += part.bytes.toString('latin1')
  return { text, end: part }
}

async function piece(answer: UpstreamAnswer): Promise<string> {
  const part = await answer.next()
  assert.ok(part.kind === 'piece', part.kind)
  return part.bytes.toString('latin1')
}

const closed = (socket: Socket | undefined) =>
  new Promise<void>((resolve) => {
    if (socket === undefined || socket.closed) resolve()
    else socket.once('close', () => resolve())
  })

describe('a streamed response', () => {
  test('comes in small pieces, however much has arrived', async () => {
    const sent = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join('')
    const { answer } = await provider((socket) => socket.write(CHUNKED + chunk(sent) + LAST_CHUNK))
    const streamed = await answer()
    let text = ''
    for (let part = await streamed.next(); part.kind === 'piece'; part = await streamed.next()) {
      assert.ok(part.bytes.length <= 16 * 1024, String(part.bytes.length))
      text += part.bytes.toString('latin1')
    }
    assert.equal(text, sent)
  })

  test('is there with its head, and its pieces come as they are sent', async () => {
    const sockets: Socket[] = []
    const { answer } = await provider((socket) => {
      sockets.push(socket)
      socket.write(`HTTP/1.1 203 Sure\r\nX-Note: a\r\ntransfer-encoding: chunked\r\n\r\n`)
    })
    const streamed = await answer()
    assert.deepEqual([streamed.status, streamed.headers.get('x-note'), streamed.isFullyWritten], [203, 'a', true])
    for (const text of ['one', 'two', 'three']) {
      const next = piece(streamed)
      sockets[0]?.write(chunk(text))
      assert.equal(await next, text)
    }
    sockets[0]?.write(LAST_CHUNK)
    assert.deepEqual(await streamed.next(), { kind: 'end' })
    assert.deepEqual(await streamed.next(), { kind: 'end' })
  })

  test('shows neither key nor prompt when it is logged', async () => {
    const { client, endpoint } = await provider((socket) => socket.write(`${OK}content-length: 5\r\n\r\nhello`))
    const authorized = { ...endpoint('/'), fields: 'authorization: Bearer secret-key\r\n' }
    const answer = await client.call(authorized, { method: 'POST', body: 'prompt', timeoutMs: 60_000, presence: null })
    for (const text of [JSON.stringify(answer), inspect(answer, { depth: 9 })]) {
      assert.doesNotMatch(text, /secret-key|prompt|hello/)
      assert.match(text, /200/)
    }
  })

  test('may come whole with its head; its connection serves the next call', async () => {
    const { answer, connections } = await provider((socket) => socket.write(`${OK}content-length: 5\r\n\r\nhello`))
    for (let turn = 0; turn < 3; turn++) {
      assert.deepEqual(await read(await answer()), { text: 'hello', end: { kind: 'end' } })
    }
    assert.equal(connections.length, 1)
  })

  test('leaves its connection for the next call when it was read to its end', async () => {
    const { answer, connections } = await provider((socket) => {
      socket.write(CHUNKED + chunk('a'))
      setImmediate(() => socket.write(chunk('b') + LAST_CHUNK))
    })
    for (let turn = 0; turn < 3; turn++) assert.equal((await read(await answer())).text, 'ab')
    assert.equal(connections.length, 1)
  })

  const length = (rest: string) => `${OK}content-length: 100\r\n\r\n${rest}`
  for (const [what, sent] of [
    ['chunks without the last', CHUNKED + chunk('cut')],
    ['a chunk that is not complete', `${CHUNKED}ff\r\ncut`],
    ['fewer bytes than announced', length('cut')],
  ] as const) {
    for (const [how, end] of [
      ['closes', (socket: Socket) => socket.end()],
      ['resets', (socket: Socket) => socket.resetAndDestroy()],
    ] as const) {
      test(`ends with a breakdown when the provider ${how} the connection after ${what}`, async () => {
        const { answer, connections } = await provider((socket) => socket.write(sent))
        const streamed = await answer()
        assert.equal(await piece(streamed), 'cut')
        const next = streamed.next()
        for (const socket of connections) end(socket)
        const outcome = await next
        assert.ok(outcome.kind === 'broken' && outcome.sent, JSON.stringify(outcome))
      })
    }
  }

  test('hands out what came before a cut, then the breakdown', async () => {
    const { answer } = await provider((socket) => socket.end(CHUNKED + chunk('before')))
    const { text, end } = await read(await answer())
    assert.deepEqual([text, end], ['before', { kind: 'broken', sent: true, detail: 'ERR_ENDED' }])
  })

  test('ends with a breakdown when what follows is not HTTP', async () => {
    const { answer, connections } = await provider((socket) => socket.write(CHUNKED + chunk('good')))
    const streamed = await answer()
    assert.equal(await piece(streamed), 'good')
    connections[0]?.write('no size\r\n')
    assert.deepEqual(await streamed.next(), { kind: 'broken', sent: true, detail: 'ERR_NOT_HTTP' })
  })

  test('ends with a timeout when the provider goes silent', async () => {
    const { answer } = await provider((socket) => socket.write(CHUNKED + chunk('thinking')))
    const { text, end } = await read(await answer('/', { idleMs: 30 }))
    assert.deepEqual([text, end], ['thinking', { kind: 'timeout', phase: 'body' }])
  })

  test('has no head when nothing comes in time, and then no deadline', async () => {
    const slow: Socket[] = []
    const { answer, call } = await provider((socket, path) => {
      if (path === '/never') return
      slow.push(socket)
      socket.write(CHUNKED)
    })
    const streamed = await answer('/slow', { timeoutMs: 1_000 })
    assert.deepEqual(await call('/never', { timeoutMs: 1_000 }), { kind: 'timeout', phase: 'headers' })
    slow[0]?.write(chunk('late') + LAST_CHUNK)
    assert.deepEqual(await read(streamed), { text: 'late', end: { kind: 'end' } })
  })
})

const MEGABYTE = 1024 * 1024
const LARGE_BYTES = 96 * MEGABYTE
/** What the system buffers between two sockets, with much to spare. */
const BUFFERED_BYTES = 48 * MEGABYTE

/** Sends a large body as fast as it is taken. */
function pour(socket: Socket, progress: { bytes: number }): void {
  while (progress.bytes < LARGE_BYTES) {
    progress.bytes += MEGABYTE
    if (socket.write(Buffer.alloc(MEGABYTE, 'x'))) continue
    socket.once('drain', () => pour(socket, progress))
    return
  }
}

/** Enough for a reader that does not pause to take all of it. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 4_000; turn++) await new Promise((resolve) => setImmediate(resolve))
}

async function lengthOf(streamed: UpstreamAnswer): Promise<number> {
  let bytes = 0
  let part = await streamed.next()
  for (; part.kind === 'piece'; part = await streamed.next()) bytes += part.bytes.length
  assert.deepEqual(part, { kind: 'end' })
  return bytes
}

describe('a slow reader', () => {
  test('that has a whole piece makes nothing more be read', { timeout: 120_000 }, async () => {
    const { answer } = await provider((socket) => {
      socket.write(`${OK}content-length: ${LARGE_BYTES}\r\n\r\n`)
      pour(socket, { bytes: 0 })
    })
    const streamed = await answer()
    assert.ok(streamed instanceof StreamedExchange)
    // What was there before it began to read.
    for (let read = 0; read < 10 || streamed.bytes > 0; read++) await piece(streamed)
    await piece(streamed)
    await manyTurns()
    assert.equal(streamed.bytes, 0)
    await lengthOf(streamed)
  })

  test('makes the provider wait, and gets everything all the same', { timeout: 120_000 }, async () => {
    const progress = { bytes: 0 }
    const { answer, connections } = await provider((socket, path) => {
      if (path === '/small') socket.write(`${OK}content-length: 2\r\n\r\nok`)
      else {
        socket.write(`${OK}content-length: ${LARGE_BYTES}\r\n\r\n`)
        pour(socket, progress)
      }
    })
    const streamed = await answer()
    await manyTurns()
    assert.ok(progress.bytes < BUFFERED_BYTES, `the provider could send ${progress.bytes} bytes`)
    assert.equal(await lengthOf(streamed), LARGE_BYTES)
    assert.equal((await read(await answer('/small'))).text, 'ok')
    assert.equal(connections.length, 1)
  })

  test('is not taken for a provider that went silent', { timeout: 120_000 }, async () => {
    const { answer } = await provider((socket, path) => {
      socket.write(`${OK}content-length: ${LARGE_BYTES}\r\n\r\n`)
      if (path === '/large') pour(socket, { bytes: 0 })
    })
    const streamed = await answer('/large', { idleMs: 300 })
    await manyTurns()
    // The first has been paused for longer than this one is silent.
    assert.deepEqual((await read(await answer('/silent', { idleMs: 300 }))).end, { kind: 'timeout', phase: 'body' })
    // Only the pause is tested: a busy machine may take longer than that between two reads.
    if (streamed.kind === 'answer') streamed.limitSilence(60_000)
    assert.equal(await lengthOf(streamed), LARGE_BYTES)
  })
})

describe('an abort', () => {
  test('closes the connection, tells why, and the next call opens another', async () => {
    const { answer, connections } = await provider((socket) => socket.write(CHUNKED + chunk('some')))
    const streamed = await answer()
    assert.equal(await piece(streamed), 'some')
    const next = streamed.next()
    streamed.abort({ kind: 'timeout', phase: 'body' })
    assert.deepEqual(await next, { kind: 'timeout', phase: 'body' })
    assert.deepEqual(await streamed.next(), { kind: 'timeout', phase: 'body' })
    await closed(connections[0])
    assert.equal(await piece(await answer()), 'some')
    assert.equal(connections.length, 2)
  })

  test('drops what has not been read, also of a complete body', async () => {
    const { answer } = await provider((socket) => socket.write(`${OK}content-length: 5\r\n\r\nhello`))
    const streamed = await answer()
    streamed.abort({ kind: 'too-large' })
    assert.deepEqual(await streamed.next(), { kind: 'too-large' })
  })

  test('follows when the client leaves in the middle of the body', async () => {
    let leave: () => void = () => {}
    const presence: Presence = {
      left: false,
      onLeave(listener) {
        leave = listener
        return () => {}
      },
    }
    const { answer, connections } = await provider((socket) => socket.write(CHUNKED + chunk('some')))
    const streamed = await answer('/', { presence })
    assert.equal(await piece(streamed), 'some')
    leave()
    assert.deepEqual(await streamed.next(), { kind: 'caller-left' })
    await closed(connections[0])
  })
})

describe('collect', () => {
  test('returns what exchange returns', async () => {
    const { client, answer, endpoint } = await provider((socket, path) => {
      if (path === '/cut') socket.end(CHUNKED + chunk('cut'))
      else socket.write(`HTTP/1.1 429 Slow\r\nretry-after: 3\r\ntransfer-encoding: chunked\r\n\r\n${chunk('{')}`)
      if (path === '/whole') setImmediate(() => socket.write(chunk('}') + LAST_CHUNK))
    })
    for (const path of ['/whole', '/cut']) {
      const exchanged = await client.exchange(endpoint(path), {
        method: 'POST',
        body: '{}',
        timeoutMs: 60_000,
        presence: null,
      })
      const collected = await collect(await answer(path), 60_000)
      if (collected.kind !== 'reply' || exchanged.kind !== 'reply') {
        assert.deepEqual(collected, exchanged)
        continue
      }
      assert.deepEqual([collected.status, collected.headers.get('retry-after'), collected.bytes], [429, '3', 2])
      assert.equal(bodyOf(collected).toString(), bodyOf(exchanged).toString())
    }
    assert.deepEqual(await collect(await answer('/silent'), 30), { kind: 'timeout', phase: 'body' })
  })

  test('stops at the largest response that is kept', { timeout: 120_000 }, async () => {
    assert.ok(LARGE_BYTES > MAX_RESPONSE_BYTES)
    const { answer, connections } = await provider((socket) => {
      socket.write(`${OK}content-length: ${LARGE_BYTES}\r\n\r\n`)
      pour(socket, { bytes: 0 })
    })
    assert.deepEqual(await collect(await answer(), 60_000), { kind: 'too-large' })
    await closed(connections[0])
  })
})
