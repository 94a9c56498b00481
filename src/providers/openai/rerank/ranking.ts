/** How a vendor reranks; all of them sort documents by their relevance to a query. */
export interface Reranking {
  path: string
  /** What of the base address does not belong to this path. */
  without?: RegExp
  /** Other names of fields. */
  fields?: Readonly<Record<string, string>>
  /** Takes no other fields, and only texts. */
  isStrict?: true
  /** Bills search units, by this name in the prices of the model. */
  unit?: string
}

/** As most servers have it. */
export const PLAIN: Reranking = { path: '/rerank' }
