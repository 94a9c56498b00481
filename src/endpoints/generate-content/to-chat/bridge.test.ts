import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ContentsRequest } from '../../../domain/request/contents.ts'
import { bridge } from './bridge.ts'

type Fields = Record<string, unknown>
const hello = [{ role: 'user', parts: [{ text: 'hello' }] }]
const bridged = (fields: Fields) =>
  bridge.toHub({ model: 'm', contents: hello, ...fields } as ContentsRequest, { model: 'm' })

function chat(fields: Fields) {
  const result = bridged(fields)
  assert.equal(result.kind, 'bridged', JSON.stringify(result))
  return result.kind === 'bridged' ? result : assert.fail()
}

const call = (name: string, id?: string) => ({ functionCall: { ...(id && { id }), name, args: { city: 'Bern' } } })
const result = (name: string, response: unknown, id?: string) => ({
  functionResponse: { ...(id && { id }), name, response },
})
const called = (name: string, id: string) => ({
  id,
  type: 'function',
  function: { name, arguments: '{"city":"Bern"}' },
})

describe('contents as messages', () => {
  const user = { role: 'user', parts: [{ text: 'hi' }] }
  const said = { role: 'user', content: 'hi' }
  const table: [name: string, contents: Fields[], messages: Fields[]][] = [
    ['a text', [user], [said]],
    ['no role is a user', [{ parts: [{ text: 'hi' }] }], [said]],
    [
      'neighbours of one role',
      [user, user],
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi' },
            { type: 'text', text: 'hi' },
          ],
        },
      ],
    ],
    [
      'an image',
      [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'QQ==' } }] }],
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,QQ==' } }] }],
    ],
    [
      'an image with underscores',
      [{ parts: [{ inline_data: { mime_type: 'image/png', data: 'QQ==' } }] }],
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,QQ==' } }] }],
    ],
    [
      'a document',
      [{ parts: [{ inlineData: { mimeType: 'application/pdf', data: 'QQ==' } }] }],
      [
        {
          role: 'user',
          content: [
            { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,QQ==' } },
          ],
        },
      ],
    ],
    [
      'calls and results by id, whatever their order',
      [
        user,
        { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'a' }, call('f', 'x'), call('f', 'y')] },
        {
          role: 'user',
          parts: [result('f', { output: 'second' }, 'y'), result('f', { a: 1 }, 'x'), { text: 'go on' }],
        },
      ],
      [
        said,
        { role: 'assistant', content: 'a', tool_calls: [called('f', 'x'), called('f', 'y')] },
        { role: 'tool', tool_call_id: 'y', content: 'second' },
        { role: 'tool', tool_call_id: 'x', content: '{"a":1}' },
        { role: 'user', content: 'go on' },
      ],
    ],
    [
      'calls without ids: the same ids in every turn; results by name, in order, in several contents',
      [
        user,
        { role: 'model', parts: [call('f'), call('g'), call('f')] },
        { role: 'function', parts: [result('g', { error: 'no' })] },
        { role: 'function', parts: [result('f', { output: '1' }), result('f', { output: '2' })] },
      ],
      [
        said,
        {
          role: 'assistant',
          content: null,
          tool_calls: [called('f', 'call_1_0'), called('g', 'call_1_1'), called('f', 'call_1_2')],
        },
        { role: 'tool', tool_call_id: 'call_1_1', content: '{"error":"no"}' },
        { role: 'tool', tool_call_id: 'call_1_0', content: '1' },
        { role: 'tool', tool_call_id: 'call_1_2', content: '2' },
      ],
    ],
  ]
  for (const [name, contents, messages] of table) {
    test(name, () => assert.deepEqual(chat({ contents }).request.messages, messages))
  }

  const systems: [system: unknown, content: string][] = [
    ['Be brief.', 'Be brief.'],
    [{ parts: [{ text: 'Be' }, { text: 'brief.' }] }, 'Be\nbrief.'],
    [{ role: 'user', parts: { text: 'Be brief.' } }, 'Be brief.'],
    [[{ text: 'Be brief.' }], 'Be brief.'],
  ]
  for (const [system, content] of systems) {
    test(`a system instruction ${JSON.stringify(system)}`, () => {
      for (const name of ['systemInstruction', 'system_instruction']) {
        assert.deepEqual(chat({ [name]: system }).request.messages[0], { role: 'system', content })
      }
    })
  }
})

describe('settings as fields', () => {
  const schema = {
    type: 'OBJECT',
    properties: { type: { type: 'STRING', nullable: true } },
    propertyOrdering: ['type'],
  }
  const json = { type: 'object', properties: { type: { type: ['string', 'null'] } } }
  const format = { type: 'json_schema', json_schema: { name: 'answer', schema: json, strict: false } }
  const table: [config: Fields, fields: Fields, ignored?: string[]][] = [
    [
      { maxOutputTokens: 5, temperature: 0, topP: 0.5, seed: 1 },
      { max_completion_tokens: 5, temperature: 0, top_p: 0.5, seed: 1 },
    ],
    [
      { max_output_tokens: 5, stop_sequences: ['x'] },
      { max_completion_tokens: 5, stop: ['x'] },
    ],
    [
      { presencePenalty: 1, frequencyPenalty: 1, candidateCount: 1 },
      { presence_penalty: 1, frequency_penalty: 1 },
    ],
    [{ topK: 64, mediaResolution: 'X' }, {}, ['generationConfig.topK', 'generationConfig.mediaResolution']],
    [{ thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true } }, { reasoning_effort: 'high' }],
    [{ thinkingConfig: { thinkingBudget: 0 } }, { reasoning_effort: 'none' }],
    [{ thinkingConfig: { thinkingBudget: -1 } }, {}],
    [{ thinkingConfig: { thinkingBudget: 8192 } }, { reasoning_effort: 'medium' }],
    [{ responseMimeType: 'text/plain' }, {}],
    [{ responseMimeType: 'application/json' }, { response_format: { type: 'json_object' } }],
    [{ responseMimeType: 'application/json', responseSchema: schema }, { response_format: format }],
    [{ responseMimeType: 'application/json', responseJsonSchema: schema }, { response_format: format }],
  ]
  for (const [config, fields, ignored = []] of table) {
    test(JSON.stringify(config), () => {
      const { request, ignored: dropped } = chat({ generationConfig: config })
      const { model: _m, messages: _s, ...rest } = request
      assert.deepEqual(rest, fields)
      assert.deepEqual(dropped, ignored)
    })
  }
})

describe('tools', () => {
  const declared = (name: string, parameters?: object) => ({
    functionDeclarations: [{ name, ...(parameters && { parameters }) }],
  })
  const tool = (name: string, parameters: object = { type: 'object', properties: {} }) => ({
    type: 'function',
    function: { name, parameters },
  })
  const both = [declared('f'), declared('g')]
  const choose = (mode: string, ...allowedFunctionNames: string[]) => ({
    tools: both,
    toolConfig: { functionCallingConfig: { mode, ...(allowedFunctionNames.length > 0 && { allowedFunctionNames }) } },
  })
  const all = [tool('f'), tool('g')]
  const table: [fields: Fields, tools: Fields][] = [
    [
      { tools: [declared('f', { type: 'OBJECT', properties: { n: { type: 'INTEGER', maxItems: '3' } } })] },
      { tools: [tool('f', { type: 'object', properties: { n: { type: 'integer', maxItems: 3 } } })] },
    ],
    [{ tools: [{ function_declarations: [{ name: 'f' }] }] }, { tools: [tool('f')] }],
    [{ tools: [{ googleSearch: {} }] }, {}],
    [choose('AUTO'), { tools: all, tool_choice: 'auto' }],
    [choose('NONE'), { tools: all, tool_choice: 'none' }],
    [choose('ANY'), { tools: all, tool_choice: 'required' }],
    [choose('ANY', 'g'), { tools: all, tool_choice: { type: 'function', function: { name: 'g' } } }],
    [choose('ANY', 'f', 'g'), { tools: all, tool_choice: 'required' }],
    [choose('VALIDATED', 'g'), { tools: [tool('g')], tool_choice: 'auto' }],
  ]
  for (const [fields, expected] of table) {
    test(JSON.stringify(fields), () => {
      const { model: _m, messages: _s, ...rest } = chat(fields).request
      assert.deepEqual(rest, expected)
    })
  }
})

describe('what chat cannot express is refused, with its place', () => {
  const table: [fields: Fields, kind: 'refused' | 'invalid', message: RegExp][] = [
    [{ cachedContent: 'cachedContents/x' }, 'refused', /^cachedContent: /],
    [{ tools: [{ codeExecution: {} }] }, 'refused', /^tools\[0\]: the tool 'codeExecution'/],
    [{ generationConfig: { candidateCount: 2 } }, 'refused', /^generationConfig\.candidateCount: /],
    [{ generationConfig: { responseModalities: ['IMAGE'] } }, 'refused', /^generationConfig\.responseModalities: /],
    [{ generationConfig: { responseMimeType: 'text/x.enum' } }, 'refused', /responseMimeType/],
    [
      { contents: [{ parts: [{ fileData: { fileUri: 'gs://a/b' } }] }] },
      'refused',
      /^contents\[0\]\.parts\[0\]\.fileData\.fileUri: /,
    ],
    [{ contents: [{ parts: [{ executableCode: {} }] }] }, 'refused', /^contents\[0\]\.parts\[0\]: /],
    [{ contents: [...hello, { role: 'model', parts: [{ text: 'x' }] }] }, 'refused', /beginning of an answer/],
    [{ contents: [{ role: 'king', parts: [] }] }, 'invalid', /^contents\[0\]\.role: /],
    [{ contents: [...hello, { role: 'model', parts: [call('f')] }, ...hello] }, 'invalid', /'f' is missing/],
    [{ contents: [{ parts: [result('f', {})] }] }, 'invalid', /answers no open functionCall/],
    [{ contents: [{ parts: [] }] }, 'invalid', /at least one part/],
  ]
  for (const [fields, kind, message] of table) {
    test(JSON.stringify(fields), () => {
      const refusal = bridged(fields)
      assert.equal(refusal.kind, kind)
      assert.match('message' in refusal ? refusal.message.text : '', message)
    })
  }
})
