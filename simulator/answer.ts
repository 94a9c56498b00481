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
}

/** An answer of a test's own making. What it leaves out is filled from the normal answer (or, from 400 on, the vendor's error body). */
export interface ScriptedAnswer {
  status?: number
  headers?: Record<string, string>
  body?: unknown
  delayMs?: number
  behaviour?: Behaviour
}
