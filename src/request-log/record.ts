import type { Adjustment } from '../domain/adjustment.ts'
import type { ErrorCode, LoggedCode } from '../domain/errors.ts'
import type { TokenUsage } from '../domain/pricing/usage.ts'

/** One upstream call, or an entry that was passed over, in the order in which it happened. */
export interface AttemptRecord {
  kind: 'called' | 'skipped'
  provider: string
  model: string
  /** Milliseconds since all of the request was there. */
  startedAfterMs: number
  durationMs: number
  /** HTTP status of the provider; null when it gave none or was not called. */
  status: number | null
  code: ErrorCode | 'caller_left' | null
  /** The provider's id of the call, for its support. */
  upstreamRequestId: string | null
  /** Why the next step was taken, in words. */
  reason: string
}

/** Written before the first dispatch: from here on the log knows of the call, whatever happens. */
export interface OpenRecord {
  id: string
  workspace: string
  keyId: string
  /** Unix milliseconds. */
  startedAt: number
  /** The `model` the caller sent. */
  requestedModel: string
  /** Null for a direct model id. */
  route: string | null
  /** What was set aside for it, as decimal digits; null when nobody could say how much. */
  holdPicodollars: string | null
  /** Tokens set aside; null for a call that was never admitted. */
  holdTokens: number | null
  /** The header `Idempotency-Key` and the hash of the body it came with; null without the header. */
  idempotencyKey: string | null
  bodyHash: string | null
}

/** Written before the caller sees the answer: the whole truth about the call. Never changed afterwards. */
export interface CloseRecord extends Omit<OpenRecord, 'requestedModel'> {
  /** Null when no model could be read in the body. */
  requestedModel: string | null
  /** The start, and how long the call took since all of it was there: by the one clock of all durations. */
  finishedAt: number
  /** HTTP status the caller got. */
  status: number
  code: LoggedCode | null
  /** Who served; for a failed call the last entry attempted; null when none was. */
  provider: string | null
  model: string | null
  fallback: boolean
  attempts: AttemptRecord[]
  usage: TokenUsage | null
  finishReason: string | null
  /** Decimal digits of whole picodollars (JSON has no 64-bit integers); null when the price is unknown. */
  costPicodollars: string | null
  priceVersion: number | null
  /** Duration of the attempt that served, in milliseconds. */
  upstreamMs: number | null
  /** Time spent in the gateway itself, in microseconds. */
  gatewayMicroseconds: number
  requestBytes: number
  responseBytes: number
  ignoredParams: string[]
  /** What the gateway changed of the request at the entry that was attempted last. */
  adjustments: Adjustment[]
  /**
   * Its caller sees the answer only once the shared counters have booked it. Where another node has given it up as
   * interrupted and freed its money, that stands: nobody got an answer.
   */
  strict?: boolean
}
