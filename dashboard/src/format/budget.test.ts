import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { budgetUse, fullness } from './budget.ts'

describe('the use of a budget is exact where it decides something', () => {
  for (const [limit, spent, held, state, percent] of [
    ['10', '0', '0', 'ok', '0 %'],
    ['10', '0.000000000001', '0', 'ok', '<0.1 %'],
    ['10', '0.25', '0', 'ok', '2.5 %'],
    ['10', '7.999999999999', '0', 'ok', '79 %'],
    ['10', '7.5', '0.5', 'near', '80 %'],
    ['10', '9.999999999999', '0', 'near', '99 %'],
    ['10', '9.999999999999', '0.000000000001', 'over', '100 %'],
    ['27', '29.16166064', '0', 'over', '108 %'],
    ['0.01', '123.4', '0', 'over', '1,234,000 %'],
  ] as const) {
    test(`${spent} spent and ${held} held of ${limit}`, () => {
      const use = budgetUse(limit, spent, held)
      assert.deepEqual([use.state, use.percent], [state, percent])
    })
  }

  test('the bar is never longer than itself, and what is held follows what is spent', () => {
    assert.deepEqual([budgetUse('10', '25', '5').spentWidth, budgetUse('10', '25', '5').heldWidth], [100, 0])
    assert.deepEqual([budgetUse('10', '5', '2.5').spentWidth, budgetUse('10', '5', '2.5').heldWidth], [50, 25])
  })

  test('keys sort by how full their budget is, those without one below all', () => {
    assert.ok(fullness('10', '9', '0') > fullness('100', '9', '0'))
    assert.ok(fullness(null, '1000', '0') < fullness('10', '0', '0'))
  })
})
