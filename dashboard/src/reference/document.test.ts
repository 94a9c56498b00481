import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fieldsOf, found, readDocument, type Schema, typeText } from './document.ts'

const KEY: Schema = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' }, name: { type: 'string' } },
}
const DOCUMENT = readDocument({
  info: { version: '1.2.3' },
  components: { schemas: { Key: KEY } },
  paths: {
    '/v1/things': {
      servers: [{ url: 'http://elsewhere' }],
      post: {
        ...{
          operationId: 'v1.things',
          summary: 'Make a thing',
          tags: ['Applications'],
          security: [{ gateway_key: [] }],
        },
        requestBody: { description: 'notes', content: { 'application/json': { schema: KEY, example: { id: 'a' } } } },
        responses: {
          200: { description: 'done', headers: { 'x-id': { description: 'its id' } } },
          402: { description: 'no', content: { 'application/json': { example: { error: {} } } } },
        },
      },
    },
    '/keys': {
      get: { operationId: 'keys.list', summary: 'List the keys', tags: ['Keys'], responses: { 200: {} } },
      post: { operationId: 'sessions.create', summary: 'Sign in', tags: ['Keys'], security: [], responses: {} },
    },
  },
})

describe('readDocument', () => {
  test('keeps every operation, with the key that it needs and where it is served', () => {
    assert.equal(DOCUMENT.version, '1.2.3')
    const reported = DOCUMENT.operations.map(({ id, method, auth, isHere }) => [id, method, auth, isHere])
    assert.deepEqual(reported, [
      ['v1.things', 'POST', 'gateway', false],
      ['keys.list', 'GET', 'admin', true],
      ['sessions.create', 'POST', 'none', true],
    ])
  })

  test('keeps body, answers and headers', () => {
    const [things] = DOCUMENT.operations
    assert.deepEqual(things?.body?.example, { id: 'a' })
    assert.equal(things?.bodyNotes, 'notes')
    assert.deepEqual(things?.answers[0]?.headers, [{ name: 'x-id', description: 'its id' }])
    assert.deepEqual(things?.answers[1]?.media?.example, { error: {} })
  })
})

describe('found', () => {
  const table: [text: string, ids: string[]][] = [
    ['', ['v1.things', 'keys.list', 'sessions.create']],
    ['list', ['keys.list']],
    ['KEYS sign', ['sessions.create']],
    ['/v1', ['v1.things']],
    ['nothing', []],
  ]
  for (const [text, ids] of table) {
    test(`'${text}'`, () =>
      assert.deepEqual(
        found(DOCUMENT.operations, text).map(({ id }) => id),
        ids,
      ))
  }
})

describe('typeText', () => {
  const table: [Schema, string][] = [
    [{ type: 'string' }, 'string'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ $ref: '#/components/schemas/Key' }, 'Key'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Key' } }, 'list of Key'],
    [{ enum: ['hard', 'soft'] }, '"hard" | "soft"'],
    [{ const: 1 }, '1'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
    [{}, 'any'],
  ]
  for (const [schema, text] of table) {
    test(text, () => assert.equal(typeText(schema, DOCUMENT.schemas), text))
  }
})

test('fieldsOf finds the fields behind references, lists and choices', () => {
  const reference = { $ref: '#/components/schemas/Key' }
  for (const schema of [reference, { type: 'array', items: reference }, { anyOf: [{ type: 'null' }, reference] }]) {
    const reported = fieldsOf(schema, DOCUMENT.schemas).map(([name, , isRequired]) => [name, isRequired])
    assert.deepEqual(reported, [
      ['id', true],
      ['name', false],
    ])
  }
  assert.deepEqual(fieldsOf({ type: 'string' }, DOCUMENT.schemas), [])
})
