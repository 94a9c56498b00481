import type { CircuitState } from './circuit.ts'
import type { GatewayError } from './errors.ts'
import type { Picodollars } from './pricing/price.ts'
import type { Adjustment } from './request/adjustment.ts'
import type { ChainEntry } from './route.ts'

/** What would happen to a call if it came now, found out without calling anyone. */
export interface Explanation {
  /** Null for a direct model id. */
  alias: string | null
  /** How a direct id found its provider; null for an alias. */
  note: string | null
  /** How to have less held for it; null where every entry gets an output limit. */
  advice: string | null
  /** What the caller would get when no entry can be tried, or a hard budget refuses. */
  error: GatewayError | null
  /** The largest hold of the entries that can serve it; null when no price is known. */
  hold: Picodollars | null
  entries: ExplainedEntry[]
}

export interface ExplainedEntry {
  entry: ChainEntry
  configured: boolean
  circuit: CircuitState
  /** The entry that the call would go to first. */
  wouldBeUsed: boolean
  /** Null for the one that would be used, and for those behind it. */
  skippedBecause: string | null
  /** Why it cannot express the request, naming the parameter. */
  refused: string | null
  /** Parameters that it would not get. */
  ignored: readonly string[]
  /** Fields that it would get otherwise than the caller sent them. */
  adjustments: readonly Adjustment[]
  contextWindow: number | null
  /** The most the call could cost here; null when unknown. */
  hold: Picodollars | null
  /** What the hold takes the list price times, in percent; null when it cannot be called. */
  pricePercent: number | null
  /** What would be sent, secrets masked; null when nothing could be. */
  wire: { method: 'POST'; url: string; headers: Record<string, string>; body: Record<string, unknown> } | null
}
