/**
 * Reads HTTP/1.1 messages off a socket and tells when each is whole. It knows only what framing needs: the head, the
 * content length, the end of a chunked body. Load and upstream share a core, so what they cost must be next to nothing.
 */
export function httpReader(onMessage: (head: string, excerpt: string) => void): (data: Buffer) => void {
  let head: string | null = null
  let excerpt = ''
  /** Bytes still to come: of the body, or of the current piece of a chunked one. */
  let remaining = 0
  let chunked = false
  /** An unfinished head or line of a chunk's size. */
  let pending: Buffer | null = null

  function finish(): void {
    const whole = head ?? ''
    head = null
    onMessage(whole, excerpt)
  }

  /** Reads a head at this place; answers where the body begins, or -1 while it is not all there. */
  function readHead(data: Buffer, at: number): number {
    const end = data.indexOf('\r\n\r\n', at, 'latin1')
    if (end < 0) return -1
    head = data.toString('latin1', at, end)
    const length = contentLength(head)
    chunked = length === null
    remaining = length ?? 0
    excerpt = isFailure(head) ? data.toString('latin1', end + 4, end + 4 + EXCERPT_BYTES) : ''
    if (!chunked && remaining === 0) finish()
    return end + 4
  }

  /** Reads the size line of a chunk; `remaining` includes the line end that follows its bytes. */
  function readChunkSize(data: Buffer, at: number): number {
    const end = data.indexOf('\r\n', at, 'latin1')
    if (end < 0) return -1
    const size = Number.parseInt(data.toString('latin1', at, end), 16)
    remaining = size + 2
    if (size === 0) chunked = false
    return end + 2
  }

  return (incoming) => {
    const data: Buffer = pending === null ? incoming : Buffer.concat([pending, incoming])
    pending = null
    let at = 0
    while (at < data.length) {
      if (head !== null && remaining > 0) {
        const taken = Math.min(remaining, data.length - at)
        remaining -= taken
        at += taken
        if (remaining === 0 && !chunked) finish()
        continue
      }
      const next = head === null ? readHead(data, at) : readChunkSize(data, at)
      if (next < 0) {
        // A copy: the caller may use its buffer again.
        pending = Buffer.from(data.subarray(at))
        return
      }
      at = next
    }
  }
}

const EXCERPT_BYTES = 300
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i
const CHUNKED = /\r\ntransfer-encoding: *chunked/i

/** Null means chunked. */
function contentLength(head: string): number | null {
  const length = CONTENT_LENGTH.exec(head)?.[1]
  if (length !== undefined) return Number(length)
  return CHUNKED.test(head) ? null : 0
}

/** Of a refused call the beginning of the body is kept, for it holds the error's code. */
function isFailure(head: string): boolean {
  return head.startsWith('HTTP/1.1 ') && !head.startsWith('200', 9)
}

/** Of an answer's head. */
export function statusOf(head: string): number {
  return Number(head.slice(9, 12))
}
