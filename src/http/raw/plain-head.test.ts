import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readPlainHead } from './plain-head.ts'

const LINE = 'POST /busy HTTP/1.1\r\n'
const request = (fields: readonly string[], body = 'x') =>
  Buffer.from(
    `${LINE}${['host: gateway', `content-length: ${body.length}`, ...fields].map((field) => `${field}\r\n`).join('')}\r\n${body}`,
  )
/** A head of exactly so many bytes. */
const sized = (bytes: number) => {
  const empty = request(['x-long: '], '').length
  return request([`x-long: ${'y'.repeat(bytes - empty)}`], '')
}

describe('the head of a plain request', () => {
  test('has 16 KiB at most: what is longer is left to Node', () => {
    const whole = sized(16 * 1024)
    assert.equal(readPlainHead(whole, LINE, null)?.head.length, 16 * 1024)
    assert.equal(readPlainHead(sized(16 * 1024 + 1), LINE, null), null)
  })

  test('has few fields: Node drops what exceeds its own number of them', () => {
    const fields = (count: number) => Array.from({ length: count }, (_, index) => `x${index}:`)
    assert.equal(readPlainHead(request(fields(98)), LINE, null)?.fields.size, 100)
    assert.equal(readPlainHead(request(fields(99)), LINE, null), null)
  })

  test('is kept without the packet that it came in', () => {
    const packet = request([], 'x'.repeat(60_000))
    const headers = readPlainHead(packet, LINE, null)
    assert.equal(headers?.bodyBytes, 60_000)
    const kept = [headers.head, ...headers.fields.keys(), ...headers.fields.values()]
    assert.ok(kept.every((part) => typeof part === 'string'))
    assert.equal(headers.head, packet.toString('latin1', 0, packet.length - 60_000))
  })

  test('is the last one when it begins with the same bytes', () => {
    const first = readPlainHead(request([], 'one'), LINE, null)
    assert.equal(readPlainHead(request([], 'two'), LINE, first), first)
    assert.notEqual(readPlainHead(request([], 'three'), LINE, first), first)
  })
})
