import type { ServerSentEvent } from '../domain/request/stream.ts'
import { ServerSentEvents } from './server-sent-events.ts'

/** Finds the events in the pieces of a body. */
export interface FrameReader {
  read(bytes: Uint8Array): ServerSentEvent[]
  /** The body has ended. */
  end(): ServerSentEvent[]
  /** An event is larger than any may be: what follows cannot be read. */
  readonly isTooLarge: boolean
}

/** How a provider frames the events of a stream. */
export interface Framing {
  contentType: RegExp
  open(): FrameReader
  /** Bytes of events that are kept until the first content, and for the end; missing: the usual bound. */
  mostHeld?: number
}

/** Of an event whose data are bytes, a character each. */
export const BYTES_EVENT = '(bytes)'

/** Bytes that are no events: each piece is one. */
export const PLAIN_BYTES: Framing = {
  contentType: /^(?!text\/|application\/([\w.]+\+)?json)/i,
  open: () => ({
    isTooLarge: false,
    read: (bytes) => [
      { event: BYTES_EVENT, data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1') },
    ],
    end: () => [],
  }),
}

export const SERVER_SENT_EVENTS: Framing = {
  contentType: /^text\/event-stream\s*(;|$)/i,
  open: () => new ServerSentEvents(),
}
