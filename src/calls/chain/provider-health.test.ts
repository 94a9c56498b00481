import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failure } from '../../domain/failure.ts'
import type { Provider } from '../../domain/provider.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { createProviderHealth } from './provider-health.ts'

const MINUTE = 60_000
const entry = (provider: string, model = 'model-1') => ({
  provider,
  model,
  timeoutMs: 1_000,
  idleTimeoutMs: null,
  retries: 0,
  maxOutputTokens: null,
  hedgeAfterMs: null,
  defaults: null,
})
const overloaded = failure('provider_overloaded', 'Overloaded', 529)

function world(...providers: string[]) {
  const known = new Map(providers.map((name) => [name, { name } as Provider]))
  const clock = { now: 1_700_000_000_000 }
  const snapshot = { providers: known } as unknown as Snapshot
  return {
    clock,
    known,
    health: createProviderHealth(
      () => clock.now,
      () => snapshot,
    ),
  }
}

test('a provider that was never called has nothing', () => {
  const { health } = world('first')
  assert.deepEqual(health.of('first'), { recentCalls: 0, recentErrors: 0, lastSuccessAt: null, lastError: null })
})

test('calls and failures are counted per provider, with the last of each', () => {
  const { health, clock } = world('first', 'second')
  health.succeeded(entry('first'))
  clock.now += 5
  health.failed(entry('first', 'model-2'), overloaded, 'chatcmpl_1')
  health.succeeded(entry('second'))
  assert.deepEqual(health.of('first'), {
    recentCalls: 2,
    recentErrors: 1,
    lastSuccessAt: clock.now - 5,
    lastError: {
      at: clock.now,
      model: 'model-2',
      code: 'provider_overloaded',
      status: 529,
      message: 'Overloaded',
      requestId: 'chatcmpl_1',
    },
  })
  assert.equal(health.of('second').recentErrors, 0)
})

test("a caller's mistake is a call, but no failure and no success of the provider", () => {
  const { health } = world('first')
  for (const code of ['invalid_request', 'content_filtered', 'context_length_exceeded'] as const) {
    health.failed(entry('first'), failure(code, 'what the caller wrote', 400), 'chatcmpl_1')
  }
  assert.deepEqual(health.of('first'), { recentCalls: 3, recentErrors: 0, lastSuccessAt: null, lastError: null })
})

test('after five minutes calls are no longer recent; the last failure stays', () => {
  const { health, clock } = world('first')
  health.failed(entry('first'), overloaded, 'chatcmpl_1')
  clock.now += 4 * MINUTE
  health.succeeded(entry('first'))
  assert.deepEqual([health.of('first').recentCalls, health.of('first').recentErrors], [2, 1])
  clock.now += MINUTE
  assert.deepEqual([health.of('first').recentCalls, health.of('first').recentErrors], [1, 0])
  clock.now += 60 * MINUTE
  const { recentCalls, lastError, lastSuccessAt } = health.of('first')
  assert.deepEqual([recentCalls, lastError?.code, lastSuccessAt !== null], [0, 'provider_overloaded', true])
})

test('a steady stream counts five minutes of it, however long it lasts', () => {
  const { health, clock } = world('first')
  for (let second = 0; second < 3_600; second++) {
    health.succeeded(entry('first'))
    clock.now += 1_000
  }
  const { recentCalls } = health.of('first')
  assert.ok(recentCalls >= 290 && recentCalls <= 300, String(recentCalls))
})

test('a deleted provider is dropped when a new one appears', () => {
  const { health, known } = world('first')
  health.succeeded(entry('first'))
  known.delete('first')
  health.succeeded(entry('second'))
  known.set('first', { name: 'first' } as Provider)
  assert.equal(health.of('first').lastSuccessAt, null)
})

test('a long model name is cut', () => {
  const { health } = world('first')
  health.failed(entry('first', 'm'.repeat(100_000)), overloaded, 'chatcmpl_1')
  assert.equal(health.of('first').lastError?.model.length, 200)
})
