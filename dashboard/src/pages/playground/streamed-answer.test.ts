import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAnswer } from './draft.ts'
import { NOTHING_STREAMED, splitEvents, withEvent } from './streamed-answer.ts'

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const delta = (fields: object, reason: string | null = null) =>
  event({ choices: [{ index: 0, delta: fields, finish_reason: reason }] })

test('text, tool calls, usage and cost of a stream, however it is cut into pieces', () => {
  const whole = [
    delta({ role: 'assistant', content: '' }),
    ': keep-alive\n',
    delta({ content: 'Hi' }),
    delta({ content: ' there' }),
    delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '' } }] }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
    delta({}, 'tool_calls'),
    event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 }, x_gateway: { cost_usd: '0.000001' } }),
    'data: [DONE]\n\n',
  ].join('')
  for (const size of [1, 7, whole.length]) {
    let rest = ''
    let body = NOTHING_STREAMED
    for (let at = 0; at < whole.length; at += size) {
      const split = splitEvents(rest + whole.slice(at, at + size))
      rest = split.rest
      body = split.events.reduce(withEvent, body)
    }
    assert.deepEqual(readAnswer(body), {
      text: 'Hi there',
      finishReason: 'tool_calls',
      toolCalls: [{ name: 'f', arguments: '{}' }],
      usage: { prompt: 3, completion: 4 },
      error: null,
    })
    assert.deepEqual(body.x_gateway, { cost_usd: '0.000001' })
  }
})

test('a cut stream keeps its text and shows why', () => {
  const { events } = splitEvents(
    delta({ content: 'Hi' }) + event({ error: { code: 'upstream_error', message: 'cut' } }),
  )
  const { text, error } = readAnswer(events.reduce(withEvent, NOTHING_STREAMED))
  assert.deepEqual([text, error?.code], ['Hi', 'upstream_error'])
})
