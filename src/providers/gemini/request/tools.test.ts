import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { contentsOf, fieldsOf, translate, USER, wireOf } from '../../../../test/fixtures/gemini/translate.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import { NO_SIGNATURE } from '../signatures.ts'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tool = (name: string, more: JsonObject = {}) => ({ type: 'function', function: { name, parameters, ...more } })
const TOOLS = [tool('weather', { description: 'Tells it' }), tool('clock', { parameters: {} })]

describe('declarations', () => {
  const declared = [{ name: 'weather', description: 'Tells it', parametersJsonSchema: parameters }, { name: 'clock' }]

  test('are plain JSON schemas', () => {
    assert.deepEqual(fieldsOf({ tools: TOOLS }), { tools: [{ functionDeclarations: declared }] })
  })

  test('are the same of functions', () => {
    const functions = TOOLS.map((each) => each.function)
    assert.deepEqual(fieldsOf({ functions }), { tools: [{ functionDeclarations: declared }] })
  })

  test('strict and serial calls are no settings here', () => {
    const { ignored } = wireOf({ tools: [tool('a', { strict: true })], parallel_tool_calls: false })
    assert.deepEqual(ignored, ['strict', 'parallel_tool_calls'])
    assert.deepEqual(wireOf({ parallel_tool_calls: false }).ignored, [])
  })

  const choices: [choice: unknown, config: JsonObject][] = [
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [
      { type: 'function', function: { name: 'clock' } },
      { mode: 'ANY', allowedFunctionNames: ['clock'] },
    ],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'clock' } }] },
      },
      { mode: 'ANY', allowedFunctionNames: ['clock'] },
    ],
  ]
  for (const [choice, functionCallingConfig] of choices) {
    test(`tool_choice ${JSON.stringify(choice)}`, () => {
      assert.deepEqual(wireOf({ tools: TOOLS, tool_choice: choice }).body['toolConfig'], { functionCallingConfig })
    })
  }

  test('of those that may be called, if one is called at all, the others are left out', () => {
    const allowed_tools = { mode: 'auto', tools: [{ type: 'function', function: { name: 'clock' } }] }
    assert.deepEqual(fieldsOf({ tools: TOOLS, tool_choice: { type: 'allowed_tools', allowed_tools } }), {
      tools: [{ functionDeclarations: [{ name: 'clock' }] }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    })
  })

  const mistakes: [string, JsonObject][] = [
    ['a required tool without tools', { tool_choice: 'required' }],
    ['a tool that is not declared', { tools: TOOLS, tool_choice: { type: 'function', function: { name: 'x' } } }],
    ['two of one name', { tools: [tool('a'), tool('a')] }],
    ['a schema that is none', { tools: [tool('a', { parameters: 5 })] }],
  ]
  for (const [what, fields] of mistakes) test(what, () => assert.equal(translate(fields).kind, 'invalid'))
})

const call = (id: string, name: string, more: JsonObject = {}) => ({
  id,
  type: 'function',
  function: { name, arguments: '{"city":"Ulm"}' },
  ...more,
})
const result = (id: string, content: unknown, more: JsonObject = {}) => ({
  role: 'tool',
  tool_call_id: id,
  content,
  ...more,
})
const extra = (thought_signature: string, made_by?: string) => ({
  extra_content: { google: { thought_signature, ...(made_by === undefined ? {} : { made_by }) } },
})

describe('calls and their results', () => {
  test('results stand in one content, in the order of the calls, before what the user says next', () => {
    const messages = [
      USER,
      { role: 'assistant', content: 'Looking', tool_calls: [call('a', 'weather'), call('b', 'clock')] },
      result('b', '{"time":"noon"}'),
      result('a', 'sunny'),
      { role: 'user', content: 'Well?' },
    ]
    const contents = (idOf: (id: string) => { id?: string }, signed: JsonObject) => [
      { role: 'user', parts: [{ text: 'Hi' }] },
      {
        role: 'model',
        parts: [
          { text: 'Looking' },
          { functionCall: { ...idOf('a'), name: 'weather', args: { city: 'Ulm' } }, ...signed },
          { functionCall: { ...idOf('b'), name: 'clock', args: { city: 'Ulm' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { ...idOf('a'), name: 'weather', response: { result: 'sunny' } } },
          { functionResponse: { ...idOf('b'), name: 'clock', response: { time: 'noon' } } },
          { text: 'Well?' },
        ],
      },
    ]
    const withId = contents((id) => ({ id }), { thoughtSignature: NO_SIGNATURE })
    assert.deepEqual(contentsOf(messages, 'gemini-3.5-flash'), withId)
    assert.deepEqual(
      contentsOf(messages, 'gemini-2.5-flash'),
      contents(() => ({}), {}),
      'older models know no ids',
    )
  })

  const responses: [content: unknown, more: JsonObject, expected: JsonObject][] = [
    ['', {}, { result: '' }],
    ['[1]', {}, { result: '[1]' }],
    ['{"a":', {}, { result: '{"a":' }],
    ['{"id":12345678901234567890}', {}, { result: '{"id":12345678901234567890}' }],
    [
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      {},
      { result: 'ab' },
    ],
    ['broken', { is_error: true }, { error: 'broken' }],
  ]
  for (const [content, more, response] of responses) {
    test(`a result of ${JSON.stringify(content)}`, () => {
      const messages = [USER, { role: 'assistant', tool_calls: [call('a', 'weather')] }, result('a', content, more)]
      const [, , last] = contentsOf(messages) as JsonObject[]
      assert.deepEqual(last, { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'weather', response } }] })
    })
  }

  test('a picture in a result follows it', () => {
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
    const messages = [USER, { role: 'assistant', tool_calls: [call('a', 'weather')] }, result('a', [picture])]
    const [, , last] = contentsOf(messages) as JsonObject[]
    assert.deepEqual(last?.['parts'], [
      { functionResponse: { id: 'a', name: 'weather', response: { result: '' } } },
      { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
    ])
  })

  test('a legacy call is answered by its name', () => {
    const messages = [
      USER,
      { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '' } },
      { role: 'function', name: 'weather', content: 'sunny' },
    ]
    assert.deepEqual(contentsOf(messages, 'gemini-2.5-flash'), [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'weather', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { result: 'sunny' } } }] },
    ])
  })

  test('a call without a result is the caller’s mistake', () => {
    const asked = [USER, { role: 'assistant', tool_calls: [call('a', 'weather'), call('b', 'clock')] }]
    assert.equal(translate({ messages: asked }).kind, 'invalid')
    assert.equal(translate({ messages: [...asked, result('a', 'x')] }).kind, 'invalid')
    assert.equal(translate({ messages: [...asked, result('a', 'x'), { role: 'user', content: 'y' }] }).kind, 'invalid')
  })
})

describe('signatures of thoughts', () => {
  const signaturesOf = (calls: JsonObject[], model: string) => {
    const results = calls.map((each) => result(String(each['id']), 'x'))
    const messages = [USER, { role: 'assistant', tool_calls: calls }, ...results]
    const [, turn] = contentsOf(messages, model) as { parts: JsonObject[] }[]
    return turn?.parts.map((part) => part['thoughtSignature'])
  }
  const GEMINI = 'gemini-3.5-flash'
  const cases: [what: string, calls: JsonObject[], model: string, expected: unknown[]][] = [
    ['come back as they were given', [call('a', 'x', extra('s1')), call('b', 'x')], GEMINI, ['s1', undefined]],
    [
      'stay with the call that has one',
      [call('a', 'x', extra('s1')), call('b', 'x', extra('s2'))],
      GEMINI,
      ['s1', 's2'],
    ],
    [
      'of a foreign or lost history are replaced, for the first call',
      [call('a', 'x'), call('b', 'x')],
      GEMINI,
      [NO_SIGNATURE, undefined],
    ],
    ['are not needed by older models', [call('a', 'x')], 'gemini-2.5-flash', [undefined]],
    ['are kept for their model', [call('a', 'x', extra('s1', `gemini/${GEMINI}`))], GEMINI, ['s1']],
    [
      'are kept for a snapshot of it',
      [call('a', 'x', extra('s1', `gemini/${GEMINI}-preview-09-2026`))],
      GEMINI,
      ['s1'],
    ],
    [
      'are kept for the newest of a line',
      [call('a', 'x', extra('s1', `gemini/${GEMINI}`))],
      'gemini-flash-latest',
      ['s1'],
    ],
    [
      'of another model are replaced',
      [call('a', 'x', extra('s1', 'gemini/gemini-3.5-flash-lite'))],
      GEMINI,
      [NO_SIGNATURE],
    ],
    ['of another service are replaced', [call('a', 'x', extra('s1', `vertex/${GEMINI}`))], GEMINI, [NO_SIGNATURE]],
    [
      'that are none are replaced',
      [call('a', 'x', { extra_content: { google: { thought_signature: 5 } } })],
      GEMINI,
      [NO_SIGNATURE],
    ],
  ]
  for (const [what, calls, model, expected] of cases)
    test(what, () => assert.deepEqual(signaturesOf(calls, model), expected))

  test('of a text come back with it, or with an empty one', () => {
    const said = (content: string | null) => contentsOf([USER, { role: 'assistant', content, ...extra('s1') }, USER])
    assert.deepEqual((said('A') as JsonObject[])[1], { role: 'model', parts: [{ text: 'A', thoughtSignature: 's1' }] })
    assert.deepEqual((said(null) as JsonObject[])[1], { role: 'model', parts: [{ text: '', thoughtSignature: 's1' }] })
  })

  test('each step of the history needs one of its own', () => {
    const step = (id: string) => [{ role: 'assistant', tool_calls: [call(id, 'x')] }, result(id, 'y')]
    const contents = contentsOf([USER, ...step('a'), ...step('b')]) as { parts: JsonObject[] }[]
    assert.deepEqual(
      [1, 3].map((at) => contents[at]?.parts[0]?.['thoughtSignature']),
      [NO_SIGNATURE, NO_SIGNATURE],
    )
  })
})
