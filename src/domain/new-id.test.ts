import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId, timeOfId } from './new-id.ts'

test('an id contains its time, whatever its prefix', () => {
  for (const time of [0, 1_700_000_000_000, Date.now(), 32 ** 10 - 1]) {
    assert.equal(timeOfId(newId(time)), time)
    assert.equal(timeOfId(`chatcmpl_${newId(time)}`), time)
  }
})

test('a foreign id has no time', () => {
  for (const id of ['', 'chatcmpl_1', 'x'.repeat(25), `chatcmpl_${'!'.repeat(26)}`]) assert.equal(timeOfId(id), null)
})
