import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../test/property.ts'
import type { ServerSentEvent } from '../domain/request/stream.ts'
import { LONGEST_EVENT, ServerSentEvents } from './server-sent-events.ts'

const data = (text: string, event: string | null = null): ServerSentEvent => ({ event, data: text })

/** A body and the events in it. */
const BODIES: Record<string, [body: string, events: ServerSentEvent[]]> = {
  'one event': ['data: {"a":1}\n\n', [data('{"a":1}')]],
  'several events': [
    'data: {"a":1}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n',
    ['{"a":1}', '{"b":2}', '[DONE]'].map((each) => data(each)),
  ],
  CRLF: ['data: a\r\n\r\ndata: b\r\n\r\n', [data('a'), data('b')]],
  'CR alone': ['data: a\r\rdata: b\r\r', [data('a'), data('b')]],
  'all ends of lines mixed': ['data: a\r\n\ndata: b\r\r\ndata: c\n\r\n', [data('a'), data('b'), data('c')]],
  'a CR inside of one event': ['data: a\rdata: b\n\n', [data('a\nb')]],
  'a named event': ['event: ping\ndata: {}\n\ndata: x\n\n', [data('{}', 'ping'), data('x')]],
  'a name without a space, behind the data': ['data:x\nevent:error\n\n', [data('x', 'error')]],
  'no space after the colon': ['data:{"a":1}\n\n', [data('{"a":1}')]],
  'only one space goes': ['data:  a \n\n', [data(' a ')]],
  'several lines of data': ['data: {"a":\ndata:\ndata: 1}\n\n', [data('{"a":\n\n1}')]],
  'comments, ids and retry times are skipped': [': hello\n\nid: 7\nretry: 10\n:\ndata: a\n: inside\n\n\n', [data('a')]],
  'events without data are skipped': ['event: ping\n\ndata: \n\ndata\n\ndata:\n\ndata: a\n\n', [data('a')]],
  // Peer bug 25, mnfst/llm-gateway#2053.
  'a comment as data is skipped': ['data: : keepalive\n\ndata: a\n\n', [data('a')]],
  'a byte order mark': ['\uFEFFdata: a\n\ndata: \uFEFFb\n\n', [data('a'), data('\uFEFFb')]],
  'no blank line at the end': ['data: a\n\ndata: b\n', [data('a'), data('b')]],
  'no end of line at the end': ['data: a\n\nevent: x\ndata: b', [data('a'), data('b', 'x')]],
  'letters of two, three and four bytes': [
    'data: {"t":"é 日本 😀"}\n\ndata: 😀\n\n',
    [data('{"t":"é 日本 😀"}'), data('😀')],
  ],
  'JSON without a field name': [
    'data: a\n\n{\n  "error": {\n    "code": 503\n  }\n}\n\n',
    [data('a'), data('{\n  "error": {\n    "code": 503\n  }\n}')],
  ],
  nothing: ['', []],
  'blank lines': ['\n\r\n\r\r\n', []],
}

function eventsOf(pieces: readonly Uint8Array[]): ServerSentEvent[] {
  const reader = new ServerSentEvents()
  return [...pieces.flatMap((piece) => reader.read(piece)), ...reader.end()]
}

function piecesOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

describe('a body is read into its events, however it is cut', () => {
  for (const [title, [body, events]] of Object.entries(BODIES)) {
    const bytes = Buffer.from(body)
    test(`${title}: in one piece`, () => assert.deepEqual(eventsOf([bytes]), events))
    test(`${title}: byte by byte`, () => assert.deepEqual(eventsOf([...bytes].map((byte) => Buffer.of(byte))), events))
    test(`${title}: cut anywhere`, () => {
      const cuts = fc.array(fc.nat({ max: bytes.length }), { maxLength: 6 })
      fc.assert(fc.property(cuts, (places) => assert.deepEqual(eventsOf(piecesOf(bytes, places)), events)))
    })
  }

  test('all of them after each other', () => {
    const bodies = Object.entries(BODIES).filter(([title]) => !/at the end|mark/.test(title))
    const bytes = Buffer.from(bodies.map(([, [body]]) => body).join('\n\n'))
    const events = bodies.flatMap(([, [, each]]) => each)
    const cuts = fc.array(fc.nat({ max: bytes.length }), { maxLength: 40 })
    fc.assert(fc.property(cuts, (places) => assert.deepEqual(eventsOf(piecesOf(bytes, places)), events)))
  })
})

test('any text comes through, at any cut', () => {
  const texts = fc.array(fc.string({ unit: 'binary', minLength: 1 }), { maxLength: 5 })
  const cuts = fc.array(fc.nat(), { maxLength: 10 })
  fc.assert(
    fc.property(texts, cuts, (each, places) => {
      const written = each.map((text) => JSON.stringify({ text }))
      const bytes = Buffer.from(written.map((json) => `data: ${json}\n\n`).join(''))
      assert.deepEqual(
        eventsOf(piecesOf(bytes, places)),
        written.map((json) => data(Buffer.from(json).toString())),
      )
    }),
  )
})

test('an event is given out with the piece that ends it', () => {
  const reader = new ServerSentEvents()
  assert.deepEqual(reader.read(Buffer.from('data: a\n')), [])
  assert.deepEqual(reader.read(Buffer.from('\ndata: b\r\n\r')), [data('a'), data('b')])
  assert.deepEqual(reader.read(Buffer.from('\ndata: c\n\n')), [data('c')])
})

describe('what is larger than the bound is said to be too large, and what came before it is kept', () => {
  const piece = Buffer.alloc(1 << 20, 'x')
  const full = LONGEST_EVENT / piece.length

  test('one line', () => {
    const reader = new ServerSentEvents()
    assert.deepEqual(reader.read(Buffer.from('data: a\n\ndata: ')), [data('a')])
    for (let sent = 0; sent <= full; sent++) assert.deepEqual(reader.read(piece), [])
    assert.equal(reader.isTooLarge, true)
    assert.deepEqual(reader.read(Buffer.from('\n\ndata: b\n\n')), [])
    assert.deepEqual(reader.end(), [])
  })

  test('one event of several lines', () => {
    const reader = new ServerSentEvents()
    const line = Buffer.concat([Buffer.from('data: '), piece, Buffer.from('\n')])
    for (let sent = 0; sent <= full; sent++) reader.read(line)
    assert.equal(reader.isTooLarge, true)
  })

  test('a line that arrives whole', () => {
    const reader = new ServerSentEvents()
    const line = Buffer.concat([Buffer.from('data: '), Buffer.alloc(LONGEST_EVENT + 1, 'x'), Buffer.from('\n\n')])
    assert.deepEqual(reader.read(line), [])
    assert.equal(reader.isTooLarge, true)
  })

  test('no more than the bound is fine', () => {
    const reader = new ServerSentEvents()
    const body = Buffer.concat([Buffer.from('data: '), Buffer.alloc(LONGEST_EVENT - 6, 'x'), Buffer.from('\n\n')])
    assert.equal(reader.read(body.subarray(0, 100)).length + reader.read(body.subarray(100)).length, 1)
    assert.equal(reader.isTooLarge, false)
  })
})

test('a long line that trickles in is not read again with each piece', () => {
  const reader = new ServerSentEvents()
  reader.read(Buffer.from('data: '))
  const piece = Buffer.from('x'.repeat(16))
  for (let sent = 0; sent < 100_000; sent++) reader.read(piece)
  assert.equal(reader.read(Buffer.from('\n\n'))[0]?.data.length, 1_600_000)
})
