import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStreaming, streamingText } from './snapshot.ts'

test('whether a workspace streams: its own word, else the default', () => {
  const workspace = (streaming: boolean | null) => ({
    name: 'w',
    createdAt: 1,
    limits: null,
    streaming,
    content: null,
    guardrail: null,
    hasDirectModels: true,
    resale: null,
    loops: null,
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

test('where calls may stream, in words', () => {
  assert.equal(streamingText([['default', null]], false), 'off by default')
  const words = [
    ['live', true],
    ['batch', false],
    ['agents', true],
    ['team', null],
  ] as const
  assert.equal(streamingText(words, true), 'on by default; on in agents, live; off in batch')
  const many = Array.from({ length: 23 }, (_, index) => [`w${index + 10}`, true] as const)
  assert.match(streamingText(many, false), /^off by default; on in w10, .*w29, 3 more$/)
})
