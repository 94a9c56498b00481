import type { JsonObject } from '../../../domain/request/call-request.ts'

/** How a vendor reranks; all of them sort documents by their relevance to a query. */
export interface Reranking {
  path: string
  /** What of the base address does not belong to this path. */
  without?: RegExp
  /** Other names of fields. */
  fields?: Readonly<Record<string, string>>
  /** Takes no other fields but those of `takes`, and only texts. */
  isStrict?: true
  takes?: readonly string[]
  /** Of the fields that most servers understand. */
  refuses?: readonly string[]
  /** Sent with every request. */
  always?: JsonObject
  /** Bills search units, by this name in the prices of the model. */
  unit?: string
}

/** As most servers have it. */
export const PLAIN: Reranking = { path: '/rerank' }
