import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unpricedLines, verdictOf, type WhatIf } from './what-if.ts'

const answer: WhatIf = {
  workspace: 'default',
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-08T00:00:00.000Z',
  model: 'p/m',
  prices_at: '2026-11-08T00:00:00.000Z',
  price_version: 12,
  data: [],
  total: { requests: 1200, paid_usd: '20', what_if_usd: '15', difference_usd: '-5' },
  unpriced: [],
}

describe('the verdict', () => {
  test('cheaper is good', () => {
    const { headline, tone, sentence } = verdictOf(answer)
    assert.equal(headline, '$5.00 less (25.0 %)')
    assert.equal(tone, 'good')
    assert.equal(
      sentence,
      '1,200 calls cost $20.00. At the prices of p/m (price version 12) they would have cost $15.00.',
    )
  })

  test('dearer is bad, and says so without a sign', () => {
    const total = { requests: 1, paid_usd: '20', what_if_usd: '20.001', difference_usd: '0.001' }
    const { headline, tone } = verdictOf({ ...answer, total })
    assert.deepEqual([headline, tone], ['$0.00100 more (<0.1 %)', 'bad'])
  })

  test('the same is the same', () => {
    const total = { requests: 3, paid_usd: '1', what_if_usd: '1', difference_usd: '0' }
    assert.equal(verdictOf({ ...answer, total }).headline, 'The same')
  })

  test('what cost nothing has no percentage', () => {
    const total = { requests: 3, paid_usd: '0', what_if_usd: '1', difference_usd: '1' }
    assert.equal(verdictOf({ ...answer, total }).headline, '$1.00 more')
  })

  test('another date is named by its day', () => {
    const { sentence } = verdictOf({ ...answer, model: null, price_version: null })
    assert.match(sentence, /At the prices of 2026-11-08 they/)
  })
})

test('what neither sum has is told', () => {
  const unpriced: WhatIf['unpriced'] = [
    { provider: 'p', model: 'x', requests: 1, missing: 'paid', unit: null },
    { provider: 'p', model: 'y', requests: 1500, missing: 'what_if', unit: null },
  ]
  assert.deepEqual(unpricedLines({ ...answer, unpriced }), [
    '1 call of p/x: what they cost is unknown',
    '1,500 calls of p/y: p/m has no price for them',
  ])
})
