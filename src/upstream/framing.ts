import { type ResponseHead, TOKEN, withoutBlanks } from './response-head.ts'

/** The grammar also allows a tab at the end, which other readers take for a part of the value. */
const LENGTH = /^[ \t]*(\d{1,15}) *$/
const CHUNKED = /^[ \t]*chunked *$/
const OPTION = new RegExp(`^${TOKEN}$`)

/** How the end of a body is known: its length in bytes, its last chunk, or the end of the connection. */
export type Framing = number | 'chunks' | 'connection'

/** Throws where two readers might disagree about the end. */
export function framingOf(head: ResponseHead): Framing {
  const { status } = head
  const isChunked = hasChunks(head)
  const length = lengthOf(head)
  if (isChunked && length !== null) throw new SyntaxError('both a length and chunks (response smuggling)')
  if (status === 101) throw new SyntaxError('an unrequested protocol switch')
  if (status === 304) return 0
  if (status < 200 || status === 204) {
    if (isChunked || (length ?? 0) > 0) throw new SyntaxError('a body where none is allowed')
    if (status < 200 && !keepsConnection(head)) throw new SyntaxError('an interim response closes the connection')
    return 0
  }
  return isChunked ? 'chunks' : (length ?? 'connection')
}

function hasChunks(head: ResponseHead): boolean {
  const codings = head.all('transfer-encoding')
  const [coding] = codings
  if (coding === undefined) return false
  // An HTTP/1.0 proxy does not know the field and passes it on.
  if (codings.length > 1 || !CHUNKED.test(coding) || head.isOld) throw new SyntaxError('unsupported transfer coding')
  return true
}

function lengthOf(head: ResponseHead): number | null {
  const lengths = head.all('content-length')
  const [length] = lengths
  if (length === undefined) return null
  const digits = LENGTH.exec(length)?.[1]
  if (digits === undefined || lengths.length > 1) throw new SyntaxError('invalid content-length')
  return Number(digits)
}

/** Whether the connection may serve another call after this response. */
export function keepsConnection(head: ResponseHead): boolean {
  if (head.isOld) return false
  // Old proxies send the second in place of the first, and other readers obey it.
  return head.all('connection').every(keeps) && head.all('proxy-connection').every(keeps)
}

function keeps(value: string): boolean {
  // What nearly every server says is not taken apart.
  if (value === ' keep-alive') return true
  return value
    .split(',')
    .map(withoutBlanks)
    .every((option) => option === '' || (OPTION.test(option) && option !== 'close'))
}
