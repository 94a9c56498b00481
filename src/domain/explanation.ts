import type { CircuitState } from './circuit.ts'
import type { GatewayError } from './errors.ts'
import type { Picodollars } from './pricing/price.ts'
import type { Adjustment } from './request/adjustment.ts'
import type { ChainEntry } from './route.ts'

/** What would happen to a call now, without calling a provider. */
export interface Explanation {
  /** Null for a direct model id. */
  alias: string | null
  /** How the provider of a direct id was found; of a route, what its cache would do. */
  note: string | null
  /** How to reduce the hold; null when every entry gets an output limit. */
  advice: string | null
  /** The error that the caller would get when no entry can be tried or a hard budget refuses the call. */
  error: GatewayError | null
  /** The largest hold of the entries that can serve the call; null when no price is known. */
  hold: Picodollars | null
  entries: ExplainedEntry[]
}

export interface ExplainedEntry {
  entry: ChainEntry
  /** Why it has its position within its group; null outside of a group. */
  chosenBecause: string | null
  configured: boolean
  circuit: CircuitState
  /** The entry that would be called first. */
  wouldBeUsed: boolean
  /** Null for the entry that would be used and for those behind it. */
  skippedBecause: string | null
  /** Why the entry cannot express the request; names the parameter. */
  refused: string | null
  /** Parameters that would be dropped. */
  ignored: readonly string[]
  /** Fields that would be changed. */
  adjustments: readonly Adjustment[]
  contextWindow: number | null
  /** The maximum cost of the call at this entry; null when unknown. */
  hold: Picodollars | null
  /** The factor of the hold on the list price, in percent; null when the entry cannot be called. */
  pricePercent: number | null
  /** The request that would be sent, secrets masked; null when there is none. */
  wire: { method: 'POST'; url: string; headers: Record<string, string>; body: Record<string, unknown> } | null
}
