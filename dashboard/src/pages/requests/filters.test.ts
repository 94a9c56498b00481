import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chipsOf, durationOfText, hasFilters, isOfFailures, isOver, queryOf, withoutFilters } from './filters.ts'

const NOW = Date.parse('2026-11-15T06:00:00Z')

describe('the address becomes the question to the gateway', () => {
  test('nothing but the workspace without filters', () => {
    assert.deepEqual(queryOf({}, 'default', NOW), { workspace: 'default' })
  })

  test('every filter goes along under its own name, what the page keeps for itself does not', () => {
    const filters = {
      status: 'error',
      code: 'rate_limited',
      route: 'fast',
      provider: 'north',
      model: 'large',
      key: '01abc',
      fallback: 'true',
      min_cost_usd: '0.01',
      min_duration_ms: '5000',
      sort: 'slowest',
    }
    assert.deepEqual(queryOf({ ...filters, live: '1' }, 'research', NOW), { workspace: 'research', ...filters })
  })

  test('a period counts back from now', () => {
    assert.deepEqual(queryOf({ period: '24h' }, 'default', NOW), {
      workspace: 'default',
      from: '2026-11-14T06:00:00.000Z',
    })
  })

  test('a range of one’s own wins over a period, an unknown period asks nothing', () => {
    const range = { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' }
    assert.deepEqual(queryOf({ ...range, period: '1h' }, 'default', NOW), { workspace: 'default', ...range })
    assert.deepEqual(queryOf({ period: 'ever' }, 'default', NOW), { workspace: 'default' })
  })

  test('calls of a direct model id have no route: asked for with an empty one', () => {
    assert.deepEqual(queryOf({ route: '(direct)' }, 'default', NOW), { workspace: 'default', route: '' })
    assert.deepEqual(queryOf({ route: '' }, 'default', NOW), { workspace: 'default', route: '' })
  })

  test('an empty filter asks nothing', () => {
    assert.deepEqual(queryOf({ model: '', status: '' }, 'default', NOW), { workspace: 'default' })
  })
})

describe('each filter is a chip that can be taken off', () => {
  test('in words, in a fixed order', () => {
    const chips = chipsOf(
      { min_cost_usd: '0.5', key: '01abc', route: '(direct)', status: 'error', live: '1' },
      'web-app',
    )
    assert.deepEqual(
      chips.map(({ title, value }) => `${title} ${value}`),
      ['Status any error', 'Route none, a direct model id', 'Key web-app', 'Cost at least $0.5'],
    )
  })

  test('a key whose name is not known yet is told by its id', () => {
    assert.deepEqual(chipsOf({ key: '01abc' }, null)[0]?.value, '01abc')
  })

  test('clearing takes away all of them and leaves the rest of the address', () => {
    const cleared = withoutFilters()
    assert.ok(Object.values(cleared).every((value) => value === null))
    assert.ok(['status', 'key', 'period', 'from', 'to'].every((field) => field in cleared))
    assert.ok(!('live' in cleared))
    assert.equal(hasFilters({ live: '1' }), false)
    assert.equal(hasFilters({ period: '1h' }), true)
  })
})

test('a duration is typed as people write it, in seconds where they name no unit', () => {
  const typed = ['5', '2.5s', '300 ms', '1m', '0', '', 'soon', '-1', '1h']
  assert.deepEqual(typed.map(durationOfText), ['5000', '2500', '300', '60000', '0', null, null, null, null])
  assert.deepEqual(chipsOf({ min_duration_ms: '5000', max_duration_ms: '250' }, null), [
    { field: 'min_duration_ms', title: 'Took at least', value: '5.00 s' },
    { field: 'max_duration_ms', title: 'Took at most', value: '250 ms' },
  ])
})

test('only a range that ended before now is over', () => {
  assert.equal(isOver({ to: '2026-11-15T05:59:59Z' }, NOW), true)
  assert.equal(isOver({ to: '2026-11-15T07:00:00Z' }, NOW), false)
  assert.equal(isOver({ period: '1h' }, NOW), false)
})

test('a list is one of failures when its filters let nothing else through', () => {
  const failures = [
    { status: 'error' },
    { status: '429' },
    { status: '0' },
    { code: 'forbidden' },
    { reason: 'budget' },
  ]
  assert.deepEqual(failures.map(isOfFailures), [true, true, true, true, true])
  const others = [{}, { status: 'ok' }, { status: '200' }, { route: 'fast' }]
  assert.deepEqual(others.map(isOfFailures), [false, false, false, false])
})
