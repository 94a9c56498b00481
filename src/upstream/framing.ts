import { type ResponseHead, TOKEN, withoutBlanks } from './response-head.ts'

/** By the grammar a tab may follow as well, which other readers take for a part of the value. */
const LENGTH = /^[ \t]*(\d{1,15}) *$/
const CHUNKED = /^[ \t]*chunked *$/
const OPTION = new RegExp(`^${TOKEN}$`)

/** How the end of a body is known: its length in bytes, its last chunk, or the end of the connection. */
export type Framing = number | 'chunks' | 'connection'

/** Throws where two readers might disagree. */
export function framingOf(head: ResponseHead): Framing {
  const { status } = head
  const isChunked = hasChunks(head)
  const length = lengthOf(head)
  if (isChunked && length !== null) throw new SyntaxError('a length and chunks: this is how answers are smuggled')
  if (status === 101) throw new SyntaxError('nobody asked for another protocol')
  if (status === 304) return 0
  if (status < 200 || status === 204) {
    if (isChunked || (length ?? 0) > 0) throw new SyntaxError('a body where there is none')
    if (status < 200 && !keepsConnection(head)) throw new SyntaxError('the end of the connection before the answer')
    return 0
  }
  return isChunked ? 'chunks' : (length ?? 'connection')
}

function hasChunks(head: ResponseHead): boolean {
  const [coding, ...others] = head.all('transfer-encoding')
  if (coding === undefined) return false
  // Who speaks the old version does not know the field, and passes it on.
  if (others.length > 0 || !CHUNKED.test(coding) || head.isOld) throw new SyntaxError('a coding nobody asked for')
  return true
}

function lengthOf(head: ResponseHead): number | null {
  const [length, ...others] = head.all('content-length')
  if (length === undefined) return null
  const digits = LENGTH.exec(length)?.[1]
  if (digits === undefined || others.length > 0) throw new SyntaxError('a length that is none')
  return Number(digits)
}

/** Whether another call may be made on the connection of this answer. */
export function keepsConnection(head: ResponseHead): boolean {
  if (head.isOld) return false
  // The second is what old proxies mean by the first, and other readers heed it.
  const values = [...head.all('connection'), ...head.all('proxy-connection')]
  const options = values.flatMap((value) => value.split(',').map(withoutBlanks))
  return options.every((option) => option === '' || (OPTION.test(option) && option !== 'close'))
}
