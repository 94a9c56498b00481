import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutListed } from './without-listed.ts'

const cases: [body: string, expected: string | null][] = [
  ['{"a":1,"list":["x","y"],"b":{"list":["x"]}}', '{"a":1,"list":["y"],"b":{"list":["x"]}}'],
  ['{"a":1,"list":["x"],"b":2}', '{"a":1,"b":2}'],
  ['{ "list" : [ "x" ] , "b":2}', '{ "b":2}'],
  ['{"a":"é , ","list":["x"]}', '{"a":"é , "}'],
  ['{"a":{"list":["x"]}}', null],
]
for (const [body, expected] of cases) {
  test(body, () => {
    const left = withoutListed(Buffer.from(body), { kind: 'without', field: 'list', values: ['x'] })
    assert.deepEqual(left === null ? null : JSON.parse(Buffer.from(left).toString()), expected && JSON.parse(expected))
  })
}
