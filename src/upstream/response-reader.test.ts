import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BytePieces, joined } from '../domain/byte-pieces.ts'
import { ResponseReader, TooLargeError } from './response-reader.ts'

const MOST_BYTES = 1_000

/** What an answer is read as. */
interface Read {
  status: number
  body: string
  keeps: boolean
}

function read(pieces: readonly Buffer[], ends: boolean): Read | 'not whole' | 'no answer' | 'too large' {
  const body = new BytePieces()
  const reader = new ResponseReader(body, MOST_BYTES)
  try {
    for (const piece of pieces) reader.read(piece)
  } catch (error) {
    return error instanceof TooLargeError ? 'too large' : 'no answer'
  }
  if (ends) reader.endsHere()
  if (!reader.isWhole || reader.head === null) return 'not whole'
  return { status: reader.head.status, body: joined(body.all()).toString(), keeps: reader.keepsConnection }
}

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`
const kept = (body: string, status = 200): Read => ({ status, body, keeps: true })
const last = (body: string, status = 200): Read => ({ status, body, keeps: false })

/** What came, what it means, and whether the other side then ended the connection. */
const ANSWERS: Record<string, [sent: string, means: ReturnType<typeof read>, ends?: true]> = {
  'a length': [`${OK}content-length: 5\r\n\r\nhello`, kept('hello')],
  'a length of nothing': [`${OK}content-length: 0\r\n\r\n`, kept('')],
  'names in any letters, values with blanks around': [`${OK}Content-LENGTH:\t 5 \r\n\r\nhello`, kept('hello')],
  'a length that is not reached': [`${OK}content-length: 6\r\n\r\nhello`, 'not whole', true],
  'more than its length': [`${OK}content-length: 5\r\n\r\nhello!`, last('hello')],
  'the same length twice': [`${OK}content-length: 5\r\ncontent-length: 5\r\n\r\nhello`, 'no answer'],
  'two lengths': [`${OK}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`, 'no answer'],
  'two lengths in one field': [`${OK}content-length: 5, 6\r\n\r\nhello`, 'no answer'],
  'a length that is no number': [`${OK}content-length: +5\r\n\r\nhello`, 'no answer'],
  'a length beyond the most': [`${OK}content-length: 1001\r\n\r\n`, 'too large'],
  'a field that only ends like a length': [`${OK}x-content-length: 9\r\ncontent-length: 5\r\n\r\nhello`, kept('hello')],
  chunks: [`${CHUNKED}5\r\nhello\r\n1\r\n \r\n6\r\nworld!\r\n0\r\n\r\n`, kept('hello world!')],
  'chunks with extensions and trailers': [`${CHUNKED}5;a=b\r\nhello\r\n0\r\nx-sum: 1\r\n\r\n`, kept('hello')],
  'sizes in any letters': [`${CHUNKED}A\r\n0123456789\r\n00\r\n\r\n`, kept('0123456789')],
  'chunks without the last': [`${CHUNKED}5\r\nhello\r\n`, 'not whole', true],
  'chunks without the end of the last': [`${CHUNKED}5\r\nhello\r\n0\r\n`, 'not whole', true],
  'something after the chunks': [`${CHUNKED}5\r\nhello\r\n0\r\n\r\nHTTP/1.1`, last('hello')],
  'a chunk longer than its size': [`${CHUNKED}5\r\nhello!\r\n0\r\n\r\n`, 'no answer'],
  'a chunk without a size': [`${CHUNKED}\r\nhello\r\n0\r\n\r\n`, 'no answer'],
  'a size that is no number': [`${CHUNKED}-5\r\nhello\r\n0\r\n\r\n`, 'no answer'],
  'a size beyond all numbers': [`${CHUNKED}fffffffff\r\nhello`, 'no answer'],
  'lines that end in one letter': [`${CHUNKED}5\nhello\n0\n\n`, 'no answer'],
  'chunks beyond the most': [`${CHUNKED}3e9\r\n${'x'.repeat(1001)}\r\n0\r\n\r\n`, 'too large'],
  'chunks and a length': [
    `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    'no answer',
  ],
  'a coding that nobody asked for': [`${OK}transfer-encoding: gzip, chunked\r\n\r\n`, 'no answer'],
  'neither length nor chunks, then the end': [`${OK}\r\nhello`, last('hello'), true],
  'neither length nor chunks, and no end': [`${OK}\r\nhello`, 'not whole'],
  'neither length nor chunks, beyond the most': [`${OK}\r\n${'x'.repeat(1001)}`, 'too large'],
  'no body by its status': ['HTTP/1.1 204 No Content\r\n\r\n', kept('', 204)],
  'no body by its status, whatever its length': ['HTTP/1.1 304 Same\r\ncontent-length: 5\r\n\r\n', kept('', 304)],
  'an answer before the answer': [
    `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}content-length: 2\r\n\r\nhi`,
    kept('hi'),
  ],
  'several of them': [`HTTP/1.1 100 \r\n\r\nHTTP/1.1 102 \r\n\r\n${OK}content-length: 2\r\n\r\nhi`, kept('hi')],
  'another protocol': ['HTTP/1.1 101 Switching\r\nupgrade: h2c\r\n\r\n', 'no answer'],
  'a connection to be closed': [`${OK}connection: Close\r\ncontent-length: 2\r\n\r\nhi`, last('hi')],
  'a connection to be closed, among others': [`${OK}connection: x, close\r\ncontent-length: 2\r\n\r\nhi`, last('hi')],
  'an old version': ['HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nhi', last('hi')],
  'no reason': ['HTTP/1.1 429\r\ncontent-length: 2\r\n\r\nhi', kept('hi', 429)],
  'an error': ['HTTP/1.1 529 Overloaded\r\ncontent-length: 2\r\n\r\nhi', kept('hi', 529)],
  'a version to come': ['HTTP/2.0 200 OK\r\ncontent-length: 2\r\n\r\nhi', 'no answer'],
  'a status of two digits': ['HTTP/1.1 20 OK\r\n\r\n', 'no answer'],
  'a status of four digits': ['HTTP/1.1 2000 OK\r\n\r\n', 'no answer'],
  'another language': ['220 smtp ready\r\n', 'no answer'],
  'a head that does not end': [OK, 'not whole', true],
  'a head without an end in sight': [`${OK}x: ${'x'.repeat(70_000)}`, 'no answer'],
  nothing: ['', 'not whole', true],
}

describe('an answer', () => {
  for (const [title, [sent, means, ends = false]] of Object.entries(ANSWERS)) {
    test(`with ${title}`, () => {
      const bytes = Buffer.from(sent)
      assert.deepEqual(read([bytes], ends), means)
      // Nothing depends on how the network cuts it.
      for (let cut = 1; cut < Math.min(bytes.length, 300); cut++) {
        assert.deepEqual(read([bytes.subarray(0, cut), bytes.subarray(cut)], ends), means, `cut at ${cut}`)
      }
      if (bytes.length > 2_000) return
      const letters = [...bytes].map((byte) => Buffer.from([byte]))
      assert.deepEqual(read(letters, ends), means, 'letter by letter')
    })
  }
})

test('fields are found by name, the first of several, and only as names', () => {
  const reader = new ResponseReader(new BytePieces(), MOST_BYTES)
  reader.read(
    Buffer.from(`${OK}Retry-After: 3\r\nretry-after: 4\r\nx-note: retry-after-ms: 9\r\ncontent-length: 0\r\n\r\n`),
  )
  const { head } = reader
  assert.equal(head?.get('retry-after'), '3')
  assert.equal(head?.get('retry-after-ms'), undefined)
  assert.deepEqual(head?.all('retry-after'), [' 3', ' 4'])
})
