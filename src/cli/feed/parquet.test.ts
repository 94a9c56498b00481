import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parquetOf } from './parquet.ts'

test('a column of a newer gateway is refused by name, not left out', () => {
  const line = (row: object) => ({ id: 'a', cursor: '1.1', text: JSON.stringify({ id: 'a', cursor: '1.1', ...row }) })
  assert.throws(() => parquetOf([line({}), line({ tax_usd: '1' })]), /newer than this command.*'tax_usd'/)
  assert.equal(
    Buffer.from(parquetOf([line({})]))
      .subarray(0, 4)
      .toString(),
    'PAR1',
  )
})
