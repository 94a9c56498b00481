import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createUpstreamClient, type UpstreamClient } from './client.ts'
import { bodyOf } from './whole-response.ts'

const open: (() => void)[] = []
after(() => {
  for (const close of open) close()
})

/** A provider that answers each request as instructed; `connections` counts the connections made to it. */
async function provider(onRequest: (socket: Socket, request: string) => void) {
  const seen = { connections: 0, sockets: [] as Socket[] }
  const server: Server = createServer((socket) => {
    seen.connections += 1
    seen.sockets.push(socket)
    socket.on('error', () => {}).on('data', (bytes) => onRequest(socket, bytes.toString('latin1')))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = createUpstreamClient()
  open.push(
    () => client.close(),
    () => server.close(),
  )
  const { port } = server.address() as AddressInfo
  return { client, seen, url: `http://127.0.0.1:${port}/v1` }
}

async function ask(client: UpstreamClient, url: string, body: string | Uint8Array = '{}') {
  const endpoint = client.endpoint({ url, headers: {} })
  const outcome = await client.exchange(endpoint, { method: 'POST', body, timeoutMs: 60_000, presence: null })
  return outcome.kind === 'reply' ? `${outcome.status} ${bodyOf(outcome)}` : outcome.kind
}

const answer = (body: string, ...fields: string[]) =>
  ['HTTP/1.1 200 OK', `content-length: ${Buffer.byteLength(body)}`, ...fields].join('\r\n').concat('\r\n\r\n', body)

/** What was given back is free in the turn after. */
/**
 * With pauses, so that the reads of one answer fall between those of others. One timer after the other: several that
 * are due at once need not keep their order.
 */
async function writeByPieces(socket: Socket, text: string) {
  for (let from = 0; from < text.length; from += 5_000) {
    socket.write(text.slice(from, from + 5_000))
    await sleep(2)
  }
}

const aTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('a connection', () => {
  test('is used again, call after call', async () => {
    const { client, seen, url } = await provider((socket) => socket.write(answer('ok')))
    for (let turn = 0; turn < 3; turn++) assert.equal(await ask(client, url), '200 ok')
    assert.equal(seen.connections, 1)
  })

  test('has one call at a time', async () => {
    const { client, seen, url } = await provider((socket) => setTimeout(() => socket.write(answer('ok')), 10))
    assert.deepEqual(await Promise.all([ask(client, url), ask(client, url)]), ['200 ok', '200 ok'])
    assert.equal(seen.connections, 2)
  })

  test('keeps what it has read, though all connections read into the same place', async () => {
    const { client, url } = await provider((socket, request) => {
      const name = request.slice(request.indexOf('\r\n\r\n') + 4)
      void writeByPieces(socket, answer(name.repeat(3_000)))
    })
    const names = Array.from({ length: 20 }, (_, index) => `call ${index} `)
    const answers = await Promise.all(names.map((name) => ask(client, url, name)))
    assert.deepEqual(
      names.filter((name, index) => answers[index] !== `200 ${name.repeat(3_000)}`),
      [],
    )
  })

  for (const [why, text] of [
    ['its answer says so', answer('ok', 'connection: close')],
    ['it is not kept for a second', answer('ok', 'keep-alive: timeout=1')],
    ['something came behind the answer', `${answer('ok')}HTTP/1.1 200`],
    ['its end was the end of the answer', 'HTTP/1.1 200 OK\r\n\r\nok'],
  ] as const) {
    test(`is not used again when ${why}`, async () => {
      const { client, seen, url } = await provider((socket) => {
        socket.write(text)
        if (!text.includes('content-length')) socket.end()
      })
      for (let turn = 0; turn < 2; turn++) assert.equal(await ask(client, url), '200 ok')
      assert.equal(seen.connections, 2)
    })
  }

  test('is given up when something comes that nobody has asked for', async () => {
    const { client, seen, url } = await provider((socket) => socket.write(answer('ok')))
    assert.equal(await ask(client, url), '200 ok')
    await aTurn()
    const [socket] = seen.sockets
    socket?.write(answer('unasked'))
    if (socket !== undefined && !socket.closed) await once(socket, 'close')
    assert.equal(await ask(client, url), '200 ok')
    assert.equal(seen.connections, 2)
  })

  test('that the other side has ended is not taken', async () => {
    const { client, seen, url } = await provider((socket) => socket.write(answer('ok')))
    assert.equal(await ask(client, url), '200 ok')
    const [socket] = seen.sockets
    socket?.end()
    if (socket !== undefined && !socket.closed) await once(socket, 'close')
    assert.equal(await ask(client, url), '200 ok')
    assert.equal(seen.connections, 2)
  })

  test('on which an answer came before all of a large request was sent is not used again', async () => {
    const answered = new WeakSet<Socket>()
    const { client, seen, url } = await provider((socket) => {
      if (answered.has(socket)) return
      answered.add(socket)
      socket.pause()
      socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno')
    })
    assert.equal(await ask(client, url, Buffer.alloc(20_000_000, 32)), '413 no')
    assert.equal(await ask(client, url), '413 no')
    assert.equal(seen.connections, 2)
  })

  test('that nobody uses is ended, so that no process waits for it', async () => {
    const { client, seen, url } = await provider((socket) => socket.write(answer('ok', 'keep-alive: timeout=2')))
    assert.equal(await ask(client, url), '200 ok')
    const [socket] = seen.sockets
    if (socket !== undefined && !socket.closed) await once(socket, 'close')
  })
})

describe('a request', () => {
  test('arrives whole and exact, small or large, text or bytes', async () => {
    const arrived = new Map<Socket, Buffer[]>()
    const { client, url } = await provider((socket, text) => {
      const pieces = [...(arrived.get(socket) ?? []), Buffer.from(text, 'latin1')]
      arrived.set(socket, pieces)
      const all = Buffer.concat(pieces)
      const begin = all.indexOf('\r\n\r\n') + 4
      const length = Number(/content-length: (\d+)/.exec(all.toString('latin1', 0, begin))?.[1])
      if (all.length < begin + length) return
      arrived.delete(socket)
      const sum = all.subarray(begin).reduce((total, byte) => (total * 31 + byte) % 1_000_003, 7)
      socket.write(answer(`${length}:${sum}`))
    })
    const reported = (bytes: Uint8Array) =>
      `200 ${bytes.length}:${bytes.reduce((total, byte) => (total * 31 + byte) % 1_000_003, 7)}`
    for (const size of [0, 1, 1_000, 70_000, 3_000_000]) {
      const text = 'é"\n漢🙂x'.repeat(Math.ceil(size / 15))
      assert.equal(await ask(client, url, text), reported(Buffer.from(text)))
      assert.equal(await ask(client, url, Buffer.from(text)), reported(Buffer.from(text)))
    }
  })

  test('cannot have a header that would begin another, or another end', async () => {
    const { client, url } = await provider((socket) => socket.write(answer('ok')))
    for (const headers of [
      { 'x-key': 'a\r\nx-evil: 1' },
      { 'x-key': '\u{1f600}' },
      { 'x key': 'a' },
      { 'Content-Length': '3' },
    ]) {
      const endpoint = client.endpoint({ url, headers: headers as unknown as Record<string, string> })
      const outcome = await client.exchange(endpoint, { method: 'GET', body: null, timeoutMs: 1_000, presence: null })
      assert.ok(outcome.kind === 'broken' && !outcome.sent)
    }
  })
})

test('a client that is closed leaves nothing behind', async () => {
  const { client, seen, url } = await provider((socket) => socket.write(answer('ok')))
  assert.equal(await ask(client, url), '200 ok')
  client.close()
  const [socket] = seen.sockets
  if (socket !== undefined && !socket.closed) await once(socket, 'close')
  await sleep(0)
})
