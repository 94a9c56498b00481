import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { runClosedLoop } from './closed-loop.ts'
import { requestBytes } from './connections.ts'
import { httpReader, statusOf } from './http-reader.ts'
import { median, percentilesOf, spreadOf } from './percentiles.ts'

test('percentiles are values that occurred', () => {
  const values = Array.from({ length: 1_000 }, (_, index) => 1_000 - index)
  assert.deepEqual(percentilesOf(values), { p50: 500, p99: 990 })
  assert.deepEqual(percentilesOf([]), { p50: 0, p99: 0 })
})

test('the median and the spread ignore missing values', () => {
  assert.equal(median([3, null, 1, 2]), 2)
  assert.equal(median([4, 1]), 2.5)
  assert.equal(median([null]), null)
  assert.deepEqual(spreadOf([4, null, 1, 3, 2]), [1, 3])
  assert.equal(spreadOf([null]), null)
})

const MESSAGES: [string, string, number][] = [
  ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 200],
  ['no body', 'HTTP/1.1 204 No Content\r\n\r\n', 204],
  ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n3;a=b\r\nyou\r\n0\r\n\r\n', 200],
  ['trailers', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\na\n\n\r\n0\r\nx-cost: 1\r\n\r\n', 200],
  ['an error', 'HTTP/1.1 503 Busy\r\ncontent-length: 12\r\n\r\n{"code":"x"}', 503],
]
for (const [what, text, status] of MESSAGES) {
  test(`the end of a message with ${what} is found, however it is split`, () => {
    for (let size = 1; size <= text.length; size++) {
      const seen: number[] = []
      const read = httpReader((head) => seen.push(statusOf(head)))
      const bytes = Buffer.from(text)
      for (let message = 1; message <= 2; message++) {
        for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size))
        assert.deepEqual(seen, Array(message).fill(status), `in pieces of ${size}`)
      }
    }
  })
}

test('the beginning of an error body is kept', () => {
  const seen: string[] = []
  httpReader((_head, excerpt) => seen.push(excerpt))(Buffer.from(MESSAGES.at(-1)?.[1] ?? ''))
  assert.deepEqual(seen, ['{"code":"x"}'])
})

test('a connection that the server closes is not used again, and a drained load has counted every call', async (t) => {
  let calls = 0
  const server = createServer((_request, response) => {
    calls += 1
    response.setHeader('connection', 'close')
    response.end('{}')
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const bytes = [requestBytes(url, '/', {}, '{}')]
  const how = { warmupSeconds: 0, seconds: 0.3, pid: null, drain: true }
  const { requests, errors, firstError } = await runClosedLoop({ urls: [url], requests: bytes, connections: 2, ...how })
  assert.deepEqual([firstError, errors, requests], [null, 0, calls])
})
