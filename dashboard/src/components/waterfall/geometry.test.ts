import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { outcomeOf, ticksOf, type WaterfallAttempt, waterfallOf } from './geometry.ts'

function attempt(fields: Partial<WaterfallAttempt>): WaterfallAttempt {
  return {
    kind: 'called',
    provider: 'north',
    model: 'large',
    started_after_ms: 0,
    duration_ms: 0,
    status: 200,
    code: null,
    upstream_request_id: null,
    provider_code: null,
    reason: 'served',
    ...fields,
  }
}

describe('what is drawn', () => {
  test('one attempt leaves the gateway its time before and after', () => {
    const { totalMs, lanes, gateway } = waterfallOf([attempt({ started_after_ms: 10, duration_ms: 80 })], 100)
    assert.equal(totalMs, 100)
    assert.deepEqual(lanes[0]?.span, { startMs: 10, endMs: 90, left: 10, width: 80 })
    assert.deepEqual(gateway, [
      { startMs: 0, endMs: 10, left: 0, width: 10 },
      { startMs: 90, endMs: 100, left: 90, width: 10 },
    ])
  })

  test('the pause before the same entry is asked again is nobody’s work', () => {
    const { lanes, gateway } = waterfallOf(
      [
        attempt({ duration_ms: 20, status: 503, code: 'provider_overloaded' }),
        attempt({ started_after_ms: 70, duration_ms: 30 }),
      ],
      100,
    )
    assert.deepEqual(lanes[0]?.wait, { startMs: 20, endMs: 70, left: 20, width: 50 })
    assert.equal(lanes[1]?.wait, null)
    assert.deepEqual(gateway, [])
  })

  test('between two entries there is no pause: that time is the gateway’s', () => {
    const { lanes, gateway } = waterfallOf(
      [
        attempt({ duration_ms: 20, status: 503, code: 'provider_overloaded' }),
        attempt({ provider: 'south', started_after_ms: 25, duration_ms: 75 }),
      ],
      100,
    )
    assert.equal(lanes[0]?.wait, null)
    assert.deepEqual(
      gateway.map(({ startMs, endMs }) => [startMs, endMs]),
      [[20, 25]],
    )
  })

  test('an entry passed over is a mark without a width and takes no time from anybody', () => {
    const { lanes, gateway } = waterfallOf(
      [
        attempt({ kind: 'skipped', started_after_ms: 1, status: null, reason: 'circuit open' }),
        attempt({ provider: 'south', started_after_ms: 2, duration_ms: 98 }),
      ],
      100,
    )
    assert.deepEqual([lanes[0]?.outcome, lanes[0]?.span.left, lanes[0]?.span.width], ['skipped', 1, 0])
    assert.deepEqual(
      gateway.map(({ startMs, endMs }) => [startMs, endMs]),
      [[0, 2]],
    )
  })

  test('an attempt that ends after the request by rounding stretches the axis instead of leaving it', () => {
    const { totalMs, lanes, gateway } = waterfallOf([attempt({ started_after_ms: 2, duration_ms: 99 })], 100)
    assert.equal(totalMs, 101)
    assert.equal((lanes[0]?.span.left ?? 0) + (lanes[0]?.span.width ?? 0), 100)
    assert.equal(gateway.length, 1)
  })

  test('neighbours that overlap by a rounded millisecond leave no gap of negative width', () => {
    const { lanes, gateway } = waterfallOf(
      [
        attempt({ duration_ms: 50, status: 500, code: 'upstream_error' }),
        attempt({ started_after_ms: 49, duration_ms: 51 }),
      ],
      100,
    )
    assert.equal(lanes[0]?.wait, null)
    assert.deepEqual(gateway, [])
  })

  test('a request refused before any provider was asked is all the gateway’s', () => {
    const { totalMs, lanes, gateway } = waterfallOf([], 0.25)
    assert.equal(totalMs, 0.25)
    assert.deepEqual(lanes, [])
    assert.deepEqual(gateway, [{ startMs: 0, endMs: 0.25, left: 0, width: 100 }])
  })

  test('a request that took no time has an axis all the same', () => {
    const { ticks, gateway } = waterfallOf([], 0)
    assert.ok(ticks.every(({ left }) => Number.isFinite(left)))
    assert.equal(gateway[0]?.width, 100)
  })
})

describe('the axis has few, round steps', () => {
  for (const [totalMs, labels] of [
    [0.25, ['0', '0.05 ms', '0.1 ms', '0.15 ms', '0.2 ms', '0.25 ms']],
    [1, ['0', '0.2 ms', '0.4 ms', '0.6 ms', '0.8 ms', '1 ms']],
    [88, ['0', '20 ms', '40 ms', '60 ms', '80 ms']],
    [100, ['0', '20 ms', '40 ms', '60 ms', '80 ms', '100 ms']],
    [1366, ['0', '500 ms', '1 s']],
    [7250, ['0', '2 s', '4 s', '6 s']],
    [61_000, ['0', '20 s', '40 s', '60 s']],
  ] as const) {
    test(`${totalMs} ms`, () => {
      const ticks = ticksOf(totalMs)
      assert.deepEqual(
        ticks.map(({ label }) => label),
        labels,
      )
      assert.ok(ticks.every(({ left }) => left >= 0 && left <= 100))
    })
  }
})

describe('an attempt is coloured by who would have to change something', () => {
  for (const [fields, outcome] of [
    [{}, 'served'],
    [{ kind: 'skipped', status: null }, 'skipped'],
    [{ status: null, code: 'caller_left' }, 'left'],
    [{ status: 400, code: 'invalid_request' }, 'refused'],
    [{ status: 429, code: 'rate_limited' }, 'refused'],
    [{ status: 401, code: 'provider_auth_error' }, 'failed'],
    [{ status: 429, code: 'provider_quota_exceeded' }, 'failed'],
    [{ status: 503, code: 'provider_overloaded' }, 'failed'],
    [{ status: null, code: 'upstream_timeout' }, 'failed'],
    [{ status: 200, code: 'upstream_error' }, 'failed'],
  ] as const) {
    test(`${fields.kind ?? 'called'} ${fields.status ?? ''} ${fields.code ?? ''}`, () =>
      assert.equal(outcomeOf(attempt(fields)), outcome))
  }
})
