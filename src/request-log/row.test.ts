import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeRecord, openRecord } from '../../test/test-store.ts'
import { closedRow, openRow, REQUEST_COLUMNS } from './row.ts'

test('rows are built in the order of the columns, by which their values are written', () => {
  assert.deepEqual(Object.keys(openRow(openRecord('call-1'), 'node')), REQUEST_COLUMNS)
  assert.deepEqual(Object.keys(closedRow({ ...closeRecord('call-1'), attempts: '[]' }, 'node')), REQUEST_COLUMNS)
})
