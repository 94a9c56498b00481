import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_RULES } from '../domain/alerts/rules.ts'
import { promptCacheConditions } from './prompt-cache.ts'
import type { TrafficRow } from './traffic.ts'

const row = (time: number, cached: number, more: Partial<TrafficRow> = {}): TrafficRow => ({
  ...{ time, workspace: 'w', route: 'fast', provider: 'p', model: 'm', code: '', requests: 60, unpriced: 0 },
  ...{ latencies: [], promptTokens: 1_000_000, cachedTokens: cached, ...more },
})
const week = (cached: number, more: Partial<TrafficRow> = {}) => [1, 2, 3, 4].map((day) => row(day, cached, more))
const found = (hours: TrafficRow[], days: TrafficRow[], settings: object = {}) =>
  promptCacheConditions(hours, days, { ...DEFAULT_RULES.prompt_cache, ...settings })

test('an alert says that half the usual share came from the cache, with both figures', () => {
  const [one, ...others] = found([row(9, 200_000), row(10, 300_000)], week(800_000))
  assert.deepEqual(others, [])
  assert.equal(one?.identity, 'prompt_cache w fast')
  assert.equal(one?.summary, '25 % of the prompts of 120 calls (route fast, w) came from the prompt cache; usual: 80 %')
})

for (const [what, hours, days, settings] of [
  ['a share that is usual', [row(9, 700_000)], week(800_000), {}],
  ['few calls', [row(9, 0, { requests: 49 })], week(800_000), {}],
  ['days with few calls', [row(9, 0)], week(800_000, { requests: 49 }), {}],
  ['a route that never read much', [row(9, 0)], week(190_000), {}],
  ['nothing usual yet', [row(9, 0)], week(800_000).slice(2), {}],
  ['calls without a prompt', [row(9, 0, { promptTokens: 0 })], week(800_000), {}],
  ['calls that were not answered', [row(9, 0, { code: 'upstream_error' })], week(800_000), {}],
  ['another route', [row(9, 0, { route: 'other' })], week(800_000), {}],
  ['a rule that is off', [row(9, 0)], week(800_000), { enabled: false }],
] as const) {
  test(`${what} raises no alert`, () => assert.deepEqual(found([...hours], [...days], settings), []))
}
