/**
 * How an answer's reasoning is sealed for the caller's next turn: with authenticated encryption, so that it comes back
 * unchanged, and bound to the entry that made it, which alone can use it.
 */
export interface Sealing {
  /** 32 bytes each; the first one seals, each of them unseals. */
  keys: readonly Uint8Array[]
  /** Names the entry. */
  binding: string
}
