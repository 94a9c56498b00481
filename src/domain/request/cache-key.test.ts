import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promptCacheKey } from './cache-key.ts'

const [one, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
const key = (workspace: string, session: string, keys = [one]) => promptCacheKey(keys, { workspace, session })

test('a session has the same key on every gateway, and no other session has it', () => {
  assert.match(key('a', 'nightly') ?? '', /^[0-9a-f]{32}$/)
  assert.equal(key('a', 'nightly', [one, other]), key('a', 'nightly'))
  const all = [
    key('a', 'nightly'),
    key('b', 'nightly'),
    key('a', 'daily'),
    key('a","n', 'ightly'),
    key('a', 'nightly', [other]),
  ]
  assert.equal(new Set(all).size, all.length)
  assert.equal(key('a', 'nightly', []), null)
})
