import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { csvName, usageCsv } from './usage-csv.ts'
import { linesOf, shareParts, sortLines, totalLine, type Usage } from './usage-rows.ts'

const times = { average: null, p50: null, p95: null, p99: null }
const none = {
  requests: 0,
  errors: 0,
  fallbacks: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  cache_hits: 0,
  uses: {},
  saved_usd: '0',
  unconfirmed_estimate_usd: '0',
  unconfirmed_most_usd: '0',
  unconfirmed_counted_usd: '0',
  prompt_cache_saved_usd: '0',
  resale_usd: '0',
  cost_usd: '0',
  unpriced_requests: 0,
  latency_ms: times,
  gateway_ms: times,
}
const usage: Usage = {
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-08T00:00:00.000Z',
  interval: null,
  group_by: 'key',
  data: [
    { ...none, start: null, is_rest: false, group: 'k1', name: 'web, "app"', requests: 3, cost_usd: '9.5' },
    { ...none, start: null, is_rest: false, group: 'k2', name: '=evil()', requests: 9, cost_usd: '10.000000000001' },
    { ...none, start: null, is_rest: false, group: 'k3', name: null, latency_ms: { ...times, p95: 120 } },
  ],
  total: { ...none, requests: 12, cost_usd: '19.500000000001' },
}

function namesBy(by: string, descending: boolean): string[] {
  return sortLines(linesOf(usage), { by, descending }).map(({ group }) => group ?? '')
}

describe('the table sorts', () => {
  test('money by amount, not by letters', () => assert.deepEqual(namesBy('cost', true), ['k2', 'k1', 'k3']))
  test('counts, the least first', () => assert.deepEqual(namesBy('requests', false), ['k3', 'k1', 'k2']))
  test('names', () => assert.deepEqual(namesBy('group', false), ['k2', 'k3', 'k1']))
  test('unknown percentiles stay at the end', () => {
    assert.equal(namesBy('p95', true)[0], 'k3')
    assert.equal(namesBy('p95', false)[0], 'k3')
  })
})

test('the line of totals is what the gateway added up', () => {
  const total = totalLine(usage)
  assert.equal(total.cost_usd, '19.500000000001')
  assert.deepEqual(shareParts(total, usage.total, 'requests'), [12, 12])
})

describe('CSV', () => {
  test('has every digit, quotes what must be quoted and lets no formula through', () => {
    const [heading, first, second, third] = usageCsv(usage).split('\r\n')
    assert.match(heading ?? '', /^key,key_id,requests,errors,/)
    assert.match(first ?? '', /^"web, ""app""",k1,3,0,.*,9\.5,0,0,,$/)
    assert.match(second ?? '', /^'=evil\(\),k2,9,.*,10\.000000000001,0,0,,$/)
    assert.match(third ?? '', /^k3,k3,0,.*,120$/)
  })

  test('by the day each line has its day', () => {
    const daily = { ...usage, interval: 'day' as const, group_by: 'route' as const }
    const row = { ...none, start: '2026-11-01T00:00:00.000Z', group: null, name: null, is_rest: false }
    const [heading, first] = usageCsv({ ...daily, data: [row] }).split('\r\n')
    assert.match(heading ?? '', /^day_utc,route,requests,/)
    assert.match(first ?? '', /^2026-11-01T00:00:00\.000Z,direct model ids,0,/)
  })

  test('what is not counted in tokens has a column each', () => {
    const row = { ...none, start: null, group: 'fast', name: null, is_rest: false, uses: { audio_input: 61_200 } }
    const total = { ...none, uses: { audio_input: 61_200, 'image:any:any': 2 } }
    const [heading, first] = usageCsv({ ...usage, group_by: 'route', data: [row], total }).split('\r\n')
    assert.match(heading ?? '', /,audio_input_ms,image:any:any$/)
    assert.match(first ?? '', /^fast,.*,61200,0$/)
  })

  test('the file says what it holds; the last day is the last that is in it', () => {
    assert.equal(csvName('default', usage), 'usage-default-by-key-2026-11-01-to-2026-11-07.csv')
  })
})
