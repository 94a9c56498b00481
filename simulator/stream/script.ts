import type { JsonObject } from '../json.ts'

/**
 * `start`: nothing that a caller could take for an answer yet; `content`; `finish`: the end of a choice and the usage;
 * `done`: the terminal event and what comes after it.
 */
export type Phase = 'start' | 'content' | 'finish' | 'done'

/** One event of a normal stream. */
export interface StreamEvent {
  phase: Phase
  /** The `event:` line. */
  event?: string
  /** A string is sent as it is, anything else as JSON. */
  data: unknown
}

/**
 * What a stream does next. `play` sends the normal events that were not sent yet:
 * - a number: so many of them
 * - `start`: those before the first content, `first`: the first content too, `content`: all content,
 *   `finish`: all but the terminal event, `done`: all
 */
export type StreamStep =
  | { play: number | 'start' | 'first' | 'content' | 'finish' | 'done' }
  /** An event of the test's own making, in the framing of the script. */
  | { send: Omit<StreamEvent, 'phase'>; times?: number }
  /** The family's error event. */
  | { error: number }
  /** A sign of life: the family's ping event, a comment where it has none. */
  | { ping: number }
  | { comment: string; times?: number }
  /** Bytes as they are. */
  | { raw: string | Uint8Array }
  | { waitMs: number }
  /** Nothing more until the test calls `resume()`. */
  | 'stall'
  /** The body ends properly here, after any content. */
  | 'end'
  /** The connection closes within the body. */
  | 'cut'
  /** The connection is reset within the body. */
  | 'reset'

export interface Framing {
  newline?: '\n' | '\r\n' | '\r'
  /** Bytes a write: 1 is byte by byte, `whole` all that may go out in one piece. One event a write if not given. */
  pieces?: number | 'whole'
  /** `data:{…}` instead of `data: {…}`. */
  isTight?: boolean
}

/** How an answer is streamed. Empty: as the vendor does it. */
export interface StreamScript extends Framing {
  /** The body ends after the last one. `[{ play: 'done' }]` if not given. */
  steps?: readonly StreamStep[]
  /** What this server does otherwise: names of the family's oddities, applied in order. */
  odd?: readonly string[]
  /** Between events: milliseconds, or until the test calls `resume()` each time. */
  gap?: number | 'resume'
}

/** What differs between the vendors' streams. */
export interface StreamFormat {
  /** The events of a normal stream of this answer. */
  eventsOf(answer: JsonObject, body: JsonObject): Iterable<StreamEvent>
  oddities: Record<string, Oddity>
  /** Null: the family has no such event. */
  ping: Omit<StreamEvent, 'phase'> | null
  /** The event that breaks a stream off, from the body of the family's error and the answer that breaks off. */
  errorEvent(failure: unknown, answer: JsonObject, next: StreamEvent | null, status: number): Omit<StreamEvent, 'phase'>
  /** Of its lines, unless a script says otherwise. */
  newline?: NonNullable<Framing['newline']>
  /** Missing: server-sent events. */
  contentType?: string
  frame?(event: Omit<StreamEvent, 'phase'>): Uint8Array
}

/** Changes the normal events of a stream of this answer. */
export type Oddity = (events: StreamEvent[], answer: JsonObject) => StreamEvent[]

/** An answer that can be played. */
export interface StreamPlan extends Pick<StreamFormat, 'ping' | 'frame'> {
  events: Iterable<StreamEvent>
  script: StreamScript
  errorEvent(status: number): Omit<StreamEvent, 'phase'>
}
