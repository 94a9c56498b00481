import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { picodollarsOfFloat, usdText } from '../amounts.ts'
import { mapPeriod } from '../periods.ts'
import { allowedBy, intersection } from './allowed-models.ts'
import { mapLimits, tighterOf } from './limits.ts'
import { freeName, slug } from './names.ts'

/** A Wednesday. */
const NOW = Date.parse('2026-11-18T13:00:00Z')
const MONTH_END = Date.parse('2026-12-01T00:00:00Z')
const hard = (usd: string, per: string) => ({ usd, per, mode: 'hard', when_tight: 'fit' })

describe('periods', () => {
  const rows: [duration: string | null, resetAt: string | null, expected: string][] = [
    [null, null, 'total exact same'],
    ['1d', '2026-11-19', 'day exact same'],
    ['24h', null, 'day exact same'],
    ['daily', '2026-11-19', 'day exact same'],
    ['7d', '2026-11-23', 'week exact same'],
    ['1w', '2026-11-23', 'week exact same'],
    ['30d', '2026-12-01', 'month exact same'],
    ['1mo', '2026-12-01', 'month exact same'],
    ['30d', '2026-12-07', 'month approximate same'],
    ['30d', '2026-11-10', 'month exact same'],
    ['12h', null, 'day approximate tighter'],
    ['3d', null, 'week approximate tighter'],
    ['14d', null, 'month approximate tighter'],
    ['90d', null, 'month approximate tighter'],
    ['2mo', null, 'month approximate tighter'],
    ['soon', null, 'unreadable'],
    ['0d', null, 'unreadable'],
  ]
  for (const [duration, resetAt, expected] of rows) {
    test(`${duration}${resetAt === null ? '' : `, next reset ${resetAt}`}: ${expected}`, () => {
      const mapped = mapPeriod(duration, resetAt === null ? null : Date.parse(`${resetAt}T00:00:00Z`), NOW)
      assert.equal(mapped === null ? 'unreadable' : `${mapped.per} ${mapped.status} ${mapped.direction}`, expected)
    })
  }
})

describe('amounts', () => {
  const rows: [float: string, usd: string][] = [
    ['12.5', '12.5'],
    ['1e-05', '0.00001'],
    ['2.5e+01', '25'],
    ['0.1234567890125', '0.123456789012'],
    ['0.1234567890135', '0.123456789014'],
    ['0.30000000000000004', '0.3'],
    ['1e-14', '0'],
  ]
  for (const [float, usd] of rows) {
    test(`${float} is ${usd} USD`, () => assert.equal(usdText(picodollarsOfFloat(float) ?? -1n), usd))
  }
  test('what is no number', () => assert.equal(picodollarsOfFloat('NaN'), null))
})

describe('limits of a row', () => {
  const rows: [name: string, row: object, budget: object | null, expected: object][] = [
    ['none', {}, null, { limits: {}, opening: null, isClosed: false }],
    [
      'a budget with what was spent of it',
      { max_budget: '50', budget_duration: '30d', budget_reset_at: MONTH_END, spend: '12.5', rpm_limit: 60 },
      null,
      { limits: { rpm: 60, budget: hard('50', 'month') }, opening: '12.5', isClosed: false },
    ],
    [
      'a reset that is due',
      { max_budget: '50', budget_duration: '1d', budget_reset_at: NOW - 1, spend: '49' },
      null,
      { limits: { budget: hard('50', 'day') }, opening: null, isClosed: false },
    ],
    [
      'what the named budget adds, with its period',
      { spend: '1', tpm_limit: 5, budget_duration: '1d' },
      { max_budget: '9', budget_duration: '7d', tpm_limit: 7, rpm_limit: 8, max_parallel_requests: 3 },
      { limits: { rpm: 8, tpm: 5, budget: hard('9', 'week') }, opening: '1', isClosed: false },
    ],
    ['a budget of nothing', { max_budget: '0' }, null, { limits: {}, opening: null, isClosed: true }],
    ['a limit of nothing', { rpm_limit: 0 }, null, { limits: {}, opening: null, isClosed: true }],
    [
      'more than any limit',
      { max_budget: '1e+12', tpm_limit: 2e9 },
      null,
      { limits: {}, opening: null, isClosed: false },
    ],
    [
      'a soft budget alone',
      { soft_budget: '3' },
      null,
      { limits: { budget: { usd: '3', per: 'total', mode: 'soft' } }, opening: null, isClosed: false },
    ],
    [
      'a share of 90 days',
      { max_budget: '10', budget_duration: '90d' },
      null,
      { limits: { budget: hard('3.333333333333', 'month') }, opening: null, isClosed: false },
    ],
    [
      'windows: the one that allows least',
      {
        budget_limits: [
          { budget_duration: '1d', max_budget: 10 },
          { budget_duration: '30d', max_budget: 60 },
        ],
      },
      null,
      { limits: { budget: hard('60', 'month') }, opening: null, isClosed: false },
    ],
  ]
  for (const [name, row, budget, expected] of rows) {
    test(name, () => {
      const { remarks: _, ...mapped } = mapLimits(row as never, budget as never, NOW)
      assert.deepEqual(mapped, expected)
    })
  }

  test('what is not enforced is looser', () => {
    const { remarks } = mapLimits({ model_max_budget: { 'gpt-4o': 1 }, tpd_limit: 5 }, null, NOW)
    assert.deepEqual(
      remarks.map(({ path, direction }) => `${path} ${direction}`),
      ['model_max_budget looser', 'tpd_limit looser'],
    )
  })

  test('two on one key: the tighter of both', () => {
    const one = { limits: { rpm: 5, budget: hard('9', 'day') } as never, opening: '1' }
    const other = { limits: { rpm: 3, tpm: 7, budget: hard('10', 'day') } as never, opening: '2' }
    assert.deepEqual(tighterOf(one, other), { limits: { rpm: 3, tpm: 7, budget: hard('9', 'day') }, opening: '2' })
    assert.equal(tighterOf(one, { limits: { budget: hard('1', 'month') } as never, opening: null }), null)
  })
})

describe('lists of models', () => {
  const names = {
    aliases: ['chat', 'gpt-4o', 'gpt-4o-mini', 'my/gpt'],
    groups: new Map([['cheap', ['gpt-4o-mini', 'chat']]]),
  }
  const rows: [list: string[], expected: readonly string[] | null, team?: readonly string[] | null][] = [
    [[], null],
    [['*'], null],
    [['all-proxy-models', 'chat'], null],
    [['no-default-models'], []],
    [['chat', 'chat'], ['chat']],
    [['cheap'], ['gpt-4o-mini', 'chat']],
    [['gpt-4*'], ['gpt-4*']],
    [['*/gpt'], ['my/gpt']],
    [['all-team-models'], ['chat'], ['chat']],
    [['all-team-models'], null, null],
  ]
  for (const [list, expected, team] of rows) {
    test(`${list.join(', ') || 'an empty list'}`, () =>
      assert.deepEqual(allowedBy(list, names, team ?? null), expected))
  }
  test('all of several lists must allow it', () => {
    assert.equal(intersection([null, null]), null)
    assert.deepEqual(intersection([null, ['chat', 'gpt-4*'], ['gpt-4o*', 'chat']]), ['chat', 'gpt-4o*'])
    assert.deepEqual(intersection([['gpt-4o'], ['chat']]), [])
  })
})

test('names become names of ours', () => {
  assert.equal(slug('Größe 2 (fast)'), 'Gro-e-2-fast')
  assert.equal(slug('  '), null)
  const taken = new Set<string>()
  assert.deepEqual(
    [freeName('Search', 'abcd', taken), freeName('search', 'abcd', taken), freeName('search', 'x', taken, 'team/')],
    ['Search', 'search-abcd', 'search'],
  )
})
