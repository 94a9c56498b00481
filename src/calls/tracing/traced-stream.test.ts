import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TracedStream } from './traced-stream.ts'

const frame = (event: object) => `data: ${JSON.stringify(event)}\n\n`
const chunk = (delta: object) => frame({ choices: [{ index: 0, delta }] })
const messageOf = (stream: TracedStream, rest = ''): { content: string; tool_calls?: object[] } =>
  (stream.answer(rest) as { choices: { message: never }[] }).choices[0]?.message as never

describe('of a stream', () => {
  test('each text is kept to its bound, however long one before it was', () => {
    const stream = new TracedStream('chat')
    for (let place = 0; place < 20_000; place++) stream.recordFrames(chunk({ reasoning_content: 'word ' }))
    for (let place = 0; place < 20_000; place++) stream.recordFrames(chunk({ content: 'said ' }))
    const { content, ...rest } = messageOf(stream)
    assert.ok(content.startsWith('said said') && content.length < 4_200, `${content.length}`)
    assert.ok(JSON.stringify(rest).length < 4_300)
  })

  test('of more parts than a trace could hold the first ones are kept', () => {
    const stream = new TracedStream('chat')
    for (let index = 0; index < 50_000; index++) {
      const call = { index, id: `call_${index}`, function: { name: 'f', arguments: '{"a":1}' } }
      stream.recordFrames(chunk({ tool_calls: [call] }))
    }
    const kept = messageOf(stream).tool_calls?.length ?? 0
    assert.ok(kept > 500 && kept < 3_000, `${kept}`)
  })

  test('an event as large as a large body is left out', () => {
    const stream = new TracedStream('chat')
    stream.recordFrames(chunk({ content: 'a' }) + chunk({ content: 'x'.repeat(200_000) }) + chunk({ content: 'b' }))
    assert.equal(messageOf(stream).content, 'ab')
  })

  test('the end may repeat the whole answer, and counts where it is no large body', () => {
    const said = (text: string) => ({
      type: 'response.completed',
      response: { status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text }] }] },
    })
    const delta = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'be' }
    const cut = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'be' }] }
    const answered = (rest: string) => {
      const stream = new TracedStream('responses')
      stream.recordFrames(frame(delta))
      return stream.answer(rest)?.['output']
    }
    assert.deepEqual(answered(frame(said('better'))), said('better').response.output)
    assert.deepEqual(answered(frame(said('x'.repeat(200_000)))), [cut])
    assert.deepEqual(answered(''), [cut])
  })

  test('that sent nothing but keep-alives there is no answer', () => {
    const stream = new TracedStream('chat')
    stream.recordFrames(': keep-alive\n\n')
    assert.equal(stream.answer(''), null)
  })
})
