import { pick, type Random } from '../../simulator/random.ts'

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKS = '5\r\nhello\r\n1;a=b\r\n \r\n6;c="d e"\r\nworld!\r\n0\r\n'
const USUAL = 'date: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-Type: application/json\r\nx-request-id: req_1\r\n'

/** Answers of every kind, as letters of one byte. Most are right, some are so in one reader and not in another. */
const ANSWERS: readonly [string, ...string[]] = [
  `${OK}${USUAL}content-length: 5\r\n\r\nhello`,
  `${OK}content-length: 0\r\n\r\n`,
  `${OK}${USUAL}connection: keep-alive\r\nkeep-alive: timeout=5\r\ncontent-length: 2\r\n\r\n{}`,
  `${OK}connection: close\r\ncontent-length: 2\r\n\r\n{}`,
  `${OK}${USUAL}transfer-encoding: chunked\r\n\r\n${CHUNKS}\r\n`,
  `${OK}transfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n${CHUNKS}x-sum: 1\r\nx-b: c\r\n\r\n`,
  `${OK}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${OK}${USUAL}\r\nuntil the end`,
  `HTTP/1.0 200 OK\r\n${USUAL}content-length: 2\r\n\r\n{}`,
  `HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\n{}`,
  'HTTP/1.1 204 No Content\r\nx-a: b\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\netag: "x"\r\n\r\n',
  `HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 2\r\n\r\n{}`,
  `HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\nHTTP/1.1 102 x\r\n\r\n${OK}content-length: 2\r\n\r\n{}`,
  `HTTP/1.1 429 Too Many Requests\r\nretry-after: 3\r\ncontent-length: 2\r\n\r\n{}`,
  'HTTP/1.1 529 \r\ncontent-length: 2\r\n\r\n{}',
  'HTTP/1.1 503\r\ncontent-length: 2\r\n\r\n{}',
  `${OK}x-empty:\r\nx-blank: \t \r\nx-far: \xfc\xe9\xa0\r\nx-colon: a:b: c\r\ncontent-length: 2\r\n\r\n{}`,
]

const LINES: readonly [string, ...string[]] = [
  'x: y',
  ...['content-length: 5', 'Content-Length: 2', 'content-length: 0', 'content-length:', 'content-length: 5, 5'],
  ...['content-length: +5', 'content-length: 0x5', 'content-length : 5', 'content-length: 05', ' content-length: 5'],
  ...['transfer-encoding: chunked', 'Transfer-Encoding: Chunked', 'transfer-encoding: gzip, chunked'],
  ...[
    'transfer-encoding: chunked, chunked',
    'transfer-encoding: identity',
    'transfer-encoding:',
    'transfer-encoding : chunked',
  ],
  ...['transfer-encoding: chunked;q=1', 'transfer-encoding: \tchunked\t', 'transfer-encoding: chunked,'],
  ...[
    'connection: close',
    'Connection: Close',
    'connection: keep-alive, close',
    'connection: x close',
    'connection:',
    'connection: closed',
  ],
  ...[
    'connection: upgrade',
    'upgrade: h2c',
    'proxy-connection: close',
    'keep-alive: timeout=0',
    'connection: close,',
    'connection: keep-alive',
  ],
  ...[
    'HTTP/1.1 200 OK',
    'HTTP/1.1 100 Continue',
    'x',
    'x:',
    ': x',
    ' folded',
    '\tfolded',
    'x: y',
    'x : y',
    'x\0y: z',
    'x: \0',
    '',
    '0',
    '5',
    'a;b=c',
    'fffffffff',
  ],
]

/** Bytes that mean something somewhere. */
const LETTERS = [...'\0\t\n\v\f\r !"#%()*+,-./0159:;<=>?@AFHTZ[\\]_aefz{|}~\x7f\x80\x85\xa0\xff'] as [
  string,
  ...string[],
]
const ENDS: readonly [string, ...string[]] = [
  '\n',
  '\r',
  '\r\r\n',
  '\n\r',
  ' \r\n',
  '\r\n ',
  '\r\n\t',
  '\r\n\r\n',
  '\n\n',
  '',
  '\x85',
  '\0\r\n',
]

type Change = (text: string, random: Random) => string

const placeIn = (text: string, random: Random) => Math.floor(random() * (text.length + 1))
const splice = (text: string, at: number, remove: number, insert: string) =>
  text.slice(0, at) + insert + text.slice(at + remove)

/** Something done to one of the lines. */
const toLine =
  (change: (line: string, random: Random) => string[]): Change =>
  (text, random) => {
    const lines = text.split('\r\n')
    const at = Math.floor(random() * lines.length)
    return [...lines.slice(0, at), ...change(lines[at] ?? '', random), ...lines.slice(at + 1)].join('\r\n')
  }

const CHANGES: readonly [Change, ...Change[]] = [
  (text, random) => splice(text, placeIn(text, random), 0, pick(random, LETTERS)),
  (text, random) => splice(text, placeIn(text, random), 1, pick(random, LETTERS)),
  (text, random) => splice(text, placeIn(text, random), 1, String.fromCharCode(Math.floor(random() * 256))),
  (text, random) => splice(text, placeIn(text, random), Math.ceil(random() * 4), ''),
  (text, random) => text.slice(0, placeIn(text, random)),
  (text, random) => text + pick(random, ['\r\n', 'x', '\n', ANSWERS[0], '0\r\n\r\n', ' ']),
  toLine((line, random) => [line, pick(random, LINES)]),
  toLine((line, random) => [line, pick(random, LINES)]),
  toLine(() => []),
  toLine((line) => [line, line]),
  toLine((line) => [line.toUpperCase()]),
  toLine((line, random) => [
    splice(line, line.indexOf(':'), 1, pick(random, [' :', ':', ':\t', '', '::', ':  ', '\t:', '='])),
  ]),
  (text, random) => {
    const lines = text.split('\r\n')
    const at = Math.floor(random() * lines.length)
    return `${lines.slice(0, at).join('\r\n')}${pick(random, ENDS)}${lines.slice(at).join('\r\n')}`
  },
  (text, random) => splice(text, text.search(/\d(?!\.)/), 1, pick(random, ['0', '1', '9', 'a', '-1', '00'])),
  (text, random) => {
    const other = pick(random, ANSWERS)
    return text.slice(0, placeIn(text, random)) + other.slice(placeIn(other, random))
  },
]

/** An answer that has been changed in a few places, or in none. */
export function mutatedAnswer(random: Random): Buffer {
  let text = pick(random, ANSWERS)
  for (let times = Math.floor(random() * 4); times > 0; times -= 1) text = pick(random, CHANGES)(text, random)
  return Buffer.from(text, 'latin1')
}

/** The same bytes in pieces, as a network may cut them. */
export function cut(bytes: Buffer, random: Random): Buffer[] {
  const places = Array.from({ length: Math.ceil(random() * 4) }, () => Math.floor(random() * bytes.length))
  const ends = [...new Set([...places, bytes.length])].sort((a, b) => a - b)
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end)).filter((piece) => piece.length > 0)
}
