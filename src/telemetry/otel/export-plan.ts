/** What is sent where, as the environment says it. */
export interface ExportPlan {
  /** Null: no spans. */
  traces: Receiver | null
  /** Null: no metrics. */
  metrics: (Receiver & { intervalMs: number; isDelta: boolean }) | null
  sampler: Sampling
  /** Prompts and answers are part of spans. */
  hasContent: boolean
  /** Trace context is taken from callers and passed to providers. */
  propagates: boolean
  /** Beside the service's name and version. */
  resource: Readonly<Record<string, string>>
  queue: { spans: number; batch: number; delayMs: number }
}

export interface Receiver {
  url: string
  /** They may hold keys. */
  headers: Readonly<Record<string, string>>
  timeoutMs: number
  isCompressed: boolean
}

export interface Sampling {
  /** The caller's decision counts, where there is one. */
  isParentBased: boolean
  /** Of the others: 0 to 1. */
  ratio: number
}
