/** The head of a request, kept with its meaning: on one connection the next is mostly the same, letter by letter. */
export interface PlainHeaders {
  head: Buffer
  fields: ReadonlyMap<string, string>
  bodyBytes: number
}

/** Larger bodies are worked on while they arrive. */
export const MOST_BODY_BYTES = 64 * 1024

const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Reads the head that the bytes begin with, if it is of the plainest form, as nearly every client sends it; null for
 * everything else, which is left to Node. It takes only what leaves no doubt where the request ends: the one request
 * line, fields of printable ASCII that stand once each, a length, and nothing that changes what the connection means
 * (transfer codings, upgrades, expectations).
 */
export function readPlainHead(bytes: Buffer, line: Buffer, last: PlainHeaders | null): PlainHeaders | null {
  if (last !== null && startsWith(bytes, last.head)) return last
  return startsWith(bytes, line) ? readHeaders(bytes, line.length) : null
}

function startsWith(bytes: Buffer, head: Buffer): boolean {
  return bytes.length >= head.length && bytes.compare(head, 0, head.length, 0, head.length) === 0
}

/** A field as everyone writes it: no folded lines, no letters beyond ASCII, no blanks before the colon. */
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e]*)$/
const LENGTH = /^\d{1,9}$/
/** What changes how the rest of the connection is to be read. */
const NOT_PLAIN = ['transfer-encoding', 'expect', 'upgrade', 'trailer', 'http2-settings']

function readHeaders(bytes: Buffer, from: number): PlainHeaders | null {
  const end = bytes.indexOf(HEAD_END, from - 2)
  // Who sends a head in pieces may send it for minutes: Node keeps the time.
  if (end < from) return null
  const fields = new Map<string, string>()
  for (const text of bytes.toString('latin1', from, end).split('\r\n')) {
    const match = FIELD.exec(text)
    const name = match?.[1]?.toLowerCase()
    if (match === null || name === undefined || fields.has(name)) return null
    fields.set(name, (match[2] ?? '').trimEnd())
  }
  const length = fields.get('content-length')
  const connection = fields.get('connection')?.toLowerCase() ?? 'keep-alive'
  if (length === undefined || !LENGTH.test(length) || Number(length) > MOST_BODY_BYTES) return null
  if (connection !== 'keep-alive' || !fields.has('host') || NOT_PLAIN.some((name) => fields.has(name))) return null
  return { head: bytes.subarray(0, end + HEAD_END.length), fields, bodyBytes: Number(length) }
}
