import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outlineOf } from './outline.ts'

test('of a request with very many fields only the first ones are looked at, and its model', () => {
  const request: Record<string, unknown> = {}
  let looks = 0
  const get = () => {
    looks += 1
    return true
  }
  for (let field = 0; field < 10_000; field++) Object.defineProperty(request, `f${field}`, { enumerable: true, get })
  request['model'] = 'm'
  const outline = outlineOf(request)
  assert.deepEqual([Object.keys(outline).length, outline['model'], looks], [201, 'm', 200])
})
