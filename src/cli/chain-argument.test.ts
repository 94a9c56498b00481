import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { placeOf } from './chain-argument.ts'

const large = { provider: 'east', model: 'large:8b' }

const hedged = { ...large, hedge_after_ms: 800 }

describe('a place of a chain on the command line', () => {
  for (const [written, place] of [
    ['east/large:8b', large],
    ['east/large:8b,hedge_after_ms=800', hedged],
    [
      'least_busy,sticky=true,hedge_after_ms=9: a/m | b/m',
      {
        balance: 'least_busy',
        sticky: true,
        hedge_after_ms: 9,
        members: [
          { provider: 'a', model: 'm' },
          { provider: 'b', model: 'm' },
        ],
      },
    ],
    ['east/a/b,timeout_ms=20000,retries=1', { provider: 'east', model: 'a/b', timeout_ms: 20_000, retries: 1 }],
    [
      'weighted: east/large:8b,weight=3 | west/m',
      {
        balance: 'weighted',
        members: [
          { ...large, weight: 3 },
          { provider: 'west', model: 'm' },
        ],
      },
    ],
    [
      'fastest,sticky=false:east/large:8b|west/m,retries=0',
      { balance: 'fastest', sticky: false, members: [large, { provider: 'west', model: 'm', retries: 0 }] },
    ],
  ] as const) {
    test(written, () => assert.deepEqual(placeOf(written), place))
  }

  for (const [written, problem] of [
    ['large', /expected PROVIDER\/MODEL/],
    ['east/m,weight=2', /unknown setting 'weight=2'; expected timeout_ms=N.* or hedge_after_ms=N/],
    ['weighted: east/m | west/m,wieght=1', /unknown setting 'wieght=1'.* or weight=N/],
    ['weighted: east/m |', /expected PROVIDER\/MODEL/],
    ['weighted,stick=no: east/m | west/m', /expected weighted\|least_busy\|fastest/],
    ['random: east/m | west/m', /unknown setting|expected/],
  ] as const) {
    test(`refused: ${written}`, () => assert.throws(() => placeOf(written), problem))
  }
})
