import { type Attributes, type SpanContext, SpanKind, TraceFlags } from '@opentelemetry/api'
import type {
  AttemptTrace,
  CallTrace,
  TraceContext,
  TracedAttempt,
  TracedCall,
  TracedContent,
  TracedEndpoint,
  TracedHead,
} from '../tracing.ts'
import {
  attemptAttributes,
  callAttributes,
  headAttributes,
  identityAttributes,
  isFailure,
  nameOf,
  operationOf,
  outcomeAttributes,
} from './attributes.ts'
import { contentAttributes } from './content.ts'
import { type Description, FinishedSpan } from './finished-span.ts'
import { passedOn } from './trace-context.ts'
import type { SpanSource, TraceParts } from './trace-parts.ts'

/** What is the same for all. */
interface Source {
  spans: SpanSource
  parts: TraceParts
}

interface SampledAttempt extends AttemptTrace {
  span: SpanContext
  startedAt: number
  record: TracedAttempt | null
}

/**
 * A call as a span, with a child span for each upstream call. Until it ends only their ids and start times are kept:
 * the row has everything else. They end together, when the row is complete.
 */
export class SampledCall implements CallTrace {
  readonly #parts: TraceParts
  readonly #spans: SpanSource
  readonly #endpoint: TracedEndpoint
  readonly #operation: string
  readonly #span: SpanContext
  readonly #caller: SpanContext | null
  readonly #attempts: SampledAttempt[] = []
  /**
   * Between `performance.now()` and Unix milliseconds, for this call: the system clock may be changed while it runs.
   */
  readonly #offset = Date.now() - performance.now()
  readonly #startedAt: number
  #isEnded = false

  /** `caller`: null where the trace begins here. */
  constructor(
    head: TracedHead,
    endpoint: TracedEndpoint,
    trace: Pick<SpanContext, 'traceId'>,
    caller: SpanContext | null,
    { spans, parts }: Source,
  ) {
    this.#parts = parts
    this.#spans = spans
    this.#endpoint = endpoint
    this.#operation = operationOf(endpoint)
    this.#caller = caller
    this.#span = this.#newSpan(trace)
    this.#startedAt = head.receivedAt
  }

  get hasContent(): boolean {
    return this.#parts.hasContent && GENERATING.has(this.#operation)
  }

  attempt(): AttemptTrace {
    const span = this.#newSpan(this.#span)
    const context: TraceContext | null = this.#parts.propagates ? passedOn(span, span, true) : null
    const attempt: SampledAttempt = {
      ...{ context, span, startedAt: performance.now(), record: null },
      made(record) {
        attempt.record = record
      },
    }
    this.#attempts.push(attempt)
    return attempt
  }

  end(row: TracedCall, content: () => TracedContent): void {
    if (this.#isEnded) return
    const said = this.hasContent ? contentOf(content, row) : {}
    this.#parts.metrics?.count(row, this.#operation)
    const startedAt = this.#offset + this.#startedAt
    this.#finish(row.code, () => ({
      name: nameOf(this.#operation, row.requestedModel),
      attributes: { ...callAttributes(row, this.#parts.conventionName), ...said },
      events: row.attempts.flatMap(({ kind, provider, model, startedAfterMs }) =>
        kind === 'skipped'
          ? { name: 'switchyard.entry_skipped', at: startedAt + startedAfterMs, attributes: { provider, model } }
          : [],
      ),
    }))
  }

  refuse({ code, status }: { code: string; status: number }): void {
    this.#finish(code, () => ({ name: this.#operation, attributes: outcomeAttributes({ code, status }) }))
  }

  replay(call: Pick<TracedCall, 'id' | 'workspace' | 'keyId'>): void {
    const attributes: Attributes = { ...identityAttributes(call), 'switchyard.replayed': true }
    this.#finish(null, () => ({ name: this.#operation, attributes }))
  }

  #finish(code: string | null, describe: () => Omit<Description, 'isFailed'>): void {
    if (this.#isEnded) return
    this.#isEnded = true
    const ended = performance.now()
    for (const attempt of this.#attempts) this.#finishAttempt(attempt, ended)
    const span = {
      ...{ kind: SpanKind.SERVER, context: this.#span, parent: this.#caller },
      ...{ start: this.#offset + this.#startedAt, end: this.#offset + ended },
      describe: () => {
        const described = describe()
        const attributes = { ...headAttributes(this.#endpoint), ...described.attributes }
        return { ...described, attributes, isFailed: isFailure(code) }
      },
    }
    this.#spans.finish(new FinishedSpan(span, this.#spans))
  }

  #finishAttempt({ span: context, startedAt, record }: SampledAttempt, ended: number): void {
    const end = record === null ? ended : Math.min(ended, startedAt + record.durationMs)
    const span = {
      ...{ kind: SpanKind.CLIENT, context, parent: this.#span },
      ...{ start: this.#offset + startedAt, end: this.#offset + end },
      describe: () => describeAttempt(record, this.#operation, this.#parts),
    }
    this.#spans.finish(new FinishedSpan(span, this.#spans))
  }

  #newSpan({ traceId }: Pick<SpanContext, 'traceId'>): SpanContext {
    const { traceState } = this.#caller ?? {}
    const span: SpanContext = { traceId, spanId: this.#spans.ids.spanId(), traceFlags: TraceFlags.SAMPLED }
    return traceState === undefined ? span : { ...span, traceState }
  }
}

/** The operations whose content the conventions know. */
const GENERATING: ReadonlySet<string> = new Set(['chat', 'text_completion'])

/** The answer is logged and waiting to be sent: nothing may throw here, for example on an answer nested too deep. */
function contentOf(content: () => TracedContent, row: TracedCall): Attributes {
  try {
    return contentAttributes(content(), row.finishReason ?? row.code ?? undefined)
  } catch {
    return {}
  }
}

/** Without a record it was in progress when the call ended. */
function describeAttempt(
  record: TracedAttempt | null,
  operation: string,
  { conventionName }: Pick<TraceParts, 'conventionName'>,
): Description {
  if (record === null) return { name: operation, attributes: {}, isFailed: false }
  const attributes = attemptAttributes(record, operation, conventionName)
  return { name: nameOf(operation, record.model), attributes, isFailed: isFailure(record.code) }
}
