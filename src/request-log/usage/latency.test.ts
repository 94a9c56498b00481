import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
import {
  GATEWAY_BOUNDS_MICROSECONDS,
  GATEWAY_BUCKETS,
  gatewayPercentile,
  LATENCY_BOUNDS_MS,
  LATENCY_BUCKETS,
  latencyPercentile,
} from './latency.ts'

function counted(latencies: readonly number[]): number[] {
  const counts = Array.from({ length: LATENCY_BUCKETS }, () => 0)
  for (const latency of latencies) {
    const bucket = LATENCY_BOUNDS_MS.filter((bound) => latency >= bound).length
    counts[bucket] = (counts[bucket] ?? 0) + 1
  }
  return counts
}

test('no calls have no percentile', () => assert.equal(latencyPercentile(counted([]), 0.5), null))

test('a percentile lies straight between the bounds of its bucket', () => {
  const counts = counted([...Array.from({ length: 90 }, () => 120), ...Array.from({ length: 10 }, () => 1_200)])
  assert.equal(latencyPercentile(counts, 0.45), 125)
  assert.equal(latencyPercentile(counts, 0.9), 150)
  assert.equal(latencyPercentile(counts, 0.95), 1_250)
})

test('beyond the last bound it is that bound', () => {
  assert.equal(latencyPercentile(counted([999_999]), 0.5), 300_000)
})

test('the time in the gateway has finer buckets, in microseconds', () => {
  const counts = Array.from({ length: GATEWAY_BUCKETS }, () => 0)
  counts[GATEWAY_BOUNDS_MICROSECONDS.indexOf(500)] = 10
  assert.equal(gatewayPercentile(counts, 0.5), 450)
  assert.equal(gatewayPercentile(counts, 1), 500)
})

test('property: the estimate stands in the bucket of the true value, and grows with the share', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(299_999), { minLength: 1 }),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (all, share) => {
        const sorted = all.toSorted((a, b) => a - b)
        const truth = sorted[Math.max(0, Math.ceil(share * all.length) - 1)] ?? 0
        const estimate = latencyPercentile(counted(all), share) ?? -1
        const bucket = LATENCY_BOUNDS_MS.filter((bound) => truth >= bound).length
        assert.ok(
          estimate >= (LATENCY_BOUNDS_MS[bucket - 1] ?? 0) && estimate <= (LATENCY_BOUNDS_MS[bucket] ?? Infinity),
        )
        assert.ok(estimate <= (latencyPercentile(counted(all), 1) ?? -1))
      },
    ),
  )
})
