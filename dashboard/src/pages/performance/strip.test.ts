import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripsOf } from './strip.ts'

const at = (hour: number) => `2026-11-17T0${hour}:00:00.000Z`
const row = (hour: number, provider: string, attempts: number, failures: number) => ({
  ...{ start: at(hour), provider, attempts, failures, rescued: 0, codes: failures === 0 ? {} : { upstream_error: 1 } },
})
const range = { from: at(0), to: at(4), interval: 'hour' as const }

test('a cell an hour, also of hours without calls; the provider that is called most comes first', () => {
  const [first, second] = stripsOf([row(0, 'a', 10, 0), row(1, 'b', 90, 0), row(3, 'a', 10, 1)], range)
  assert.deepEqual([first?.provider, second?.provider], ['b', 'a'])
  assert.deepEqual(
    second?.cells.map(({ tone }) => tone),
    ['good', 'none', 'none', 'warn'],
  )
  assert.deepEqual([second?.attempts, second?.failures, first?.worst], [20, 1, null])
})

test('a third of enough calls is bad, a tenth worth a look; of few calls it is never bad', () => {
  const [strip] = stripsOf([row(0, 'a', 10, 3), row(1, 'a', 10, 1), row(2, 'a', 1, 1), row(3, 'a', 100, 9)], range)
  assert.deepEqual(
    strip?.cells.map(({ tone }) => tone),
    ['bad', 'warn', 'warn', 'good'],
  )
  assert.equal(strip?.worst?.start, at(0), 'not the hour of the single call')
})

test('a strip is told in a sentence, a cell too', () => {
  const [strip] = stripsOf([row(0, 'a', 10, 2), row(1, 'a', 30, 0)], range)
  assert.match(
    strip?.label ?? '',
    /^a: 5\.00 % of 40 calls failed\. Worst: .*: 2 of 10 calls failed \(20\.0 %\): upstream_error$/,
  )
  assert.match(strip?.cells[1]?.title ?? '', /: 30 calls, none failed$/)
  assert.match(strip?.cells[2]?.title ?? '', /: not called$/)
})
