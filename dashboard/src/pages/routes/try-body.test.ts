import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerText, tryBody } from './try-body.ts'

test('a try is a small chat request to the alias; more fields may say anything but the model', () => {
  const messages = [{ role: 'user', content: 'Hello' }]
  assert.deepEqual(tryBody('fast', 'Hello', ' ').body, { model: 'fast', messages })
  assert.deepEqual(tryBody('fast', 'Hello', '{"n": 1, "model": "other"}').body, { model: 'fast', messages, n: 1 })
})

test('fields that are no JSON object are told, not sent', () => {
  for (const more of ['{', '[1]', 'null', '"x"', '1'])
    assert.match(tryBody('fast', 'Hello', more).problem ?? '', /JSON/)
})

test('of an answer the text is shown, or the calls of tools, or the error', () => {
  const answer = (message: unknown) => answerText({ choices: [{ message }] })
  assert.deepEqual(answer({ content: 'Hi' }), { text: 'Hi', code: null })
  assert.match(answer({ content: null, tool_calls: [{ id: 'a' }] }).text, /"id": "a"/)
  assert.deepEqual(answerText({ error: { code: 'timeout', message: 'Too slow.' } }), {
    text: 'Too slow.',
    code: 'timeout',
  })
  assert.deepEqual(answerText(null), { text: '', code: null })
})
