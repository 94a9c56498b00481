import { crc32 } from 'node:zlib'
import type { ServerSentEvent } from '../../../domain/request/stream.ts'
import type { FrameReader, Framing } from '../../../upstream/event-framing.ts'
import { stringHeaders } from './headers.ts'

/** Larger than any event that is sent. */
const MOST_BYTES = 16 * 1024 * 1024
const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4

/** No name of an event begins like these. */
export const EXCEPTION = ':exception '
export const ERROR = ':error '
export const DAMAGED = ':damaged'

/**
 * Binary messages with two checksums. An event has its type as its name; what ends the stream has one of the names above.
 * The checksums are node's own: three times as fast as the vendor's codec, which the tests compare this with.
 */
export const EVENT_STREAM: Framing = {
  contentType: /^application\/vnd\.amazon\.eventstream\s*(;|$)/i,
  open: () => new EventStreamReader(),
}

class EventStreamReader implements FrameReader {
  isTooLarge = false
  #pieces: Uint8Array[] = []
  #length = 0
  /** Bytes until the current message is complete, as far as known. */
  #needed = PRELUDE_BYTES
  #isDamaged = false

  read(bytes: Uint8Array): ServerSentEvent[] {
    if (this.#isDamaged || this.isTooLarge) return []
    this.#length += bytes.length
    if (this.#length < this.#needed) {
      // Copied, here and below: the memory of a piece is used again.
      this.#pieces.push(Buffer.from(bytes))
      return []
    }
    const whole = this.#pieces.length === 0 ? asBuffer(bytes) : Buffer.concat([...this.#pieces, bytes])
    const events: ServerSentEvent[] = []
    const rest = this.#messagesIn(whole, events)
    this.#pieces = rest === whole.length ? [] : [Buffer.from(whole.subarray(rest))]
    this.#length = whole.length - rest
    return events
  }

  /** A truncated message is dropped: the stream's reader reports the incomplete answer. */
  end(): ServerSentEvent[] {
    return []
  }

  /** Where the first incomplete message begins. */
  #messagesIn(bytes: Buffer, events: ServerSentEvent[]): number {
    let at = 0
    for (;;) {
      const left = bytes.length - at
      this.#needed = PRELUDE_BYTES
      if (left < PRELUDE_BYTES) return at
      if (crc32(bytes.subarray(at, at + 8)) !== bytes.readUInt32BE(at + 8)) return this.#damaged(bytes, events)
      const total = bytes.readUInt32BE(at)
      if (total > MOST_BYTES) {
        this.isTooLarge = true
        return bytes.length
      }
      const headers = bytes.readUInt32BE(at + 4)
      if (total < PRELUDE_BYTES + headers + CHECKSUM_BYTES) return this.#damaged(bytes, events)
      this.#needed = total
      if (left < total) return at
      const end = at + total - CHECKSUM_BYTES
      if (crc32(bytes.subarray(at, end)) !== bytes.readUInt32BE(end)) return this.#damaged(bytes, events)
      const payload = at + PRELUDE_BYTES + headers
      const event = eventOf(bytes.subarray(at + PRELUDE_BYTES, payload), bytes.toString('utf8', payload, end))
      if (event === null) return this.#damaged(bytes, events)
      events.push(event)
      at += total
    }
  }

  #damaged(bytes: Buffer, events: ServerSentEvent[]): number {
    this.#isDamaged = true
    events.push({ event: DAMAGED, data: '' })
    return bytes.length
  }
}

function eventOf(headerBytes: Buffer, data: string): ServerSentEvent | null {
  const headers = stringHeaders(headerBytes)
  if (headers === null) return null
  switch (headers.get(':message-type')) {
    case 'exception':
      return { event: EXCEPTION + (headers.get(':exception-type') ?? ''), data }
    case 'error': {
      const message = headers.get(':error-message') ?? ''
      return { event: ERROR + (headers.get(':error-code') ?? ''), data: JSON.stringify({ message }) }
    }
    default:
      return { event: headers.get(':event-type') ?? null, data }
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
