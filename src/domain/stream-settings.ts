/** What bounds a stream, beyond the timeouts of its chain's entries. Times are milliseconds. */
export interface StreamSettings {
  /** Whether `stream: true` is served where the workspace says nothing. */
  isOnByDefault: boolean
  /** How long the head waits for the first content; null: until there is some. */
  holdHeadersMs: number | null
  /** Between two comments that keep a silent connection to the caller open. */
  keepAliveMs: number
  /** Between two reads from the provider, with any content. */
  idleMs: number
  /** Between two events of the provider that carry something. */
  payloadIdleMs: number
  /** From the call's start to the stream's end. */
  totalMs: number
  /** A caller whose connection accepts nothing for this long is considered gone. */
  slowReaderMs: number
  /** How long a stream is read on after its caller left, where the provider drains. */
  drainMs: number
  /** Streams that are read on at the same time; further ones are aborted. */
  drains: number
}
