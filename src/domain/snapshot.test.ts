import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming } from './snapshot.ts'

test('whether a workspace streams: its own word, else the default', () => {
  const workspace = (streaming: boolean | null) => ({
    name: 'w',
    createdAt: 1,
    limits: null,
    streaming,
    routes: new Map(),
  })
  assert.deepEqual(
    [true, false, null].map((word) => isStreaming(workspace(word), false)),
    [true, false, false],
  )
  assert.deepEqual(
    [true, false, null].map((word) => isStreaming(workspace(word), true)),
    [true, false, true],
  )
  assert.deepEqual([isStreaming(undefined, true), isStreaming(undefined, false)], [true, false])
})
