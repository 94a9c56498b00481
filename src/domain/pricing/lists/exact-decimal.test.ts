import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { shiftedDecimal } from './exact-decimal.ts'

describe('a number moved by powers of ten, exactly', () => {
  const cases: [value: unknown, places: number, text: string | null][] = [
    [1.5e-7, 6, '0.15'],
    [3e-8, 6, '0.03'],
    [2.5e-6, 6, '2.5'],
    [1e-7, 6, '0.1'],
    [0.0000011, 6, '1.1'],
    [5.46875e-7, 6, '0.546875'],
    [0.000015, 6, '15'],
    [7.5e-5, 6, '75'],
    [0.1 + 0.2, 0, '0.30000000000000004'],
    [0.29, 2, '29'],
    [1.1, 1, '11'],
    [0, 6, '0'],
    [-0, 6, '0'],
    [5e-324, 6, `0.${'0'.repeat(317)}5`],
    [1e21, 0, `1${'0'.repeat(21)}`],
    [1.7976931348623157e308, 0, `17976931348623157${'0'.repeat(292)}`],
    [12, 0, '12'],
    [12.5, 0, '12.5'],
    [12.5, -1, '1.25'],
    ['1.5e-07', 6, '0.15'],
    ['0.00000015', 6, '0.15'],
    [' 2.5E-06 ', 6, '2.5'],
    ['007.500', 0, '7.5'],
    [-1e-7, 6, null],
    [Number.NaN, 6, null],
    [Number.POSITIVE_INFINITY, 6, null],
    ['NaN', 6, null],
    ['', 6, null],
    ['1e99999', 6, null],
    ['0x10', 6, null],
    ['1,5', 6, null],
    ['.5', 6, null],
    [null, 6, null],
    [undefined, 6, null],
    [{}, 6, null],
    [true, 6, null],
    [[1], 6, null],
  ]
  for (const [value, places, text] of cases) {
    test(`${typeof value} ${JSON.stringify(value) ?? String(value)} by ${places}`, () =>
      assert.equal(shiftedDecimal(value, places), text))
  }

  test('prices of every size come back as they were', () => {
    for (let step = 0; step < 20_000; step++) {
      const picodollars = (step * 7_919 * 7_919) % 1_000_000_000
      const written = (picodollars / 1e12).toString()
      const fraction = String(picodollars % 1_000_000)
        .padStart(6, '0')
        .replace(/0+$/, '')
      const expected = `${Math.floor(picodollars / 1_000_000)}${fraction === '' ? '' : `.${fraction}`}`
      assert.equal(shiftedDecimal(Number(written), 6), expected)
    }
  })
})
