import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/property.ts'
import type { Attributed } from './attribute.ts'
import { billedUnconfirmed, confirmedCalls, type UnconfirmedCall } from './confirm.ts'
import type { Interval } from './match/cell.ts'
import type { Cause } from './steps/step.ts'

const HOUR = 3_600_000
const interval = (hour: number) => ({ start: hour * HOUR, end: (hour + 1) * HOUR }) as unknown as Interval

/** A cell of three hours, with what each is short of. */
function cellOf(amounts: readonly bigint[], cause: Cause = 'unconfirmed'): Attributed {
  return {
    cell: { intervals: [interval(0), interval(1), interval(2)] },
    takes: amounts.map((amount, place) => ({ cell: 0, part: { interval: place }, amount, cause, facts: {} })),
  } as unknown as Attributed
}

const call = (id: string, hour: number, most: bigint, confirmed: bigint | null = null): UnconfirmedCall => ({
  ...{ id, keyId: 'key-1', startedAt: hour * HOUR + 5, most, confirmed },
})

test('one call of an hour gets what its hour bills, and no other', () => {
  const calls = [call('a', 0, 100n), call('b', 1, 100n), call('c', 2, 100n)]
  const found = confirmedCalls(cellOf([70n, 0n]), calls)
  assert.deepEqual(found, [
    { id: 'a', picodollars: 70n },
    { id: 'b', picodollars: 0n },
  ])
})

test('what was confirmed before is not confirmed again', () => {
  const calls = [call('a', 0, 100n, 30n), call('b', 0, 100n), call('c', 0, 100n, 0n)]
  assert.deepEqual(confirmedCalls(cellOf([70n]), calls), [{ id: 'b', picodollars: 40n }])
  assert.deepEqual(confirmedCalls(cellOf([20n]), calls), [{ id: 'b', picodollars: 0n }])
})

test('where foreign calls may be meant, nothing is confirmed', () => {
  const mixed = cellOf([70n], 'unconfirmed_or_foreign')
  assert.deepEqual([confirmedCalls(mixed, [call('a', 0, 100n)]), billedUnconfirmed(mixed)], [[], 0n])
})

test('no call is above its bound, and together they are the amount to the picodollar', () => {
  const some = fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(some, fc.nat({ max: 120 }), (bounds, percent) => {
      const whole = bounds.reduce((sum, most) => sum + most, 0n)
      const amount = (whole * BigInt(percent)) / 100n
      const calls = bounds.map((most, place) => call(`call-${place}`, 0, most))
      const found = confirmedCalls(cellOf([amount]), calls)
      for (const [place, { picodollars }] of found.entries()) {
        assert.ok(picodollars >= 0n && picodollars <= (bounds[place] ?? 0n), `${picodollars} of ${bounds[place]}`)
      }
      const sum = found.reduce((total, { picodollars }) => total + picodollars, 0n)
      assert.equal(sum, amount < whole ? amount : whole)
    }),
  )
})
