import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BytePieces, joined } from '../domain/byte-pieces.ts'
import { ResponseReader } from './response-reader.ts'

/** What an answer is read as, after which the other side ends the connection: status, body, and what becomes of the connection. */
function read(pieces: readonly Buffer[]): string {
  const body = new BytePieces()
  const reader = new ResponseReader(body, 1_000)
  try {
    for (const piece of pieces) if (!reader.isWhole) reader.read(piece)
  } catch {
    return 'refused'
  }
  reader.endsHere()
  if (!reader.isWhole || reader.head === null) return 'waits for more'
  return `${reader.head.status} ${joined(body.all())}${reader.keepsConnection ? ', kept' : ''}`
}

const OK = 'HTTP/1.1 200 OK\r\n'
const withField = (line: string) => `${OK}${line}\r\ncontent-length: 2\r\n\r\nhi`
const withStatus = (line: string) => `${line}\r\ncontent-length: 2\r\n\r\nhi`
const chunks = (text: string) => `${OK}transfer-encoding: chunked\r\n\r\n${text}`
const KEPT = '200 hi, kept'

/** Clauses of RFC 9112 and RFC 9110: what each allows, and what is beside it. */
const CLAUSES: Record<string, { read: Record<string, string>; refused: readonly string[] }> = {
  'the version is HTTP/1.0 or HTTP/1.1, in these letters': {
    read: { [withStatus('HTTP/1.1 200 OK')]: KEPT, [withStatus('HTTP/1.0 200 OK')]: '200 hi' },
    refused: [
      'http/1.1 200 OK',
      'HTTP/1.2 200 OK',
      'HTTP/1 200 OK',
      'HTTP/2.0 200 OK',
      'ICY 200 OK',
      'HTTP/1.11 200 OK',
    ].map(withStatus),
  },
  'nothing stands before the status line': {
    read: {},
    refused: ['\r\n', '\n', ' ', '\0', '\ufeff', 'x', 'hi\r\n'].map((before) => before + withStatus('HTTP/1.1 200 OK')),
  },
  'one blank stands between version and status': {
    read: {},
    refused: ['HTTP/1.1  200 OK', 'HTTP/1.1\t200 OK', 'HTTP/1.1200 OK', 'HTTP/1.1\xa0200 OK'].map(withStatus),
  },
  'a status has three digits, from 100 to 599': {
    read: { [withStatus('HTTP/1.1 599 x')]: '599 hi, kept' },
    refused: ['20', '2000', '099', '600', '2x0', '+20', '２００'].map((status) => withStatus(`HTTP/1.1 ${status} OK`)),
  },
  'a reason is visible, may be empty, and may be missing': {
    read: Object.fromEntries(
      ['', ' ', ' OK', ' very \t well', ' \xfcber', ' a:b'].map((reason) => [
        withStatus(`HTTP/1.1 200${reason}`),
        KEPT,
      ]),
    ),
    refused: [' O\0K', ' O\rK', ' O\nK', ' O\x7fK', ' O\x1bK', '\tOK', ';OK'].map((reason) =>
      withStatus(`HTTP/1.1 200${reason}`),
    ),
  },
  'a field name is a token': {
    read: { [withField("!#$%&'*+-.^_`|~09azAZ: x")]: KEPT },
    refused: [
      ': x',
      'a b: x',
      'a\0b: x',
      'a\tb: x',
      'a\x7fb: x',
      '\xfc: x',
      'a(b): x',
      'a"b: x',
      'a/b: x',
      'a[b]: x',
      'a\rb: x',
    ].map(withField),
  },
  'nothing stands between a name and its colon': {
    read: {},
    refused: ['x-a : x', 'x-a\t: x', 'x-a  : x', 'transfer-encoding : chunked', 'x-a\xa0: x'].map(withField),
  },
  'every line of the head has a colon': {
    read: {},
    refused: ['x-a', 'x-a x', 'HTTP/1.1 200 OK', '\x20'].map(withField),
  },
  'a value is visible ASCII, bytes beyond it, blanks and tabs; or empty': {
    read: Object.fromEntries(
      ['x-a:', 'x-a:x', 'x-a: \t x \t ', 'x-a: x y\tz', 'x-a: \xfc\xff\x80', 'x-a: a: b', 'x-a: ~'].map((line) => [
        withField(line),
        KEPT,
      ]),
    ),
    refused: ['\0', '\x01', '\x08', '\x0b', '\x0c', '\x1b', '\x1f', '\x7f'].map((byte) => withField(`x-a: x${byte}y`)),
  },
  'a value is not folded over lines': {
    read: {},
    refused: ['x-a: x\r\n y', 'x-a: x\r\n\ty', 'x-a: x\r\n ', 'x-a:\r\n x', ' x-a: x'].map(withField),
  },
  'lines end in CR LF': {
    read: {},
    refused: [
      withField('x-a: x\nx-b: y'),
      withField('x-a: x\rx-b: y'),
      withField('x-a: x\r\r\nx-b: y'),
      withField('x-a: x\n\r\nx-b: y'),
      `${OK}content-length: 2\n\nhi`,
      `${OK}content-length: 2\r\n\nhi`,
      `${OK}content-length: 2\n\r\nhi`,
      `${OK}content-length: 2\r\rhi`,
      'HTTP/1.1 200 OK\ncontent-length: 2\n\nhi',
    ],
  },
  'a head has a bound': {
    read: { [withField(`x-a: ${'x'.repeat(60_000)}`)]: KEPT },
    refused: [
      withField(`x-a: ${'x'.repeat(70_000)}`),
      withField('x-a: x\r\n'.repeat(10_000).slice(0, -2)),
      `${OK}x-a: ${'x'.repeat(70_000)}`,
    ],
  },
  'a length is digits': {
    read: {
      [`${OK}content-length: 2\r\n\r\nhi`]: KEPT,
      [`${OK}Content-Length:\t2 \r\n\r\nhi`]: KEPT,
      [`${OK}content-length:0002\r\n\r\nhi`]: KEPT,
    },
    refused: [
      '',
      '+2',
      '-2',
      '2.0',
      '0x2',
      '2 2',
      '2;',
      '2,',
      ',2',
      '2, 2',
      '2, 3',
      '２',
      '2\xa0',
      '1e0',
      '99999999999999999999',
    ].map((length) => `${OK}content-length: ${length}\r\n\r\nhi`),
  },
  'a tab behind a length or a coding is refused: readers differ on whether it is a part of it': {
    read: {},
    refused: [`${OK}content-length: 2\t\r\n\r\nhi`, `${OK}transfer-encoding: chunked\t\r\n\r\n2\r\nhi\r\n0\r\n\r\n`],
  },
  'a length stands once': {
    read: {},
    refused: ['2', '3', ''].map((other) => `${OK}content-length: 2\r\nContent-Length: ${other}\r\n\r\nhi`),
  },
  'a transfer coding is chunked, once': {
    read: {
      [chunks('2\r\nhi\r\n0\r\n\r\n')]: KEPT,
      [`${OK}Transfer-Encoding:\tChunked \r\n\r\n2\r\nhi\r\n0\r\n\r\n`]: KEPT,
    },
    refused: [
      '',
      'gzip',
      'gzip, chunked',
      'chunked, gzip',
      'chunked, chunked',
      'chunked,',
      ', chunked',
      'identity',
      'xchunked',
      'chunked;a=b',
      '"chunked"',
      'chun ked',
      'chunked\xa0',
      'chunked\r\ntransfer-encoding: chunked',
      'chunked\r\ntransfer-encoding: identity',
    ].map((coding) => `${OK}transfer-encoding: ${coding}\r\n\r\n2\r\nhi\r\n0\r\n\r\n`),
  },
  'a length and a transfer coding do not stand together': {
    read: {},
    refused: [
      `${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
      `${OK}transfer-encoding: chunked\r\ncontent-length: 0\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
    ],
  },
  'an answer of the old version has no transfer coding': {
    read: {},
    refused: ['HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n'],
  },
  'a chunk begins with its size in hexadecimal digits': {
    read: {
      [chunks('00a\r\n0123456789\r\n0\r\n\r\n')]: '200 0123456789, kept',
      [chunks('A\r\n0123456789\r\n000\r\n\r\n')]: '200 0123456789, kept',
    },
    refused: ['', ' 2', '2 ', '2\t', '+2', '-2', '0x2', '2g', '2.', '２', '2 2', '000000002', 'fffffffff', '2\0'].map(
      (size) => chunks(`${size}\r\nhi\r\n0\r\n\r\n`),
    ),
  },
  'an extension of a chunk is a name, and a value that is a token or a quoted text': {
    read: Object.fromEntries(
      [';a', ';a=b', ';a="b c;d"', ';a="\\"\\\\"', ';a;b=c', ';a=""', ';a="\xfc\t"'].map((extension) => [
        chunks(`2${extension}\r\nhi\r\n0${extension}\r\n\r\n`),
        KEPT,
      ]),
    ),
    refused: [
      ';',
      ';;a',
      ' ;a',
      '; a',
      ';a =b',
      ';a= b',
      ';=b',
      ';a=',
      ';a b',
      ';a="b',
      ';a="b"c',
      ';a=b"c"',
      ';\xfc',
      ';a=\xfc',
      ';a\0',
      ';a="\0"',
      ';a ',
      ';a=b\r',
      ';a\rb',
      ';a="\n"',
      ';a="\\\x01"',
    ].map((extension) => chunks(`2${extension}\r\nhi\r\n0\r\n\r\n`)),
  },
  'the extensions of all chunks have a bound': {
    read: { [chunks(`2;a=${'x'.repeat(16_000)}\r\nhi\r\n0\r\n\r\n`)]: KEPT },
    refused: [
      chunks(`2;a=${'x'.repeat(17_000)}\r\nhi\r\n0\r\n\r\n`),
      chunks(`${`1;a=${'x'.repeat(1_000)}\r\nh\r\n`.repeat(20)}0\r\n\r\n`),
    ],
  },
  'a chunk ends where its size says, and its lines end in CR LF': {
    read: {},
    refused: [
      '2\nhi\r\n0\r\n\r\n',
      '2\r\nhi\n0\r\n\r\n',
      '2\r\nhi\r0\r\n\r\n',
      '2\r\nhi0\r\n\r\n',
      '2\r\nhi!\r\n0\r\n\r\n',
      '2\r\nhi\r\n0\n\r\n',
      '2\r\nhi\r\n0\r\n\n',
      '2\r\nhi\r\n\r\n0\r\n\r\n',
      '2\rhi\r\n0\r\n\r\n',
      '2\r\r\nhi\r\n0\r\n\r\n',
    ].map(chunks),
  },
  'fields after the last chunk are fields like those of the head': {
    read: { [chunks('2\r\nhi\r\n0\r\nx-sum: 1\r\nx-b:\r\n\r\n')]: KEPT },
    refused: [
      'x-sum',
      'x-sum : 1',
      ': 1',
      ' x: 1',
      'x: 1\r\n y',
      'x: \0',
      'x: \x7f',
      'a b: c',
      'x: 1\ny: 2',
      'x: 1\r\r',
      `x: ${'x'.repeat(17_000)}`,
      'x: 1\r\n'.repeat(4_000).slice(0, -2),
    ].map((line) => chunks(`2\r\nhi\r\n0\r\n${line}\r\n\r\n`)),
  },
  'fields after the last chunk say nothing about where the answer ends': {
    read: {},
    refused: ['content-length: 2', 'Transfer-Encoding: chunked', 'transfer-encoding: gzip'].map((line) =>
      chunks(`2\r\nhi\r\n0\r\n${line}\r\n\r\n`),
    ),
  },
  'answers before the answer have a head and no body': {
    read: {
      [`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${withStatus('HTTP/1.1 200 OK')}`]:
        KEPT,
    },
    refused: [
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n',
      `HTTP/1.1 100 Continue\r\ncontent-length: 2\r\n\r\nhi${withStatus('HTTP/1.1 200 OK')}`,
      `HTTP/1.1 100 Continue\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${withStatus('HTTP/1.1 200 OK')}`,
      `HTTP/1.1 100 Continue\r\nconnection: close\r\n\r\n${withStatus('HTTP/1.1 200 OK')}`,
      `HTTP/1.0 100 Continue\r\n\r\n${withStatus('HTTP/1.1 200 OK')}`,
      `HTTP/1.1 100 Continue\r\nx-a : x\r\n\r\n${withStatus('HTTP/1.1 200 OK')}`,
      `HTTP/1.1 100 Continue\r\n\r\nhi${withStatus('HTTP/1.1 200 OK')}`,
      `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(4_000)}${withStatus('HTTP/1.1 200 OK')}`,
    ],
  },
  '204 and 304 have no body': {
    read: {
      'HTTP/1.1 204 x\r\n\r\n': '204 , kept',
      'HTTP/1.1 204 x\r\ncontent-length: 0\r\n\r\n': '204 , kept',
      'HTTP/1.1 304 x\r\ncontent-length: 2\r\n\r\n': '304 , kept',
    },
    refused: [
      'HTTP/1.1 204 x\r\ncontent-length: 2\r\n\r\nhi',
      'HTTP/1.1 204 x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'HTTP/1.1 304 x\r\ncontent-length: x\r\n\r\n',
      'HTTP/1.1 304 x\r\ntransfer-encoding: gzip\r\n\r\n',
    ],
  },
  'what comes after an answer belongs to nobody: the answer stands, the connection ends': {
    read: Object.fromEntries(
      ['!', '\r\n', '\n', 'HTTP/1.1 200 OK\r\n'].flatMap((rest) => [
        [`${OK}content-length: 2\r\n\r\nhi${rest}`, '200 hi'],
        [`${OK}content-length: 0\r\n\r\n${rest}`, '200 '],
        [chunks(`2\r\nhi\r\n0\r\n\r\n${rest}`), '200 hi'],
        [`HTTP/1.1 204 x\r\n\r\n${rest}`, '204 '],
        [`HTTP/1.1 304 x\r\ncontent-length: 2\r\n\r\n${rest}`, '304 '],
      ]),
    ),
    refused: [],
  },
  'a connection is used again only when all options are options, and none is close': {
    read: Object.fromEntries(
      [
        ...['keep-alive', 'Keep-Alive', 'x', 'x, keep-alive', 'upgrade', ''].map((value) => [value, KEPT] as const),
        ...[
          'close',
          'CLOSE',
          'x,close',
          'close\r\nconnection: keep-alive',
          'keep-alive\r\nconnection: close',
          'close;x',
          'x close',
          '"close"',
          '\xfc',
        ].map((value) => [value, '200 hi'] as const),
      ].flatMap(([value, means]) => [
        [withField(`connection: ${value}`), means],
        [withField(`proxy-connection: ${value}`), means],
      ]),
    ),
    refused: [],
  },
  'without a length the end of the connection is the end of the answer': {
    read: { [`${OK}\r\nhi`]: '200 hi', [`${OK}connection: keep-alive\r\n\r\nhi`]: '200 hi' },
    refused: [],
  },
}

for (const [clause, { read: allowed, refused }] of Object.entries(CLAUSES)) {
  describe(clause, () => {
    for (const [sent, means] of [...Object.entries(allowed), ...refused.map((text) => [text, 'refused'] as const)]) {
      test(`${JSON.stringify(sent).slice(0, 120)}: ${means}`, () => {
        const bytes = Buffer.from(sent, 'latin1')
        assert.equal(read([bytes]), means)
        // However the network cuts it; who answers in pieces cannot have what follows an answer seen before it is used.
        if (bytes.length > 2_000) return
        const isFollowed = clause.startsWith('what comes after')
        const shown = (pieces: Buffer[]) => (isFollowed ? read(pieces).replace(', kept', '') : read(pieces))
        for (let cut = 1; cut < bytes.length; cut++) {
          assert.equal(shown([bytes.subarray(0, cut), bytes.subarray(cut)]), means, `cut at ${cut}`)
        }
        assert.equal(shown([...bytes].map((byte) => Buffer.of(byte))), means, 'byte by byte')
      })
    }
  })
}
