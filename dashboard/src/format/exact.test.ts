import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addExact, compareExact, isZero, magnitude } from './exact.ts'

describe('decimal strings are added without a floating-point number', () => {
  for (const [values, sum] of [
    [[], '0'],
    [['0.1', '0.2'], '0.3'],
    [['9007199254740993', '1'], '9007199254740994'],
    [['0.000000000001', '12'], '12.000000000001'],
    [['5', '-5.25'], '-0.25'],
    [['1.50', '0.50'], '2'],
  ] as const) {
    test(`${values.join(' + ') || 'nothing'} = ${sum}`, () => assert.equal(addExact(values), sum))
  }

  test('they are compared by amount, not by letters', () => {
    assert.deepEqual(['10', '9', '-1', '0.5'].toSorted(compareExact), ['-1', '0.5', '9', '10'])
    assert.equal(compareExact('1.0', '1'), 0)
  })

  test('nothing is nothing however it is written', () => {
    assert.deepEqual([isZero('0'), isZero('0.000'), isZero('0.000000000001')], [true, true, false])
  })

  test('a magnitude has no sign', () => assert.equal(magnitude('-0.25'), '0.25'))

  test('what is not an amount is refused', () => assert.throws(() => addExact(['1e3']), /not an exact amount/))
})
