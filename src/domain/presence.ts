/** Whether the caller is still connected. Cheaper than an AbortSignal, and enough for the rooms behind HTTP. */
export interface Presence {
  readonly left: boolean
  /** Runs once when the caller leaves; returns a function that stops listening. */
  onLeave(listener: () => void): () => void
}
