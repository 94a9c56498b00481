import type { ConventionName } from './attributes.ts'
import type { CallMetrics } from './call-metrics.ts'
import type { SpanOutput } from './finished-span.ts'
import type { NewIds, NewTrace } from './new-ids.ts'

/** What the trace of a call needs, the same for all. */
export interface TraceParts {
  /** Null: none are sent. */
  spans: SpanSource | null
  /** Trace context is taken from callers and passed to providers. */
  propagates: boolean
  metrics: CallMetrics | null
  conventionName: ConventionName
  /** Prompts and answers are part of spans. */
  hasContent: boolean
}

export interface SpanSource extends SpanOutput {
  ids: NewIds
  sampler: Sampler
}

export interface Sampler {
  /** The caller's decision counts, where there is one. */
  isParentBased: boolean
  samplesNew(trace: NewTrace): boolean
  samples(traceId: string): boolean
}
