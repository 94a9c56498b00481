import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  adjustmentText,
  durationOf,
  endingOf,
  figureTexts,
  type LoggedRequest,
  reasonText,
  withoutReason,
} from './request-words.ts'

const served: LoggedRequest = {
  state: 'closed',
  started_at: '2026-11-15T06:00:00.000Z',
  finished_at: '2026-11-15T06:00:01.250Z',
  status: 200,
  code: null,
  fallback: false,
  attempt_count: 1,
  ended: null,
  events_sent: 0,
}

describe('how long the caller waited', () => {
  test('from the start to the end', () => assert.equal(durationOf(served), 1250))
  test('is not known while it runs', () => assert.equal(durationOf({ ...served, finished_at: null }), null))
  test('is not known of a call whose process died: its end is only the next start', () =>
    assert.equal(durationOf({ ...served, code: 'interrupted' }), null))
})

describe('what happened, in words', () => {
  for (const [fields, title, tone] of [
    [{}, 'Served', 'good'],
    [{ fallback: true, attempt_count: 2 }, 'Served by a fallback', 'good'],
    [{ state: 'open', status: null }, 'Running', 'calm'],
    [{ status: 0, code: 'interrupted' }, 'Interrupted: the gateway stopped before the call ended', 'bad'],
    [{ status: 499, code: 'caller_left' }, 'The caller hung up before the answer', 'calm'],
    [{ status: 402, code: 'budget_exceeded', attempt_count: 0 }, 'Refused before any provider was called', 'warn'],
    [{ status: 400, code: 'invalid_request' }, 'No entry served it', 'warn'],
    [{ status: 503, code: 'provider_overloaded' }, 'No entry served it', 'bad'],
    [{ ended: 'finished', events_sent: 12 }, 'Served', 'good'],
    [
      { code: 'upstream_error', ended: 'failed_mid_stream', events_sent: 12 },
      'Cut by the provider after 12 events',
      'bad',
    ],
    [
      { status: 499, code: 'caller_left', ended: 'caller_left', events_sent: 1 },
      'The caller left after one event',
      'calm',
    ],
    [
      { status: 0, code: 'interrupted', ended: 'interrupted' },
      'Interrupted: the gateway stopped before the stream ended',
      'bad',
    ],
  ] as const) {
    test(`${title} (${fields.code ?? 'ok'})`, () =>
      assert.deepEqual(endingOf({ ...served, ...fields }), { title, tone }))
  }
})

test('an adjustment says what was sent and why', () => {
  assert.equal(
    adjustmentText({ field: 'max_tokens', value: 800, reason: 'fitted_to_budget' }),
    'max_tokens 800 (fitted to the budget)',
  )
  assert.equal(
    adjustmentText({ field: 'max_completion_tokens', value: null, reason: 'renamed', from: 'max_tokens' }),
    'max_tokens sent as max_completion_tokens (as the provider wants it)',
  )
  assert.equal(
    adjustmentText({ field: 'x-api-key', value: null, reason: 'unused_key' }),
    'x-api-key (not used: the bearer token is another key)',
  )
})

test('the reason is not repeated where the story ends', () => {
  assert.equal(withoutReason("The caller got 402. Too dear. It is about 'x'.", 'Too dear.'), 'The caller got 402.')
  assert.equal(withoutReason('The caller got 200.', null), 'The caller got 200.')
})

test('figures of a refusal are read as amounts and times', () => {
  const { length } = figureTexts({ limit_usd: '5', resets_at: '2026-12-01T00:00:00.000Z', scope: 'key' })
  assert.equal(length, 2)
  assert.deepEqual(figureTexts({ limit_usd: '5', retry_after_seconds: 3 }), [
    { name: 'Budget', value: '$5.00' },
    { name: 'Retry after', value: '3 s' },
  ])
})

test('a reason names the model that was asked for, which the log keeps beside it', () => {
  const reason = "This key may not use the model '…'."
  const named = "This key may not use the model 'smart'."
  assert.equal(reasonText({ reason, requested_model: 'smart', code: 'forbidden' }), named)
  assert.equal(reasonText({ reason, requested_model: 'smart', code: 'invalid_request' }), reason)
  assert.equal(reasonText({ reason, requested_model: null, code: 'forbidden' }), reason)
})
