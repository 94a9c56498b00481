import { type SpanContext, TraceFlags } from '@opentelemetry/api'
import { parseTraceParent, TraceState } from '@opentelemetry/core'
import type { TraceContext, TracedHead } from '../tracing.ts'

/** The caller's span. Null: it names none, or none that can be read. */
export function callerOf(head: TracedHead): SpanContext | null {
  const traceparent = head.header('traceparent')
  const caller = traceparent === undefined ? null : parseTraceParent(traceparent)
  if (caller === null) return null
  caller.isRemote = true
  const tracestate = head.header('tracestate')
  if (tracestate) caller.traceState = new TraceState(tracestate)
  return caller
}

export function isSampled({ traceFlags = TraceFlags.NONE }: Partial<SpanContext>): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0
}

/** `spanId`: the parent of the provider's spans. */
export function passedOn({ traceState }: Partial<SpanContext>, ids: Ids, sampled: boolean): TraceContext {
  const { traceId, spanId } = ids
  // What could not be read is not in it: it may be empty.
  const tracestate = traceState?.serialize() || null
  return { traceparent: `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`, tracestate }
}

type Ids = Pick<SpanContext, 'traceId' | 'spanId'>
