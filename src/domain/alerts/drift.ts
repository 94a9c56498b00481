/** What a provider's settled report says of a model and day that no cause explains; amounts in picodollars. */
export interface Drift {
  provider: string
  /** A day, or a longer period of the report. */
  period: string
  /** Null: lines that belong to no model. */
  model: string | null
  ours: bigint
  theirs: bigint
  unexplained: bigint
}
