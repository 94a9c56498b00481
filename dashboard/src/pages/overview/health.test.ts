import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { healthOf, noticesOf, type ProviderStatus } from './health.ts'

const WELL: ProviderStatus = {
  name: 'p',
  family: 'f',
  configured: true,
  circuits: [],
  last_error: null,
  last_success_at: null,
  calls_5m: 10,
  errors_5m: 0,
}
const OPEN = { model: 'm', state: 'open', until: null } as const

describe('the health of a provider is the worst that is true of it', () => {
  for (const [title, change, tone, words] of [
    ['all well', {}, 'good', 'works'],
    ['nobody calls it', { calls_5m: 0 }, 'idle', 'not called'],
    ['it has no key', { configured: false }, 'idle', 'not configured'],
    ['some calls failed', { errors_5m: 2 }, 'warn', '2 failed'],
    ['half of them failed', { errors_5m: 5 }, 'bad', '50.0 % of its calls fail'],
    ['a circuit is open', { circuits: [OPEN], errors_5m: 2 }, 'warn', 'one model is skipped'],
    ['two circuits are open', { circuits: [OPEN, OPEN] }, 'warn', '2 models are skipped'],
    [
      'a circuit is tried',
      { circuits: [{ ...OPEN, state: 'half-open' as const }] },
      'warn',
      'a model is being retried',
    ],
  ] as const) {
    test(title, () => assert.deepEqual(healthOf({ ...WELL, ...change } as ProviderStatus), { tone, words }))
  }
})

describe('notices about the gateway', () => {
  const status = {
    phase: 'ready',
    log: { lag_rows: 0, last_error: null },
    catalog: [],
  } as unknown as Parameters<typeof noticesOf>[0]

  test('mostly there are none', () => assert.deepEqual(noticesOf(status), []))

  test('a log that lags for a reason, a list that was not read and stopping are told', () => {
    const notices = noticesOf({
      ...status,
      phase: 'draining',
      log: { lag_rows: 1200, last_error: 'connection refused' },
      catalog: [{ provider: 'p', models: 0, read_at: null, problem: 'timeout' }],
    })
    assert.match(notices[0] ?? '', /stopping/)
    assert.match(notices[1] ?? '', /1,200 requests .* connection refused/)
    assert.match(notices[2] ?? '', /models of p .* timeout/)
  })
})
