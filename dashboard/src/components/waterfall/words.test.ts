import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type WaterfallAttempt, waterfallOf } from './geometry.ts'
import { storyOf } from './words.ts'

const served: WaterfallAttempt = {
  kind: 'called',
  provider: 'south',
  model: 'small',
  started_after_ms: 0,
  duration_ms: 1,
  status: 200,
  code: null,
  upstream_request_id: null,
  provider_code: null,
  reason: 'served',
}
const overloaded: WaterfallAttempt = { ...served, provider: 'north', status: 503, code: 'provider_overloaded' }

function stories(...attempts: WaterfallAttempt[]): string[] {
  const { lanes } = waterfallOf(attempts, 10)
  return lanes.map((lane, index) => storyOf(lane, lanes[index + 1]))
}

test('a retry, a fallback and the entry that served tell why the next step was taken', () => {
  assert.deepEqual(
    stories(
      { ...overloaded, reason: 'provider_overloaded: asked again after 512 ms' },
      { ...overloaded, reason: 'provider_overloaded: this entry cannot serve the call now' },
      served,
    ),
    [
      'Asked again after 512 ms.',
      'This entry cannot serve the call now, so the next entry was tried.',
      'Served the call.',
    ],
  )
})

test('an entry passed over says why it was not called', () => {
  assert.deepEqual(
    stories({ ...served, kind: 'skipped', status: null, reason: 'skipped: its circuit is open' }, served),
    ['Not called: its circuit is open.', 'Served the call.'],
  )
})

test('the last failure says that nothing came after it', () => {
  assert.deepEqual(
    stories({
      ...served,
      status: 400,
      code: 'invalid_request',
      reason: 'invalid_request: every provider would reject this',
    }),
    ['Every provider would reject this, so no fallback was tried.'],
  )
})

test('a caller who hung up is told, a missing reason is not an empty sentence', () => {
  assert.deepEqual(
    stories({ ...overloaded, reason: '' }, { ...served, status: null, code: 'caller_left', reason: 'the caller left' }),
    ['It failed, so the next entry was tried.', 'The caller disconnected before it finished.'],
  )
})
