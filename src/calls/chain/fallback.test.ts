import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  afterAbandoned,
  afterFailure,
  afterStart,
  afterSuccess,
  type Circuit,
  circuitState,
  FAILURES_TO_OPEN,
  isSkipped,
  NEW_CIRCUIT,
  OPEN_MS,
} from '../../domain/circuit.ts'
import { type FailureCode, failure } from '../../domain/failure.ts'
import { retryAfterMs, wholeSeconds } from '../../domain/retry-after.ts'
import { isLargerWindow, nextStep } from './fallback.ts'

const fresh = { retriesUsed: 0, retriesAllowed: 2, random: 0 }

describe('the usual step after a failure', () => {
  const table: [FailureCode, 'retry' | 'next-entry' | 'give-up'][] = [
    ['invalid_request', 'give-up'],
    ['unsupported_parameter', 'give-up'],
    ['content_filtered', 'give-up'],
    ['request_too_large', 'give-up'],
    ['context_length_exceeded', 'next-entry'],
    ['model_not_found', 'next-entry'],
    ['provider_auth_error', 'next-entry'],
    ['provider_quota_exceeded', 'next-entry'],
    ['upstream_timeout', 'next-entry'],
    ['rate_limited', 'retry'],
    ['provider_overloaded', 'retry'],
    ['upstream_error', 'retry'],
  ]
  for (const [code, step] of table) {
    test(`${code} → ${step}`, () => assert.equal(nextStep(failure(code, '', 500), fresh).kind, step))
  }
})

describe('retries', () => {
  test('stop at the bound', () => {
    const step = nextStep(failure('upstream_error', '', 500), { ...fresh, retriesUsed: 2 })
    assert.equal(step.kind, 'next-entry')
  })
  test('are off with retries: 0', () => {
    assert.equal(nextStep(failure('upstream_error', '', 500), { ...fresh, retriesAllowed: 0 }).kind, 'next-entry')
  })
  test('happen once where the table says once', () => {
    const failed = failure('upstream_error', '', 200, { retry: 'once' })
    assert.equal(nextStep(failed, fresh).kind, 'retry')
    assert.equal(nextStep(failed, { ...fresh, retriesUsed: 1 }).kind, 'next-entry')
  })
  test('with a new token come at once and beside the others', () => {
    const failed = failure('provider_auth_error', '', 401)
    const exhausted = { ...fresh, retriesAllowed: 0, hasNewToken: true }
    assert.partialDeepStrictEqual(nextStep(failed, exhausted), { kind: 'retry', waitMs: 0 })
    assert.equal(nextStep(failed, fresh).kind, 'next-entry', 'a key stays the same')
  })
  test('obey x-should-retry: false', () => {
    const failed = { ...failure('upstream_error', '', 500), shouldRetry: false }
    assert.equal(nextStep(failed, fresh).kind, 'next-entry')
  })
  test('obey x-should-retry: true where the table says no', () => {
    const failed = { ...failure('model_not_found', '', 404), shouldRetry: true }
    assert.equal(nextStep(failed, fresh).kind, 'retry')
  })
  test('never happen when the account is out of credit, whatever x-should-retry says', () => {
    const failed = { ...failure('provider_quota_exceeded', '', 429), shouldRetry: true }
    assert.equal(nextStep(failed, fresh).kind, 'next-entry')
  })
  test('wait as long as the provider requests, up to five seconds', () => {
    const limited = (retryAfter: number) => ({ ...failure('rate_limited', '', 429), retryAfterMs: retryAfter })
    assert.deepEqual(
      [limited(1200), limited(5000)]
        .map((failed) => nextStep(failed, fresh))
        .map((step) => 'waitMs' in step && step.waitMs),
      [1200, 5000],
    )
    assert.equal(nextStep(limited(5001), fresh).kind, 'next-entry')
  })
  test('back off 0.5 s, doubling, minus up to a quarter', () => {
    const waits = [0, 1, 2].map((retriesUsed) => {
      const step = nextStep(failure('upstream_error', '', 500), { retriesUsed, retriesAllowed: 9, random: 0 })
      return 'waitMs' in step ? step.waitMs : null
    })
    assert.deepEqual(waits, [500, 1000, 2000])
    const jittered = nextStep(failure('upstream_error', '', 500), { ...fresh, random: 0.999 })
    assert.equal('waitMs' in jittered && jittered.waitMs, 375)
  })
})

test('an unknown window is never larger', () => {
  assert.equal(isLargerWindow(200, 100), true)
  assert.equal(isLargerWindow(100, 100), false)
  assert.equal(isLargerWindow(null, 100), false)
  assert.equal(isLargerWindow(200, null), false)
})

describe('retry-after', () => {
  const now = Date.parse('2026-11-15T00:00:00Z')
  const table: [Parameters<typeof retryAfterMs>[0], number | null][] = [
    [{}, null],
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0.25' }, 250],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9000],
    [{ 'retry-after': 'Sun, 15 Nov 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sat, 14 Nov 2026 00:00:30 GMT' }, 0],
    [{ 'retry-after': 'whenever' }, null],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': '' }, null],
  ]
  for (const [headers, expected] of table) {
    test(`${JSON.stringify(headers)} → ${expected}`, () => assert.equal(retryAfterMs(headers, now), expected))
  }

  test('is sent in whole seconds, and never above the maximum that clients obey', () => {
    assert.deepEqual([0, 1, 59_001, 60_001, 61_000, 3_600_000].map(wholeSeconds), [0, 1, 60, 60, 60, 60])
  })
})

describe('a circuit', () => {
  const broken = failure('upstream_error', '', 500)
  const afterFailures = (count: number, now: number) => {
    let circuit: Circuit = NEW_CIRCUIT
    for (let index = 0; index < count; index++) circuit = afterFailure(circuit, broken, now)
    return circuit
  }

  test('opens after five failures in a row, not before', () => {
    assert.equal(isSkipped(afterFailures(FAILURES_TO_OPEN - 1, 1000), 1000), false)
    assert.equal(isSkipped(afterFailures(FAILURES_TO_OPEN, 1000), 1000), true)
  })
  test('allows exactly one trial call after its open time', () => {
    const later = 1000 + OPEN_MS
    const open = afterFailures(FAILURES_TO_OPEN, 1000)
    assert.equal(circuitState(open, later), 'half-open')
    assert.equal(isSkipped(open, later), false)
    const trying = afterStart(open, later)
    assert.equal(isSkipped(trying, later), true)
    assert.equal(isSkipped(afterSuccess(trying, later), later), false)
    assert.equal(isSkipped(afterFailure(trying, broken, later), later + OPEN_MS - 1), true)
    assert.equal(isSkipped(afterAbandoned(trying), later), false)
  })
  test('a success in between resets the count', () => {
    let circuit: Circuit = afterFailures(FAILURES_TO_OPEN - 1, 0)
    circuit = afterSuccess(circuit, 0)
    assert.equal(isSkipped(afterFailure(circuit, broken, 0), 0), false)
  })
  test('a 429 with retry-after skips the entry that long, at once', () => {
    const limited = { ...failure('rate_limited', '', 429), retryAfterMs: 20_000 }
    const circuit = afterFailure(NEW_CIRCUIT, limited, 1000)
    assert.equal(isSkipped(circuit, 20_999), true)
    assert.equal(isSkipped(circuit, 21_000), false)
  })
  test('a second 429 after a cool-down asks for no more than the provider did', () => {
    const limited = { ...failure('rate_limited', '', 429), retryAfterMs: 100 }
    const twice = afterFailure(afterFailure(NEW_CIRCUIT, limited, 1000), limited, 1100)
    assert.equal(isSkipped(twice, 1199), true)
    assert.equal(isSkipped(twice, 1200), false)
    const thenBroken = afterFailure(afterStart(twice, 1200), broken, 1200)
    assert.equal(circuitState(thenBroken, 1200), 'closed')
  })
  test('an answer to a call that began earlier does not cut short the wait', () => {
    const limited = { ...failure('rate_limited', '', 429), retryAfterMs: 20_000 }
    const circuit = afterSuccess(afterFailure(NEW_CIRCUIT, limited, 1000), 2000)
    assert.equal(isSkipped(circuit, 20_999), true)
    assert.equal(isSkipped(circuit, 21_000), false)
  })
  test('an answer while it is open after five failures closes it', () => {
    assert.deepEqual(afterSuccess(afterFailures(FAILURES_TO_OPEN, 1000), 2000), NEW_CIRCUIT)
  })
  test("a caller's mistake counts as a sign of life", () => {
    const circuit = afterFailure(afterFailures(4, 0), failure('invalid_request', '', 400), 0)
    assert.deepEqual(circuit, NEW_CIRCUIT)
  })
})
