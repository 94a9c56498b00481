import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { beginningOf, periodNamed } from './periods.ts'

const now = new Date('2026-11-15T06:12:03.120Z').getTime()

describe('a period begins with a whole bar and ends now', () => {
  for (const [name, from] of [
    ['1h', '2026-11-15T05:13:00.000Z'],
    ['24h', '2026-11-14T07:00:00.000Z'],
    ['7d', '2026-11-09T00:00:00.000Z'],
    ['30d', '2026-10-17T00:00:00.000Z'],
  ] as const) {
    test(name, () => assert.equal(beginningOf(periodNamed(name), now), from))
  }

  test('an unknown name in the address is the usual period', () => assert.equal(periodNamed('7 weeks').name, '24h'))
})
