import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diag } from '@opentelemetry/api'
import { globalErrorHandler } from '@opentelemetry/core'
import type { Log } from '../log.ts'
import { logComplaints } from './complaints.ts'

test('what cannot be sent is said once a minute, by its code alone', () => {
  let now = 0
  const said: unknown[] = []
  const log = { warn: (words: unknown) => void said.push(words) } as unknown as Log
  logComplaints(log, () => now)
  globalErrorHandler(Object.assign(new Error('a body with a secret'), { code: 503 }))
  globalErrorHandler(new Error('again'))
  diag.warn('Dropped 3 spans because maxQueueSize reached')
  now = 59_999
  globalErrorHandler(new Error('again'))
  now = 60_000
  globalErrorHandler(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))
  assert.deepEqual(said, [
    { reason: 'status 503', unsaid: 0 },
    { reason: 'ECONNREFUSED', unsaid: 3 },
  ])
})
