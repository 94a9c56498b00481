/** A parsed head, kept because the next one on the same connection is mostly identical. */
export interface PlainHeaders {
  /** Latin-1 text, not bytes: those would keep the whole packet in memory as long as the connection. */
  head: string
  fields: ReadonlyMap<string, string>
  bodyBytes: number
  asked: Asked
  /** See `Call.kept`. */
  kept: Kept
}

/** What is worked out from a head once, for all requests of a connection that repeat it. */
export interface Kept {
  keyHash: string | null
}

/** What the request line says beside the route. */
export interface Asked {
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
}

const NOTHING_MORE: Asked = { params: {}, query: {} }

/** Larger bodies are left to `node:http`. */
export const MAX_BODY_BYTES = 64 * 1024

/** Not wider than Node's own limits: what exceeds these is left to Node. */
const MAX_HEAD_BYTES = 16 * 1024
const MAX_FIELDS = 100

const HEAD_END = Buffer.from('\r\n\r\n')
const LINE_END = '\r\n'

/**
 * Reads the head at the start of the bytes if it is as plain as nearly every client sends it; null for everything else,
 * which is left to Node. It only takes heads that leave no doubt where the request ends: this request line, fields of
 * printable ASCII without repetition, a length, and nothing that changes the connection (transfer codings, upgrades,
 * expectations). `readRest`: where `line` is only the beginning of a request line.
 */
export function readPlainHead(
  bytes: Buffer,
  line: string,
  last: PlainHeaders | null,
  readRest?: (rest: string) => Asked | null,
): PlainHeaders | null {
  if (last !== null && startsWith(bytes, last.head)) return last
  if (!startsWith(bytes, line)) return null
  if (readRest === undefined) return readHeaders(bytes, line.length, NOTHING_MORE)
  const end = bytes.indexOf(LINE_END, line.length)
  if (end < 0 || end > MAX_HEAD_BYTES) return null
  const asked = readRest(bytes.toString('latin1', line.length, end))
  return asked === null ? null : readHeaders(bytes, end + LINE_END.length, asked)
}

function startsWith(bytes: Buffer, head: string): boolean {
  return bytes.length >= head.length && bytes.toString('latin1', 0, head.length) === head
}

/** No folded lines, only ASCII, no blanks before the colon. */
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e]*)$/
const LENGTH = /^\d{1,9}$/
/** They change how the connection is parsed. */
const NOT_PLAIN = ['transfer-encoding', 'expect', 'upgrade', 'trailer', 'http2-settings', 'proxy-connection']

function readHeaders(bytes: Buffer, from: number, asked: Asked): PlainHeaders | null {
  const end = bytes.indexOf(HEAD_END, from - 2)
  // A head that comes in pieces may take minutes: Node has the timeout for it.
  if (end < from || end + HEAD_END.length > MAX_HEAD_BYTES) return null
  const fields = new Map<string, string>()
  const head = bytes.toString('latin1', 0, end + HEAD_END.length)
  for (const line of head.slice(from, end).split('\r\n')) {
    const match = FIELD.exec(line)
    const name = match?.[1]?.toLowerCase()
    if (match === null || name === undefined || fields.has(name) || fields.size === MAX_FIELDS) return null
    fields.set(name, (match[2] ?? '').trimEnd())
  }
  const length = fields.get('content-length')
  const connection = fields.get('connection')?.toLowerCase() ?? 'keep-alive'
  if (length === undefined || !LENGTH.test(length) || Number(length) > MAX_BODY_BYTES) return null
  if (connection !== 'keep-alive' || !fields.has('host') || NOT_PLAIN.some((name) => fields.has(name))) return null
  return { head, fields, bodyBytes: Number(length), asked, kept: { keyHash: null } }
}
