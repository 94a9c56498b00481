import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyDays } from './key-days.ts'

const distribution = { average: null, p50: null, p95: null, p99: null }
const row = (start: string, cost_usd: string, requests: number) => ({
  start,
  group: null,
  name: null,
  requests,
  errors: 0,
  fallbacks: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  cache_hits: 0,
  saved_usd: '0',
  unconfirmed_estimate_usd: '0',
  unconfirmed_most_usd: '0',
  unconfirmed_counted_usd: '0',
  prompt_cache_saved_usd: '0',
  resale_usd: '0',
  uses: {},
  cost_usd,
  is_rest: false,
  unpriced_requests: 0,
  latency_ms: distribution,
  gateway_ms: distribution,
})

test('every day of the period has its bar, also one without calls; the dearest is the highest', () => {
  const data = [row('2026-11-13T00:00:00.000Z', '2', 4), row('2026-11-15T00:00:00.000Z', '0.5', 1)]
  const days = keyDays({ from: '2026-11-13T00:00:00.000Z', to: '2026-11-15T09:30:00.000Z', data })
  assert.deepEqual(
    days.map(({ start, requests, height }) => [start.slice(0, 10), requests, height]),
    [
      ['2026-11-13', 4, 100],
      ['2026-11-14', 0, 0],
      ['2026-11-15', 1, 25],
    ],
  )
})
