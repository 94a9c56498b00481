import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OURS } from '../run/gateway.ts'
import { parsePeer } from '../run/peers.ts'
import { figuresOf, untilIdle } from './peers.ts'

test('a peer is given as name=command', () => {
  const { name, command } = parsePeer('Other=node "a b.js" --x=1 --port=$PORT')
  assert.deepEqual([name, command], ['Other', 'node "a b.js" --x=1 --port=$PORT'])
  for (const text of ['node', 'Other=', '=node']) assert.throws(() => parsePeer(text), /--peer "name=command"/)
})

test('a peer is compared with Switchyard in the same round', () => {
  const share = (name: string, requests: number, cpuMicroseconds: number) => ({
    ...{ name, requests, errors: 1, seconds: 2, cpuMicroseconds },
  })
  const rounds = [1, 5, 2].map((slowness) => [share(OURS, 100, 1_000 * slowness), share('Other', 50, 1_500 * slowness)])
  assert.deepEqual(figuresOf('Other', rounds), {
    ...{ cpuMicroseconds: 60, cpuRatio: 3, cpuRatioSpread: [3, 3], rateRatio: 0.5, requests: 150, errors: 3 },
  })
  assert.deepEqual(figuresOf('absent', rounds), {
    ...{ cpuMicroseconds: null, cpuRatio: null, cpuRatioSpread: null, rateRatio: null, requests: 0, errors: 0 },
  })
})

test('work after the last answer counts until the process is idle, and idling does not', async () => {
  const readings = [100_000, 500_000, 600_000, 605_000, 610_000]
  assert.equal(
    await untilIdle(
      () => readings.shift() ?? assert.fail(),
      async () => {},
    ),
    600_000,
  )
})
