import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidSpanId, isValidTraceId, ROOT_CONTEXT } from '@opentelemetry/api'
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace'
import { NewIds, sampleBound } from './new-ids.ts'

test('ids are valid, and no two are the same', () => {
  const ids = new NewIds()
  const drawn = Array.from({ length: 5_000 }, () => [ids.trace().traceId, ids.spanId()] as const)
  assert.ok(drawn.every(([trace, span]) => isValidTraceId(trace) && isValidSpanId(span)))
  assert.equal(new Set(drawn.flat()).size, 10_000)
})

for (const ratio of [0, 0.001, 0.1, 0.5, 0.999, 1]) {
  test(`whether a trace is among ${ratio} of them is decided as the package decides it`, () => {
    const ids = new NewIds()
    const theirs = new TraceIdRatioBasedSampler(ratio)
    for (let draw = 0; draw < 2_000; draw++) {
      const { traceId, folded } = ids.trace()
      const { decision } = theirs.shouldSample(ROOT_CONTEXT, traceId)
      assert.equal(folded < sampleBound(ratio), decision === SamplingDecision.RECORD_AND_SAMPLED, traceId)
    }
  })
}
