import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NO_USAGE, type TokenUsage } from '../../domain/pricing/usage.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { completionUsage, usageFromWire } from './usage.ts'
import type { WireUsage } from './wire.ts'

describe('tokens by price class', () => {
  const cases: [string, JsonObject, Partial<TokenUsage>][] = [
    [
      'input excludes both cache classes',
      { input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 2 },
      { input: 5, cachedInput: 3, output: 2 },
    ],
    [
      'null counts are 0',
      { input_tokens: null, cache_read_input_tokens: null, cache_creation: null, output_tokens: 2 },
      { output: 2 },
    ],
    ['nonsense counts are 0', { input_tokens: '5', output_tokens: -1 }, {}],
    ['writes without a split are of 5 minutes', { cache_creation_input_tokens: 7 }, { cacheWrite5m: 7 }],
    [
      'writes are split by lifetime',
      {
        cache_creation_input_tokens: 7,
        cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 },
      },
      { cacheWrite5m: 3, cacheWrite1h: 4 },
    ],
    [
      'a split without a total counts',
      { cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 } },
      { cacheWrite5m: 3, cacheWrite1h: 4 },
    ],
    [
      'a split never exceeds the total',
      { cache_creation_input_tokens: 5, cache_creation: { ephemeral_1h_input_tokens: 9 } },
      { cacheWrite1h: 5 },
    ],
    [
      'thinking is part of the output',
      { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } },
      { output: 9, reasoning: 4 },
    ],
    ['inference in the US costs a tenth more', { inference_geo: 'us' }, { pricePercent: 110 }],
    ['fast costs twice', { speed: 'fast' }, { pricePercent: 200 }],
    ['both multiply', { inference_geo: 'us', speed: 'fast' }, { pricePercent: 220 }],
    ['elsewhere at normal speed costs the list price', { inference_geo: 'global', speed: 'standard' }, {}],
  ]
  for (const [title, usage, expected] of cases) {
    test(title, () => assert.deepEqual(usageFromWire(usage as WireUsage), { ...NO_USAGE, ...expected }))
  }

  test('no usage at all is none', () => {
    assert.deepEqual(usageFromWire(null), NO_USAGE)
    assert.deepEqual(usageFromWire(undefined), NO_USAGE)
  })
})

test('the completion shows details only when they say something', () => {
  const none = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 }
  assert.deepEqual(completionUsage({ ...NO_USAGE, input: 5, output: 2 }), none)
  assert.deepEqual(
    completionUsage({ ...NO_USAGE, input: 1, cacheWrite5m: 1, cacheWrite1h: 3, output: 2, reasoning: 1 }),
    {
      ...none,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 1 },
    },
  )
})
