import type { LargeRequest } from '../bodies/large-bodies.ts'
import type { WrittenAnswer } from '../bodies/protocol.ts'
import type { Adjustment } from '../domain/adjustment.ts'
import type { ChatRequest } from '../domain/chat.ts'
import type { GatewayError } from '../domain/errors.ts'
import type { IdempotentBody } from '../domain/idempotency.ts'
import type { LiveKey } from '../domain/key.ts'
import type { Presence } from '../domain/presence.ts'
import type { Picodollars } from '../domain/pricing/price.ts'
import type { ChainEntry, Resolved } from '../domain/route.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Answer } from '../providers/family.ts'
import type { AttemptRecord } from '../request-log/record.ts'
import type { Admission } from './admit.ts'
import type { Claim } from './idempotency/idempotency.ts'

/** The entry that answered. */
export interface Served {
  entry: ChainEntry
  /** Its place in the chain; more than 0 means that a fallback served. */
  position: number
  answer: Answer | WrittenAnswer
  upstreamMs: number
  ignored: string[]
}

export interface Cost {
  /** Null when the model has no known price. */
  picodollars: Picodollars | null
  priceVersion: number | null
}

/** Everything known of one call so far; each step adds its part, `settle` writes down what is there. */
export interface Life {
  readonly id: string
  readonly key: LiveKey
  readonly snapshot: Snapshot
  /** Of the caller, or of all who wait for this call under one `Idempotency-Key`. */
  presence: Presence
  /** Unix milliseconds, for the log; of an admitted call the moment of admission, to which its money belongs. */
  startedAt: number
  /** `performance.now()` when all of the request was there, from which every duration counts. */
  startedTick: number
  /** Of a large one an outline. */
  request: ChatRequest | null
  /** The body as it came, or where it is large what is known of it; null until it has come. */
  source: Buffer | LargeRequest | null
  /** Null without the header `Idempotency-Key`. */
  idempotency: IdempotentBody | null
  /** Held by the one call that is made for such a key. */
  claim: Claim | null
  resolved: Resolved | null
  admission: Admission | null
  readonly attempts: AttemptRecord[]
  /** Of the entry that was attempted last. */
  adjustments: Adjustment[]
  /** Time that was not ours: upstream calls and the waits between them. */
  elsewhereMs: number
  served: Served | null
  cost: Cost | null
  /** How the call ended when nobody served it. */
  error: GatewayError | 'caller-left' | null
}

/** Of a call that is not over. Moments are rounded, not durations: so no part is longer than the whole. */
export function millisecondsInto({ startedTick }: Pick<Life, 'startedTick'>, tick = performance.now()): number {
  return Math.round(tick - startedTick)
}
