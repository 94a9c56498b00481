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
}

export const SERVER_SENT_EVENTS: Framing = {
  contentType: /^text\/event-stream\s*(;|$)/i,
  open: () => new ServerSentEvents(),
}
