import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fieldsOf, mistakeOf, refusalOf } from '../../../../test/fixtures/anthropic/translate.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'

const tool = (name: string, more: JsonObject = {}) => ({ type: 'function', function: { name, ...more } })
const EMPTY = { type: 'object', properties: {} }

function schemaOf(parameters: unknown): unknown {
  const [first] = fieldsOf({ tools: [tool('t', { parameters })] })['tools'] as [{ input_schema: unknown }]
  return first.input_schema
}

describe('tools', () => {
  test('a function becomes a tool', () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const full = tool('wx', { description: 'The weather.', parameters, strict: true })
    assert.deepEqual(fieldsOf({ tools: [full] }), {
      tools: [{ name: 'wx', description: 'The weather.', input_schema: parameters, strict: true }],
    })
  })

  test('strict false and nulls are left out', () => {
    const bare = tool('wx', { description: null, parameters: null, strict: false })
    assert.deepEqual(fieldsOf({ tools: [bare] }), { tools: [{ name: 'wx', input_schema: EMPTY }] })
  })

  const union = { anyOf: [{ type: 'object' }], type: 'object' }
  const cases: [string, unknown, unknown][] = [
    ['no parameters are an empty object', undefined, EMPTY],
    ['{} is an empty object', {}, EMPTY],
    ['a missing type is added', { properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    ['a null type is replaced', { type: null, properties: {} }, { type: 'object', properties: {} }],
    ['a union at the root is forwarded unchanged', union, union],
    [
      'definitions move to $defs, and the pointers with them',
      {
        type: 'object',
        properties: { a: { $ref: '#/definitions/A' }, $ref: { type: 'string' } },
        definitions: {
          A: { items: { $ref: '#/definitions/B' }, default: { $ref: '#/definitions/B' } },
          B: { type: 'string' },
        },
        anyOf: [{ $ref: '#/definitions/B' }],
      },
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/A' }, $ref: { type: 'string' } },
        $defs: { A: { items: { $ref: '#/$defs/B' }, default: { $ref: '#/definitions/B' } }, B: { type: 'string' } },
        anyOf: [{ $ref: '#/$defs/B' }],
      },
    ],
    [
      'definitions join the $defs that are there',
      { type: 'object', $defs: { A: { type: 'string' } }, definitions: { B: { $ref: '#/$defs/A' } } },
      { type: 'object', $defs: { A: { type: 'string' }, B: { $ref: '#/$defs/A' } } },
    ],
    [
      'names defined twice are left for the provider to judge',
      { type: 'object', $defs: { A: {} }, definitions: { A: { type: 'string' } } },
      { type: 'object', $defs: { A: {} }, definitions: { A: { type: 'string' } } },
    ],
  ]
  for (const [title, parameters, expected] of cases) {
    test(title, () => assert.deepEqual(schemaOf(parameters), expected))
  }

  test('the order of keys is kept, also of odd ones', () => {
    const written =
      '{"properties":{"z":{},"a":{},"__proto__":{"type":"string"}},"definitions":{"__proto__":{}},"type":"object","required":["z"]}'
    const expected = written.replace('definitions', '$defs')
    assert.equal(JSON.stringify(schemaOf(JSON.parse(written))), expected)
  })

  test('duplicate names are the caller’s mistake', () => {
    assert.match(mistakeOf({ tools: [tool('constructor'), tool('a'), tool('constructor')] }), /'constructor'/)
  })

  for (const [tools, path] of [
    ['x', 'tools:'],
    [['x'], 'tools[0]:'],
    [[tool('a'), { type: 'function' }], 'tools[1].function:'],
    [[{ type: 'function', function: { name: 5 } }], 'tools[0].function.name:'],
    [[tool('a', { parameters: 'x' })], 'tools[0].function.parameters:'],
    [[tool('a', { description: 5 })], 'tools[0].function.description:'],
  ] as const) {
    test(`an odd tool is named by its path: ${path}`, () => assert.ok(mistakeOf({ tools }).startsWith(path)))
  }

  test('custom tools are refused', () => {
    assert.match(refusalOf({ tools: [tool('a'), { type: 'custom', custom: { name: 'x' } }] }), /^tools\[1\]\.type/)
  })
})

describe('tool_choice', () => {
  const tools = [tool('a'), tool('b')]
  const named = (name: string) => ({ type: 'function', function: { name } })
  const allowed = (mode: string, ...names: string[]) => ({
    type: 'allowed_tools',
    allowed_tools: { mode, tools: names.map(named) },
  })

  const cases: [string, JsonObject, unknown][] = [
    ['absent is left out', {}, undefined],
    ['auto', { tool_choice: 'auto' }, { type: 'auto' }],
    ['none keeps the tools declared', { tool_choice: 'none' }, { type: 'none' }],
    ['required means any', { tool_choice: 'required' }, { type: 'any' }],
    ['a named function', { tool_choice: named('b') }, { type: 'tool', name: 'b' }],
    ['parallel calls true is left out', { parallel_tool_calls: true }, undefined],
    ['parallel calls false alone', { parallel_tool_calls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      'parallel calls false with auto',
      { parallel_tool_calls: false, tool_choice: 'auto' },
      { type: 'auto', disable_parallel_tool_use: true },
    ],
    [
      'parallel calls false with required',
      { parallel_tool_calls: false, tool_choice: 'required' },
      { type: 'any', disable_parallel_tool_use: true },
    ],
    [
      'parallel calls false with a name',
      { parallel_tool_calls: false, tool_choice: named('a') },
      { type: 'tool', name: 'a', disable_parallel_tool_use: true },
    ],
    ['parallel calls false with none', { parallel_tool_calls: false, tool_choice: 'none' }, { type: 'none' }],
  ]
  for (const [title, fields, expected] of cases) {
    test(title, () => {
      const body = fieldsOf({ tools, ...fields })
      assert.deepEqual(body['tool_choice'], expected)
      assert.equal((body['tools'] as unknown[]).length, 2)
    })
  }

  test('allowed_tools keeps only the listed tools, in the order of their declaration', () => {
    const three = [...tools, tool('c')]
    assert.deepEqual(fieldsOf({ tools: three, tool_choice: allowed('auto', 'c', 'a') }), {
      tools: [
        { name: 'a', input_schema: EMPTY },
        { name: 'c', input_schema: EMPTY },
      ],
      tool_choice: { type: 'auto' },
    })
    assert.deepEqual(fieldsOf({ tools, tool_choice: allowed('required', 'b') })['tool_choice'], { type: 'any' })
  })

  test('without tools, auto, none and parallel_tool_calls are left out', () => {
    assert.deepEqual(fieldsOf({ tool_choice: 'auto', parallel_tool_calls: false }), {})
    assert.deepEqual(fieldsOf({ tool_choice: 'none' }), {})
    assert.deepEqual(fieldsOf({ function_call: 'auto' }), {})
  })

  const mistakes: [string, JsonObject, RegExp][] = [
    ['required without tools', { tool_choice: 'required' }, /^tool_choice/],
    ['a name without tools', { tool_choice: named('a') }, /^tool_choice/],
    ['allowed tools without tools', { tool_choice: allowed('auto', 'a') }, /^tool_choice/],
    ['a name that no tool has', { tools, tool_choice: named('toString') }, /^tool_choice: .*'toString'/],
    ['an allowed name that no tool has', { tools, tool_choice: allowed('auto', 'a', 'x') }, /'x'/],
    ['an unknown word', { tools, tool_choice: 'maybe' }, /^tool_choice: 'maybe'/],
    ['a function without a name', { tools, tool_choice: { type: 'function' } }, /^tool_choice\.function/],
    ['an unknown mode', { tools, tool_choice: allowed('maybe', 'a') }, /^tool_choice\.allowed_tools\.mode/],
    ['no allowed tool at all', { tools, tool_choice: allowed('auto') }, /^tool_choice\.allowed_tools\.tools/],
    ['allowed tools of an odd shape', { tools, tool_choice: { type: 'allowed_tools' } }, /^tool_choice\.allowed_tools/],
  ]
  for (const [title, fields, pattern] of mistakes) {
    test(`the caller's mistake: ${title}`, () => assert.match(mistakeOf(fields), pattern))
  }

  test('custom choices are refused', () => {
    assert.match(refusalOf({ tools, tool_choice: { type: 'custom', custom: { name: 'a' } } }), /^tool_choice\.type/)
    const custom = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'custom' }] } }
    assert.match(refusalOf({ tools, tool_choice: custom }), /^tool_choice\.allowed_tools\.tools\[0\]\.type/)
  })
})

describe('deprecated functions', () => {
  const functions = [{ name: 'wx', description: 'd', parameters: { type: 'object', properties: {} } }]
  const tools = [{ name: 'wx', description: 'd', input_schema: EMPTY }]

  for (const [title, function_call, tool_choice] of [
    ['absent', undefined, { type: 'auto', disable_parallel_tool_use: true }],
    ['auto', 'auto', { type: 'auto', disable_parallel_tool_use: true }],
    ['none', 'none', { type: 'none' }],
    ['a name', { name: 'wx' }, { type: 'tool', name: 'wx', disable_parallel_tool_use: true }],
  ] as const) {
    test(`functions become tools that are called one at a time: function_call ${title}`, () => {
      assert.deepEqual(fieldsOf({ functions, function_call }), { tools, tool_choice })
    })
  }

  test('odd ones are named', () => {
    assert.match(mistakeOf({ functions: [{ description: 'x' }] }), /^functions\[0\]\.name/)
    assert.match(mistakeOf({ functions, function_call: { name: 'x' } }), /^function_call: .*'x'/)
    assert.match(mistakeOf({ functions, function_call: 'required' }), /^function_call: 'required'/)
    assert.match(refusalOf({ functions, tools: [tool('a')] }), /^functions/)
  })
})
