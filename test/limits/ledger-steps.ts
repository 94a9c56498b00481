import { PERIODS } from '../../src/domain/budgets/budget-period.ts'
import { fc } from '../property.ts'
import { DAY, KEYS, SCOPES, type Step } from './ledger-reference.ts'

export const USD = 1_000_000_000_000n
export const limits = fc.record(
  {
    rpm: fc.integer({ min: 1, max: 6 }),
    tpm: fc.integer({ min: 1, max: 400 }),
    max_parallel: fc.integer({ min: 1, max: 4 }),
    budget: fc.record({
      usd: fc.integer({ min: 1, max: 12 }).map(String),
      per: fc.constantFrom(...PERIODS),
      mode: fc.constantFrom('hard' as const, 'hard' as const, 'soft' as const),
    }),
  },
  { requiredKeys: [] },
)
const index = fc.nat({ max: 1_000 })
/** Any step; `mayLower`: also those that change limits. */
export const step = (mayLower: boolean): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('admit' as const),
        key: fc.constantFrom(...Object.keys(KEYS)),
        hold: fc.oneof({ weight: 9, arbitrary: fc.bigInt({ min: 0n, max: 3n * USD }) }, fc.constant(null)),
        tokens: fc.oneof({ weight: 9, arbitrary: fc.nat({ max: 150 }) }, fc.constant(null)),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('settle' as const),
        index,
        percent: fc.nat({ max: 100 }),
        usedPercent: fc.nat({ max: 100 }),
      }),
    },
    fc.record({ do: fc.constant('release' as const), index }),
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('pass' as const),
        ms: fc.oneof(
          fc.nat({ max: 1_500 }),
          fc.constantFrom(999, 1_000, 59_999, 60_000, 60_001, 61_000, 3_600_000, DAY, 7 * DAY, 31 * DAY),
          fc.integer({ min: -90_000, max: -1 }),
        ),
      }),
    },
    fc.constant<Step>({ do: 'crash' }),
    ...(mayLower
      ? [
          {
            weight: 2,
            arbitrary: fc.record({
              do: fc.constant('limit' as const),
              scope: fc.constantFrom(...SCOPES),
              limits: fc.option(limits),
            }),
          },
        ]
      : []),
  ) as fc.Arbitrary<Step>
