import type { UsageSource } from '../../domain/log/stream-words.ts'
import type { Adjustment } from '../../domain/request/adjustment.ts'

/** What the end of a stream says of its call, under `x_gateway`. */
export type GatewayFields = {
  provider: string
  model: string
  fallback_used: boolean
  latency_ms: number
  cost_usd: string
  usage_source: UsageSource
}

/** An answer as its caller got it, and what the log and the headers of another call say of it. */
export interface StoredAnswer {
  /** Of the call that got it first. */
  id: string
  provider: string
  model: string
  ignored: string[]
  adjustments: Adjustment[]
  finishReason: string | null
  /** What it cost; null: its price is unknown. */
  costPicodollars: string | null
  /** Of a stream; null: a whole answer. */
  stream: { events: number; gateway: GatewayFields } | null
  /** UTF-8: a JSON object, or all frames of a stream. */
  body: Buffer
}

/**
 * The same bytes except for the id, which names a row of the log, and the cost at the end of a stream. Replacing text
 * is safe: an id is long and random, and the gateway's fields cannot match inside a string, where their quotes would be
 * escaped.
 */
export function textFor(stored: StoredAnswer, id: string): string {
  const text = stored.body.toString('utf8').replaceAll(suffixOf(stored.id), suffixOf(id))
  if (stored.stream === null) return text
  const { gateway } = stored.stream
  const before = JSON.stringify(gateway)
  const at = text.lastIndexOf(before)
  if (at < 0) return text
  const now = JSON.stringify({ ...gateway, ...AT_NO_COST })
  return text.slice(0, at) + now + text.slice(at + before.length)
}

const AT_NO_COST: Pick<GatewayFields, 'latency_ms' | 'cost_usd'> = { latency_ms: 0, cost_usd: '0.000000' }

/** Items of an answer have ids that end in it. */
function suffixOf(id: string): string {
  return id.slice(id.lastIndexOf('_') + 1)
}
