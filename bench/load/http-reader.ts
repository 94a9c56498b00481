const EXCERPT_BYTES = 300
/** Of a chunked body, trailers included. No body of a run has it within a chunk. */
const LAST_LINES = '\r\n\r\n'
const NOTHING = Buffer.alloc(0)

/**
 * Finds the end of each HTTP/1.1 message on a connection without pipelining. It reads only what framing needs, because
 * load and upstream share a core and must cost next to nothing.
 */
export function httpReader(onMessage: (head: string, excerpt: string) => void): (data: Buffer) => void {
  let head: string | null = null
  let excerpt = ''
  /** Bytes of the body that are missing; infinite while a chunked body has not ended. */
  let missing = 0
  let tail = ''
  let pending = NOTHING

  /** Returns the rest behind the head. */
  function readHead(data: Buffer): Buffer {
    const end = data.indexOf('\r\n\r\n', 0, 'latin1')
    if (end < 0) {
      // A copy: the caller may reuse its buffer.
      pending = Buffer.from(data)
      return NOTHING
    }
    head = data.toString('latin1', 0, end)
    // The beginning of an error's body contains the code.
    excerpt = isFailure(head) ? data.toString('latin1', end + 4, end + 4 + EXCERPT_BYTES) : ''
    missing = bodyLength(head)
    tail = ''
    return data.subarray(end + 4)
  }

  return (incoming) => {
    let data = pending.length === 0 ? incoming : Buffer.concat([pending, incoming])
    pending = NOTHING
    do {
      if (head === null) data = readHead(data)
      if (head === null) return
      if (missing === Number.POSITIVE_INFINITY) {
        tail = (tail + data.toString('latin1', Math.max(0, data.length - LAST_LINES.length))).slice(-LAST_LINES.length)
        if (tail === LAST_LINES) missing = 0
        data = NOTHING
      } else {
        const taken = Math.min(missing, data.length)
        missing -= taken
        data = data.subarray(taken)
      }
      if (missing > 0) return
      const whole: string = head
      head = null
      onMessage(whole, excerpt)
    } while (data.length > 0)
  }
}

function bodyLength(head: string): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return Number(length)
  return /\r\ntransfer-encoding: *chunked/i.test(head) ? Number.POSITIVE_INFINITY : 0
}

function isFailure(head: string): boolean {
  return head.startsWith('HTTP/1.1 ') && !head.startsWith('200', 9)
}

export function statusOf(head: string): number {
  return Number(head.slice(9, 12))
}
