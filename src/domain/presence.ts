/** Whether the caller is still there. Cheaper than an AbortSignal, and all that the rooms behind HTTP need. */
export interface Presence {
  readonly left: boolean
  /** Runs once when the caller leaves; returns how to stop listening. */
  onLeave(listener: () => void): () => void
}
