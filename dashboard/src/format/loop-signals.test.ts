import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOOP_SIGNALS } from '../../../src/domain/loops/signals.ts'
import { LOOP_WORDS, loopText } from './loop-signals.ts'

test('every signal has words', () => assert.deepEqual(Object.keys(LOOP_WORDS), [...LOOP_SIGNALS]))

test('several signals are one sentence, and one of a later version is named as it is', () => {
  assert.equal(loopText('same_tool_call'), 'Same tool call repeated')
  assert.equal(loopText('same_tool_call,calls_a_minute'), 'Same tool call repeated, many calls a minute')
  assert.equal(loopText('fan_out'), 'fan_out')
})
