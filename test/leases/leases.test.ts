import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureLeases } from './leases.ts'
import { leasesText } from './report.ts'

test('the simulation of leases repeats itself by its seed, and a budget is never exceeded', async () => {
  const scenario = { nodes: 5, keys: 3, holds: 500, rate: 300, killed: 1, roundTripMs: 1, seed: 3 }
  const [one, two] = await measureLeases(() => {}, [scenario, scenario])
  assert.deepEqual(one?.outcome, two?.outcome)
  assert.equal(one?.outcome.isOverspent, false)
  assert.ok(one.outcome.phases.refusing.refused > 0 && one.outcome.stranded > 0)
  assert.match(leasesText([one]), /no\n$/)
})
