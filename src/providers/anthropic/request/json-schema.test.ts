import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fieldsOf, mistakeOf, refusalOf } from '../../../../test/fixtures/anthropic/translate.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'

const format = (schema: unknown, more: JsonObject = {}) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'n', strict: true, schema, ...more } },
})
const object = (properties: JsonObject, more: JsonObject = {}) => ({ type: 'object', properties, ...more })
const closed = (properties: JsonObject, more: JsonObject = {}) => ({
  type: 'object',
  properties,
  ...more,
  additionalProperties: false,
})

function reduced(schema: unknown, more: JsonObject = {}): unknown {
  const config = fieldsOf(format(schema, more))['output_config'] as { format: { type: string; schema: unknown } }
  assert.equal(config.format.type, 'json_schema')
  return config.format.schema
}

/** A property's schema, reduced. */
function reducedProperty(schema: unknown): unknown {
  return (reduced(object({ a: schema })) as { properties: { a: unknown } }).properties.a
}

describe('structured output', () => {
  test('the schema is sent as output_config.format, without name and strict', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    }
    assert.deepEqual(fieldsOf(format(schema)), { output_config: { format: { type: 'json_schema', schema } } })
  })

  test('the description becomes the schema’s when it has none', () => {
    const a = { a: { type: 'string' } }
    assert.deepEqual(reduced(object(a), { description: 'D' }), closed(a, { description: 'D' }))
    assert.deepEqual(
      reduced(object(a, { description: 'own' }), { description: 'D' }),
      closed(a, { description: 'own' }),
    )
    const limited = reduced(object(a, { minProperties: 1 }), { description: 'D' }) as JsonObject
    assert.equal(limited['description'], 'D\n\n{minProperties: 1}')
  })

  test('it combines with effort', () => {
    const fields = { ...format(object({ a: { type: 'string' } })), reasoning_effort: 'low' }
    assert.deepEqual(Object.keys(fieldsOf(fields)['output_config'] as object), ['format', 'effort'])
  })

  test('a schema that already fits keeps every key in its place', () => {
    const text = JSON.stringify({
      additionalProperties: false,
      required: ['z', 'a'],
      title: 'T',
      properties: {
        z: { description: 'd', type: ['string', 'null'], default: null, enum: ['x', null] },
        a: { type: 'array', minItems: 1, items: { $ref: '#/$defs/A' } },
        c: { const: 5 },
        d: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        e: { type: 'string', format: 'date-time', pattern: '^2' },
      },
      type: 'object',
      $defs: { A: { type: 'boolean' } },
    })
    assert.equal(JSON.stringify(reduced(JSON.parse(text))), text)
  })
})

describe('reduction', () => {
  for (const keyword of [
    ['minimum', 0],
    ['maximum', 9],
    ['exclusiveMinimum', 0],
    ['exclusiveMaximum', 9],
    ['multipleOf', 2],
    ['minLength', 1],
    ['maxLength', 5],
    ['maxItems', 3],
    ['minItems', 2],
    ['uniqueItems', true],
    ['contains', { type: 'string' }],
    ['prefixItems', [{ type: 'string' }]],
    ['propertyNames', { pattern: 'x' }],
    ['not', { type: 'string' }],
    ['if', { type: 'string' }],
    ['then', { type: 'string' }],
    ['else', { type: 'string' }],
    ['format', 'phone'],
    ['enum', [{ a: 1 }]],
    ['const', [1]],
    ['nullable', true],
    ['examples', [1]],
  ] as const) {
    test(`${keyword[0]} ${JSON.stringify(keyword[1])} moves into the description`, () => {
      const [name, value] = keyword
      assert.deepEqual(reducedProperty({ type: 'string', [name]: value }), {
        type: 'string',
        description: `{${name}: ${JSON.stringify(value)}}`,
      })
    })
  }

  const cases: [string, unknown, unknown][] = [
    [
      'several constraints stand behind the description',
      { type: 'integer', description: 'Age.', minimum: 0, maximum: 9 },
      { type: 'integer', description: 'Age.\n\n{minimum: 0, maximum: 9}' },
    ],
    [
      'oneOf becomes anyOf',
      { oneOf: [{ type: 'string', maxLength: 1 }] },
      { anyOf: [{ type: 'string', description: '{maxLength: 1}' }] },
    ],
    [
      'oneOf beside anyOf is described',
      { anyOf: [{ type: 'string' }], oneOf: [{ type: 'string' }] },
      { anyOf: [{ type: 'string' }], description: '{oneOf: [{"type":"string"}]}' },
    ],
    ['allOf is kept', { allOf: [object({ b: { type: 'null' } })] }, { allOf: [closed({ b: { type: 'null' } })] }],
    [
      'nested objects are closed',
      object({ b: object({ c: { type: 'null' } }) }),
      closed({ b: closed({ c: { type: 'null' } }) }),
    ],
    [
      'items are reduced',
      { type: 'array', items: object({ b: { type: 'null' } }) },
      { type: 'array', items: closed({ b: { type: 'null' } }) },
    ],
    [
      'an object that may be null is closed',
      { type: ['object', 'null'], properties: { b: { type: 'null' } } },
      { type: ['object', 'null'], properties: { b: { type: 'null' } }, additionalProperties: false },
    ],
    [
      'properties without a type are an object',
      { properties: { b: { type: 'null' } } },
      closed({ b: { type: 'null' } }),
    ],
    [
      'a closed object without properties stays',
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: false },
    ],
    [
      'a tuple of items is described',
      { type: 'array', items: [{ type: 'null' }] },
      { type: 'array', description: '{items: [{"type":"null"}]}' },
    ],
    [
      'minProperties is described',
      closed({ b: { type: 'null' } }, { minProperties: 1, maxProperties: 2 }),
      closed({ b: { type: 'null' } }, { description: '{minProperties: 1, maxProperties: 2}' }),
    ],
    ['notes for tools are dropped', { type: 'null', $schema: 's', $id: 'i', $comment: 'c' }, { type: 'null' }],
    ['null keywords equal absent ones', { type: 'null', description: null, enum: null }, { type: 'null' }],
    [
      'a default and a constant of null are kept',
      { type: 'null', default: null, const: null },
      { type: 'null', default: null, const: null },
    ],
  ]
  for (const [title, schema, expected] of cases) {
    test(title, () => assert.deepEqual(reducedProperty(schema), expected))
  }

  test('definitions become $defs and are reduced', () => {
    const schema = object({ a: { $ref: '#/definitions/A' } }, { definitions: { A: { type: 'string', minLength: 1 } } })
    assert.deepEqual(
      reduced(schema),
      closed({ a: { $ref: '#/$defs/A' } }, { $defs: { A: { type: 'string', description: '{minLength: 1}' } } }),
    )
  })

  test('a definition used twice is no recursion', () => {
    const $defs = { A: { type: 'string' }, B: { anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/A' }] } }
    const schema = closed({ a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/B' } }, { $defs })
    assert.deepEqual(reduced(schema), schema)
  })

  test('properties with odd names survive', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"null"}},"additionalProperties":false}',
    )
    assert.equal(JSON.stringify(reduced(schema)), JSON.stringify(schema))
  })
})

describe('schemas that would lose their meaning are refused', () => {
  const cases: [string, unknown, string][] = [
    ['an object of any keys', object({ a: { type: 'object' } }), '.properties.a'],
    ['no properties', object({ a: object({}) }), '.properties.a'],
    ['additionalProperties true', object({ a: object({ b: {} }, { additionalProperties: true }) }), '.properties.a'],
    ['additionalProperties of a schema', object({ b: {} }, { additionalProperties: { type: 'string' } }), ''],
    [
      'keys by pattern',
      object({ a: { type: 'object', patternProperties: { x: {} }, additionalProperties: false } }),
      '.properties.a',
    ],
    [
      'an open object in a list',
      object({ a: { anyOf: [{ type: 'null' }, { type: 'object' }] } }),
      '.properties.a.anyOf[1]',
    ],
    ['a reference to the root', object({ a: { $ref: '#' } }), ''],
    [
      'a definition that refers to itself',
      object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: { anyOf: [{ $ref: '#/$defs/A' }] } } }),
      '',
    ],
    [
      'definitions that refer to each other',
      object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } } }),
      '',
    ],
    ['an external reference', object({ a: { $ref: 'https://x.y/z.json' } }), ''],
    [
      'a reference within allOf',
      object({ a: { allOf: [{ $ref: '#/$defs/A' }] } }, { $defs: { A: { type: 'null' } } }),
      '.properties.a.allOf',
    ],
    ['no schema', undefined, ''],
  ]
  for (const [title, schema, path] of cases) {
    test(title, () => {
      const message = refusalOf(format(schema))
      assert.ok(message.startsWith(`response_format.json_schema.schema${path}:`), message)
    })
  }

  test('a chain of references too long to follow is refused, not followed', () => {
    const links = Array.from({ length: 20_000 }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }])
    const schema = object({ a: { $ref: '#/$defs/d0' } }, { $defs: Object.fromEntries(links) })
    assert.match(refusalOf(format(schema)), /^response_format/)
  })

  test('other formats are refused, odd ones are mistakes', () => {
    assert.match(refusalOf({ response_format: { type: 'grammar' } }), /^response_format\.type: 'grammar'/)
    assert.match(mistakeOf({ response_format: 'json' }), /^response_format/)
    assert.match(mistakeOf({ response_format: { type: 'json_schema' } }), /^response_format\.json_schema/)
    assert.match(mistakeOf(format('x')), /^response_format\.json_schema\.schema/)
  })
})
