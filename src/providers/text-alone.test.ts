import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StreamPart, StreamReader } from '../domain/request/stream.ts'
import { TextAlone, withText } from './text-alone.ts'

function alone(parts: StreamPart[]) {
  const reader: StreamReader = { read: () => parts, end: () => [], usage: null, hiddenBytes: 1, isFinished: true }
  const made = new TextAlone(reader)
  return { made, parts: made.read({ event: null, data: '' }) }
}
const end = (finishReason: string): StreamPart => ({ type: 'message-end', finishReason, warning: null })
const text = (of: string): StreamPart => ({ type: 'text-delta', text: of })
const thought: StreamPart = { type: 'reasoning-delta', text: 'hmm' }

describe('a stream of which only the text is of use', () => {
  test('passes its text and its end, and counts the rest', () => {
    const { made, parts } = alone([thought, text('a'), text(' '), text('b'), end('length')])
    assert.deepEqual(parts, [text('a'), text(' '), text('b'), end('length')])
    assert.deepEqual([made.hiddenBytes, made.isFinished], [4, true])
  })

  test('keeps back blanks until words follow: another entry may still be asked', () => {
    assert.deepEqual(alone([text('\n'), text(' ')]).parts, [])
    assert.deepEqual(alone([text('\n'), text('x')]).parts, [text('\nx')])
  })

  for (const [what, parts, code] of [
    ['without a word', [thought, text(' \n'), end('stop')], 'upstream_error'],
    ['that refuses', [{ type: 'refusal-delta', text: 'no' }, end('stop')], 'upstream_error'],
    ['that a filter cut off', [text('a'), end('content_filter')], 'content_filtered'],
  ] as const) {
    test(`one ${what} has failed`, () => {
      const last = alone([...parts]).parts.at(-1)
      assert.equal(last?.type === 'failed' ? last.failure.code : null, code)
    })
  }
})

describe('a whole answer of which only the text is of use', () => {
  const read = (content: unknown, finishReason = 'stop') =>
    withText({
      kind: 'answer',
      answer: { body: { choices: [{ message: { content } }] }, usage: null, finishReason, warning: null },
    }).kind

  for (const [content, finish, kind] of [
    ['words', 'stop', 'answer'],
    ['words', 'length', 'answer'],
    [[{ type: 'text', text: 'words' }], 'stop', 'answer'],
    ['words', 'content_filter', 'failure'],
    [' \n', 'stop', 'failure'],
    [null, 'stop', 'failure'],
    [[], 'stop', 'failure'],
  ] as const) {
    test(`${JSON.stringify(content)}, ended by ${finish}, is ${kind}`, () => assert.equal(read(content, finish), kind))
  }
})
