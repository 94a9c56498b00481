import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { contentAttributes } from './content.ts'

const text = (content: string) => ({ type: 'text', content })
const read = (content: Parameters<typeof contentAttributes>[0]) =>
  Object.fromEntries(Object.entries(contentAttributes(content)).map(([name, json]) => [name, JSON.parse(json)]))

const CASES: [name: string, request: object, answer: object, attributes: object][] = [
  [
    'chat completions',
    {
      messages: [
        { role: 'system', content: 'be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi' },
            { type: 'image_url', image_url: { url: 'data:x' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '{"a":1}' } }] },
        { role: 'tool', tool_call_id: 'c1', content: '42' },
      ],
    },
    { choices: [{ message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }] },
    {
      'gen_ai.input.messages': [
        { role: 'system', parts: [text('be brief')] },
        { role: 'user', parts: [text('hi'), { type: 'image_url' }] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'f', arguments: '{"a":1}' }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: '42' }] },
      ],
      'gen_ai.output.messages': [{ role: 'assistant', finish_reason: 'stop', parts: [text('hello')] }],
    },
  ],
  [
    'messages',
    {
      system: 'be brief',
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: '42' }] },
      ],
    },
    {
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'hello' },
      ],
      stop_reason: 'end_turn',
    },
    {
      'gen_ai.system_instructions': [text('be brief')],
      'gen_ai.input.messages': [
        { role: 'user', parts: [text('hi')] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 't1', name: 'f', arguments: '{"a":1}' }] },
        { role: 'user', parts: [{ type: 'tool_call_response', id: 't1', response: '42' }] },
      ],
      'gen_ai.output.messages': [
        { role: 'assistant', finish_reason: 'end_turn', parts: [{ type: 'reasoning', content: 'hm' }, text('hello')] },
      ],
    },
  ],
  [
    'responses',
    {
      instructions: 'be brief',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: '42' },
      ],
    },
    { output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hello' }] }] },
    {
      'gen_ai.system_instructions': [text('be brief')],
      'gen_ai.input.messages': [
        { role: 'user', parts: [text('hi')] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'f', arguments: '{}' }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: '42' }] },
      ],
      'gen_ai.output.messages': [{ role: 'assistant', finish_reason: 'stop', parts: [text('hello')] }],
    },
  ],
  [
    "Gemini's format",
    {
      systemInstruction: { parts: [{ text: 'be brief' }] },
      contents: [
        { role: 'user', parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: 'x' } }] },
        { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'f', args: { a: 1 } } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'f', response: { is: 42 } } }] },
      ],
    },
    {
      candidates: [
        { content: { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'hello' }] }, finishReason: 'STOP' },
      ],
    },
    {
      'gen_ai.system_instructions': [text('be brief')],
      'gen_ai.input.messages': [
        { role: 'user', parts: [text('hi'), { type: 'inlineData' }] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'f', arguments: '{"a":1}' }] },
        { role: 'user', parts: [{ type: 'tool_call_response', id: 'c1', response: '{"is":42}' }] },
      ],
      'gen_ai.output.messages': [
        { role: 'assistant', finish_reason: 'STOP', parts: [{ type: 'reasoning', content: 'hm' }, text('hello')] },
      ],
    },
  ],
  [
    'what stands beside the text: reasoning, refusals, tools of other kinds',
    {
      input: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
        { type: 'custom_tool_call', call_id: 'c1', name: 'f', input: 'a' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: 'b' },
      ],
    },
    { choices: [{ message: { role: 'assistant', content: null, reasoning_content: 'hm', refusal: 'no' } }] },
    {
      'gen_ai.input.messages': [
        { role: 'assistant', parts: [{ type: 'reasoning', content: 'hm' }] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'f', arguments: 'a' }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'b' }] },
      ],
      'gen_ai.output.messages': [
        {
          role: 'assistant',
          finish_reason: 'stop',
          parts: [
            { type: 'reasoning', content: 'hm' },
            { type: 'refusal', content: 'no' },
          ],
        },
      ],
    },
  ],
  [
    'text completions',
    { prompt: ['a', 'b'] },
    { choices: [{ text: 'c', finish_reason: 'stop' }] },
    {
      'gen_ai.input.messages': [
        { role: 'user', parts: [text('a')] },
        { role: 'user', parts: [text('b')] },
      ],
      'gen_ai.output.messages': [{ role: 'assistant', finish_reason: 'stop', parts: [text('c')] }],
    },
  ],
  ['a plain text', { input: 'hi' }, {}, { 'gen_ai.input.messages': [{ role: 'user', parts: [text('hi')] }] }],
]

describe('what was asked and answered, by the conventions', () => {
  for (const [name, request, answer, attributes] of CASES) {
    test(name, () => assert.deepEqual(read({ request, answer }), attributes))
  }

  test('nothing is known of a large body', () => {
    assert.deepEqual(contentAttributes({ request: null, answer: null }), {})
  })
})

test('it is bounded: of a conversation the newest messages, of a text its beginning', () => {
  const messages = Array.from({ length: 100 }, (_, at) => ({ role: 'user', content: `${at} $& ${'"'.repeat(5_000)}` }))
  const { 'gen_ai.input.messages': json = '' } = contentAttributes({ request: { messages }, answer: null })
  assert.ok(json.length < 20_000, `${json.length}`)
  const kept = JSON.parse(json)
  assert.match(kept.at(-1).parts[0].content, /^99 \$& "+…$/)
  assert.ok(kept.length < 100)
  const many = { messages: [{ role: 'user', content: Array(500).fill({ type: 'text', text: 'x'.repeat(1_000) }) }] }
  const { 'gen_ai.input.messages': one = '' } = contentAttributes({ request: many, answer: null })
  assert.ok(JSON.parse(one)[0].parts.length > 5 && one.length < 20_000, `${one.length}`)
})
