import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { alignedUsd, columnUsd, exactUsd, priceText, shortUsd } from './money.ts'

describe('money is shown without a misleading digit', () => {
  for (const [usd, exact, short, column] of [
    ['0', '$0.00', '$0', '$0.000000'],
    ['12', '$12.00', '$12.00', '$12.000000'],
    ['1234567.891', '$1,234,567.891', '$1,234,567.89', '$1,234,567.891000'],
    ['0.000000000001', '$0.000000000001', '$0.000000000001', '<$0.000001'],
    ['0.0000005', '$0.0000005', '$0.000000500', '$0.000001'],
    ['0.999999', '$0.999999', '$1.000', '$0.999999'],
    ['0.5', '$0.50', '$0.500', '$0.500000'],
    ['0.004567', '$0.004567', '$0.00457', '$0.004567'],
    ['9.995', '$9.995', '$10.00', '$9.995000'],
    ['-0.25', '−$0.25', '−$0.250', '−$0.250000'],
    ['0.123456500', '$0.1234565', '$0.123', '$0.123457'],
  ] as const) {
    test(usd, () => assert.deepEqual([exactUsd(usd), shortUsd(usd), columnUsd(usd)], [exact, short, column]))
  }

  test('amounts below each other have as many digits as the longest', () => {
    assert.deepEqual(alignedUsd(['1234', '0.0012', '0.500']), ['$1,234.0000', '$0.0012', '$0.5000'])
    assert.deepEqual(alignedUsd([]), [])
  })

  test('an amount beyond what a floating-point number holds keeps its digits', () => {
    assert.equal(exactUsd('9007199254740993.000000000001'), '$9,007,199,254,740,993.000000000001')
  })

  test('a price that is not known is a dash, a free one is not', () => {
    assert.equal(priceText(null), '–')
    assert.equal(priceText('0'), '$0.00')
    assert.equal(priceText('0.075'), '$0.075')
  })

  test('what is not an amount is refused', () => assert.throws(() => exactUsd('1e3'), /not an amount/))
})
