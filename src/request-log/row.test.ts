import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeRecord, openRecord } from '../../test/test-store.ts'
import { NO_USAGE } from '../domain/pricing/usage.ts'
import { BLANK_RECORD } from './record.ts'
import { closedRow, openRow, REQUEST_COLUMNS, usageOf } from './row.ts'
import { closeLine, openLine, readClose, readOpen } from './spool/record-lines.ts'

const opened = (change = {}) => openRow(readOpen(openLine(openRecord('call-1', change))), 'node')
const closed = (change = {}) => closedRow(readClose(closeLine(closeRecord('call-1', change))), 'node')

test('a row has every value under the name of its column, and changes with it', () => {
  for (const row of [opened(), closed()]) {
    row.started_at += 1
    assert.deepEqual(
      row.values,
      REQUEST_COLUMNS.map((column) => row[column]),
    )
  }
})

test('an open row holds what is known of the call, and nothing of its end', () => {
  const { id, workspace, keyId, route, requestedModel, startedAt } = openRecord('call-1')
  const blank = closedRow(readClose(closeLine({ ...BLANK_RECORD, id, workspace, keyId })), 'node')
  const known = {
    route,
    requested_model: requestedModel,
    started_at: startedAt,
    state: 'open' as const,
    finished_at: null,
  }
  assert.deepEqual(opened(), Object.assign(blank, known))
})

test('a closed row has the tokens of every class, and gives the usage back', () => {
  const usage = {
    ...NO_USAGE,
    input: 11,
    cachedInput: 12,
    cacheWrite5m: 13,
    cacheWrite1h: 14,
    output: 15,
    reasoning: 16,
  }
  const row = closed({ usage: { ...usage, pricePercent: 110 } })
  assert.equal(row.prompt_tokens, 11 + 12 + 13 + 14)
  assert.equal(row.completion_tokens, 15)
  assert.deepEqual(usageOf(row), { ...usage, pricePercent: 110 })
  assert.deepEqual([closed().prompt_tokens, usageOf(closed())], [null, null])
})

test('whatever a record holds, its row can be stored on both engines', () => {
  const usage = { ...NO_USAGE, input: 1.5, output: 2 ** 60, cachedInput: Number.MAX_SAFE_INTEGER }
  const row = closed({ usage, requestedModel: 'a\0b', holdPicodollars: '9'.repeat(30), upstreamMs: 0.4 })
  assert.equal(row.requested_model, 'a\ufffdb')
  assert.equal(row.hold_picodollars, 2n ** 63n - 1n)
  const { input_tokens, completion_tokens, prompt_tokens, upstream_ms } = row
  assert.deepEqual([input_tokens, completion_tokens, prompt_tokens, upstream_ms], [2, MOST, MOST, 0])
})

const MOST = Number.MAX_SAFE_INTEGER
