import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EventStreamCodec } from '@smithy/eventstream-codec'
import { fc } from '../../../../test/property.ts'
import type { ServerSentEvent } from '../../../domain/request/stream.ts'
import { DAMAGED, ERROR, EVENT_STREAM, EXCEPTION } from './event-stream.ts'

/** The vendor's own. */
const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text),
)
type Headers = Parameters<typeof codec.encode>[0]['headers']

const text = (value: string) => ({ type: 'string' as const, value })

function message(headers: Headers, body: string): Buffer {
  return Buffer.from(codec.encode({ headers, body: Buffer.from(body) }))
}

function event(name: string, body: string): Buffer {
  return message({ ':message-type': text('event'), ':event-type': text(name) }, body)
}

function readAll(pieces: Uint8Array[]): ServerSentEvent[] {
  const reader = EVENT_STREAM.open()
  return [...pieces.flatMap((piece) => reader.read(piece)), ...reader.end()]
}

describe('messages of the vendor’s codec', () => {
  const odd: Headers = {
    ':event-type': text('metadata'),
    a: { type: 'boolean', value: true },
    b: { type: 'byte', value: 1 },
    c: { type: 'short', value: 2 },
    d: { type: 'integer', value: 3 },
    f: { type: 'binary', value: Buffer.from('xyz') },
    g: { type: 'timestamp', value: new Date(0) },
    h: { type: 'uuid', value: '123e4567-e89b-12d3-a456-426614174000' },
    ':message-type': text('event'),
  }
  const stream = Buffer.concat([event('messageStart', '{"role":"assistant"}'), message(odd, '{"ü":1}'), event('x', '')])
  const expected = [
    { event: 'messageStart', data: '{"role":"assistant"}' },
    { event: 'metadata', data: '{"ü":1}' },
    { event: 'x', data: '' },
  ]

  test('are read, wherever the body is split in two', () => {
    for (let at = 0; at <= stream.length; at++) {
      assert.deepEqual(readAll([stream.subarray(0, at), stream.subarray(at)]), expected, `split at ${at}`)
    }
  })

  test('are read byte by byte, and from a piece whose bytes are used again', () => {
    assert.deepEqual(readAll([...stream].map((byte) => Uint8Array.of(byte))), expected)
    const piece = Buffer.alloc(7)
    const reader = EVENT_STREAM.open()
    const events: ServerSentEvent[] = []
    for (let at = 0; at < stream.length; at += piece.length) {
      const length = stream.copy(piece, 0, at)
      events.push(...reader.read(piece.subarray(0, length)))
    }
    assert.deepEqual(events, expected)
  })

  test('of any names, payloads and splits', () => {
    const word = fc.string({ maxLength: 300, unit: 'grapheme' })
    const messages = fc.array(
      fc.tuple(
        word.filter((name) => name !== ''),
        word,
      ),
      { maxLength: 5 },
    )
    const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 })
    fc.assert(
      fc.property(messages, sizes, (all, lengths) => {
        const bytes = Buffer.concat(all.map(([name, body]) => event(name, body)))
        const pieces: Buffer[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const length = lengths[turn % lengths.length] ?? 1
          pieces.push(bytes.subarray(at, at + length))
          at += length
        }
        assert.deepEqual(
          readAll(pieces),
          all.map(([name, data]) => ({ event: name, data })),
        )
      }),
    )
  })

  test('an exception and an error have names that no event has', () => {
    const exception = message(
      { ':message-type': text('exception'), ':exception-type': text('throttlingException') },
      '{"message":"slow down"}',
    )
    const error = message(
      { ':message-type': text('error'), ':error-code': text('InternalFailure'), ':error-message': text('oh "no"') },
      '',
    )
    assert.deepEqual(readAll([exception, error]), [
      { event: `${EXCEPTION}throttlingException`, data: '{"message":"slow down"}' },
      { event: `${ERROR}InternalFailure`, data: '{"message":"oh \\"no\\""}' },
    ])
  })
})

describe('a damaged stream', () => {
  const good = event('messageStart', '{}')
  const bad = event('contentBlockDelta', '{"delta":{"text":"hello"}}')

  test('ends at the first message with a wrong bit, whichever it is', () => {
    for (let bit = 0; bit < bad.length * 8; bit++) {
      const broken = Buffer.from(bad)
      broken[bit >> 3] = (broken[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const events = readAll([Buffer.concat([good, broken, good])])
      assert.deepEqual(
        events,
        [
          { event: 'messageStart', data: '{}' },
          { event: DAMAGED, data: '' },
        ],
        `bit ${bit}`,
      )
    }
  })

  test('any bytes are read without a throw, and never as more than the codec reads', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        assert.ok(readAll([bytes]).every(({ event: name }) => name === DAMAGED))
      }),
    )
  })

  test('a message that is cut off is none', () => {
    assert.deepEqual(readAll([good, bad.subarray(0, bad.length - 1)]), [{ event: 'messageStart', data: '{}' }])
  })

  test('a message of more than 16 MB is too large, and is not collected', () => {
    const huge = event('x', 'y'.repeat(16 * 1024 * 1024))
    const reader = EVENT_STREAM.open()
    assert.deepEqual(reader.read(huge.subarray(0, 12)), [])
    assert.equal(reader.isTooLarge, true)
    const fitting = EVENT_STREAM.open()
    const [first] = fitting.read(event('x', 'y'.repeat(15 * 1024 * 1024)))
    assert.deepEqual([first?.data.length, fitting.isTooLarge], [15 * 1024 * 1024, false])
  })
})
