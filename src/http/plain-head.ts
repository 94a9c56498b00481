/** The head of a request, kept with its meaning: on one connection the next is mostly the same, letter by letter. */
export interface PlainHeaders {
  /** Latin-1. Text, because it is kept as long as the connection: bytes would keep the whole packet they came in. */
  head: string
  fields: ReadonlyMap<string, string>
  bodyBytes: number
}

/** Larger bodies are worked on while they arrive. */
export const MOST_BODY_BYTES = 64 * 1024

/** Node's own bounds are these or wider: it decides what happens beyond them. */
const MOST_HEAD_BYTES = 16 * 1024
const MOST_FIELDS = 100

const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Reads the head that the bytes begin with, if it is of the plainest form, as nearly every client sends it; null for
 * everything else, which is left to Node. It takes only what leaves no doubt where the request ends: the one request
 * line, fields of printable ASCII that stand once each, a length, and nothing that changes what the connection means
 * (transfer codings, upgrades, expectations).
 */
export function readPlainHead(bytes: Buffer, line: string, last: PlainHeaders | null): PlainHeaders | null {
  if (last !== null && startsWith(bytes, last.head)) return last
  return startsWith(bytes, line) ? readHeaders(bytes, line.length) : null
}

function startsWith(bytes: Buffer, head: string): boolean {
  return bytes.length >= head.length && bytes.toString('latin1', 0, head.length) === head
}

/** A field as everyone writes it: no folded lines, no letters beyond ASCII, no blanks before the colon. */
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e]*)$/
const LENGTH = /^\d{1,9}$/
/** What changes how the rest of the connection is to be read. */
const NOT_PLAIN = ['transfer-encoding', 'expect', 'upgrade', 'trailer', 'http2-settings', 'proxy-connection']

function readHeaders(bytes: Buffer, from: number): PlainHeaders | null {
  const end = bytes.indexOf(HEAD_END, from - 2)
  // Who sends a head in pieces may send it for minutes: Node keeps the time.
  if (end < from || end + HEAD_END.length > MOST_HEAD_BYTES) return null
  const fields = new Map<string, string>()
  const head = bytes.toString('latin1', 0, end + HEAD_END.length)
  for (const line of head.slice(from, end).split('\r\n')) {
    const match = FIELD.exec(line)
    const name = match?.[1]?.toLowerCase()
    if (match === null || name === undefined || fields.has(name) || fields.size === MOST_FIELDS) return null
    fields.set(name, (match[2] ?? '').trimEnd())
  }
  const length = fields.get('content-length')
  const connection = fields.get('connection')?.toLowerCase() ?? 'keep-alive'
  if (length === undefined || !LENGTH.test(length) || Number(length) > MOST_BODY_BYTES) return null
  if (connection !== 'keep-alive' || !fields.has('host') || NOT_PLAIN.some((name) => fields.has(name))) return null
  return { head, fields, bodyBytes: Number(length) }
}
