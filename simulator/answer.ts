import type { Tweak } from './reply.ts'
import type { StreamPlan, StreamScript } from './stream/script.ts'

/** How an answer goes wrong on the wire. */
export type Behaviour =
  /** The socket is reset a moment after the request was read. */
  | 'reset'
  /** Nothing is ever sent. */
  | 'hang'
  /** The declared content-length is larger than what is sent; then the socket dies. */
  | 'cut'
  /** Headers and half of the body, then silence. */
  | 'stall'

export interface Answer {
  status: number
  headers?: Record<string, string>
  /** A string is sent as it is, anything else as JSON. */
  body: unknown
  delayMs?: number
  behaviour?: Behaviour
  /** Played instead of the body. */
  stream?: StreamPlan
}

/** An answer of a test's own making. What it leaves out is filled from the normal answer (or, from 400 on, the vendor's error body). */
export interface ScriptedAnswer {
  status?: number
  headers?: Record<string, string>
  body?: unknown
  delayMs?: number
  behaviour?: Behaviour
  /** What is different in the normal answer. */
  tweak?: Tweak
  /** How it is streamed to a request that asks for it; false: as a whole nevertheless, as some servers do. */
  stream?: StreamScript | false
}
