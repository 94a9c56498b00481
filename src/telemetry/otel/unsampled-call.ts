import type { SpanContext } from '@opentelemetry/api'
import type { AttemptTrace, CallTrace, TraceContext, TracedCall, TracedEndpoint } from '../tracing.ts'
import { operationOf } from './attributes.ts'
import { isSampled, passedOn } from './trace-context.ts'
import type { TraceParts } from './trace-parts.ts'

type Trace = Partial<SpanContext> & Pick<SpanContext, 'traceId'>

/** A call without spans, and every attempt of it: it only passes on the trace that it belongs to. */
export class UnsampledCall implements CallTrace, AttemptTrace {
  readonly hasContent = false
  readonly #endpoint: TracedEndpoint
  readonly #trace: Trace | null
  readonly #parts: TraceParts
  #context: TraceContext | null = null

  /** `trace`: the caller's, or a new one; null: none is passed on. */
  constructor(endpoint: TracedEndpoint, trace: Trace | null, parts: TraceParts) {
    this.#endpoint = endpoint
    this.#trace = trace
    this.#parts = parts
  }

  attempt(): AttemptTrace {
    return this
  }

  get context(): TraceContext | null {
    if (this.#trace !== null) this.#context ??= contextOf(this.#trace, this.#parts)
    return this.#context
  }

  made(): void {}

  end(row: TracedCall): void {
    this.#parts.metrics?.count(row, operationOf(this.#endpoint))
  }

  refuse(): void {}

  replay(): void {}
}

/** No span of ours: the provider's spans, if any, become children of the caller's. */
function contextOf(trace: Trace, { spans }: TraceParts): TraceContext | null {
  const { traceId, spanId = spans?.ids.spanId() } = trace
  // Without spans of our own nothing was decided here.
  return spanId === undefined ? null : passedOn(trace, { traceId, spanId }, spans === null && isSampled(trace))
}
