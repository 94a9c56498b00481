import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FileConfigSchema } from './file-config.ts'
import { KeyLimits, Limits } from './limits.ts'
import { problemText } from './problem-text.ts'

const budget = (usd: unknown, more: object = {}) => ({ budget: { usd, per: 'month', ...more } })

describe('limits are taken', () => {
  const table: [what: string, limits: object][] = [
    ['all together', { rpm: 1, tpm: 1_000_000_000, max_parallel: 3, ...budget('50', { mode: 'soft' }) }],
    ['none at all', {}],
    ['a default output limit', { max_output_tokens: 2000 }],
    ['a budget that calls are fitted into', budget('5', { when_tight: 'fit', fit_at_least: 1 })],
    ['a soft one that refuses nothing', budget('5', { mode: 'soft', when_tight: 'refuse' })],
    ['a budget of a picodollar', budget('0.000000000001')],
    ['a budget of almost a billion', budget('999999999.999999999999')],
  ]
  for (const [what, limits] of table) test(what, () => assert.ok(Limits.safeParse(limits).success))

  test('a budget without a mode is hard', () => assert.equal(Limits.parse(budget('5')).budget?.mode, 'hard'))
})

describe('limits are refused', () => {
  const counts: unknown[] = [0, -1, 1.5, 1_000_000_001, 1e300, Number.NaN, Number.POSITIVE_INFINITY, '10', null, true]
  const amounts: unknown[] = ['0', '0.00', '-1', '+1', '1e3', '1,5', '', ' 1', '.5', '5.', 'ten', 'NaN', 5, null]
  const table: [what: string, limits: object, field: string][] = [
    ...(['rpm', 'tpm', 'max_parallel', 'max_output_tokens'] as const).flatMap((field) =>
      counts.map((value): [string, object, string] => [`${field} ${String(value)}`, { [field]: value }, field]),
    ),
    ...amounts.map((usd): [string, object, string] => [
      `a budget of ${JSON.stringify(usd)}`,
      budget(usd),
      'budget.usd',
    ]),
    ['a budget beyond nine digits', budget('1000000000'), 'budget.usd'],
    ['a budget beyond a picodollar', budget('0.0000000000001'), 'budget.usd'],
    ['an unknown period', { budget: { usd: '5', per: 'year' } }, 'budget.per'],
    ['a missing period', { budget: { usd: '5' } }, 'budget.per'],
    ['no such way', budget('5', { when_tight: 'squeeze' }), 'budget.when_tight'],
    ['nothing to fit', budget('5', { mode: 'soft', when_tight: 'fit' }), 'budget.when_tight'],
    ['a floor of nothing', budget('5', { when_tight: 'fit', fit_at_least: 0 }), 'budget.fit_at_least'],
    ['an unknown mode', budget('5', { mode: 'firm' }), 'budget.mode'],
  ]
  for (const [what, limits, field] of table) {
    test(`${what}, and ${field} is named`, () => {
      const { success, error } = Limits.safeParse(limits)
      assert.equal(success, false)
      assert.equal(error?.issues[0]?.path.join('.'), field)
    })
  }
  test('with the policy of a workspace where they are those of a key', () => {
    const limits = { rpm: 5, unconfirmed: 'ignore' }
    assert.ok(Limits.safeParse(limits).success)
    const words = 'unconfirmed is a setting of the workspace; set it in the limits of the workspace'
    assert.equal(problemText(KeyLimits.safeParse(limits).error ?? assert.fail()), words)
    const file = { workspaces: { default: { limits, keys: { ci: { limits } } } } }
    const { error } = FileConfigSchema.safeParse(file)
    assert.equal(problemText(error ?? assert.fail()), `workspaces.default.keys.ci.limits: ${words}`)
    assert.equal(problemText(KeyLimits.safeParse({ rps: 5 }).error ?? assert.fail()), 'unknown field "rps"')
  })
  test('with unknown fields', () => {
    assert.equal(Limits.safeParse({ rps: 5 }).success, false)
    assert.equal(Limits.safeParse(budget('5', { currency: 'EUR' })).success, false)
  })
})
