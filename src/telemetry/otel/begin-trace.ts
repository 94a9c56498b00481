import type { CallTrace, TracedEndpoint, TracedHead } from '../tracing.ts'
import { SampledCall } from './sampled-call.ts'
import { callerOf, isSampled } from './trace-context.ts'
import type { TraceParts } from './trace-parts.ts'
import { UnsampledCall } from './unsampled-call.ts'

/** Most calls are not sampled: that is decided before anything is made for them. */
export function beginTrace(head: TracedHead, endpoint: TracedEndpoint, parts: TraceParts): CallTrace {
  const { spans, propagates } = parts
  const caller = propagates ? callerOf(head) : null
  if (spans === null) return new UnsampledCall(endpoint, caller, parts)
  if (caller === null) {
    const trace = spans.ids.trace()
    if (spans.sampler.samplesNew(trace)) return new SampledCall(head, endpoint, trace, null, { spans, parts })
    return new UnsampledCall(endpoint, propagates ? trace : null, parts)
  }
  const { isParentBased, samples } = spans.sampler
  const sampled = isParentBased ? isSampled(caller) : samples(caller.traceId)
  if (sampled) return new SampledCall(head, endpoint, caller, caller, { spans, parts })
  return new UnsampledCall(endpoint, caller, parts)
}
