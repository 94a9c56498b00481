import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../test/property.ts'
import { replaceFields, replaceValue } from './replace-value.ts'

describe('one value of a JSON text is replaced', () => {
  const table: [json: string, path: string[], expected: string][] = [
    ['{"model":"a","x":1}', ['model'], '{"model":"NEW","x":1}'],
    ['{ "x" : {"model":"in"} ,\n "model" : "a" }', ['model'], '{ "x" : {"model":"in"} ,\n "model" : "NEW" }'],
    ['{"tools":[{"model":"in"}],"model":null}', ['model'], '{"tools":[{"model":"in"}],"model":"NEW"}'],
    ['{"t":"\\"model\\":\\"x\\\\","model":"a"}', ['model'], '{"t":"\\"model\\":\\"x\\\\","model":"NEW"}'],
    ['{"response":{"model":"a"},"model":"b"}', ['response', 'model'], '{"response":{"model":"NEW"},"model":"b"}'],
    ['{"\\u006dodel":"a"}', ['model'], '{"\\u006dodel":"NEW"}'],
    ['{"n":-1.5e3,"model":true}', ['model'], '{"n":-1.5e3,"model":"NEW"}'],
    ['{"x":1}', ['model'], '{"x":1}'],
    ['{}', ['model'], '{}'],
    ['{"response":[{"model":"a"}]}', ['response', 'model'], '{"response":[{"model":"a"}]}'],
    ['[{"model":"a"}]', ['model'], '[{"model":"a"}]'],
  ]
  for (const [json, path, expected] of table) {
    test(json, () => assert.equal(replaceValue(json, path, '"NEW"'), expected))
  }

  test('and nothing else, whatever surrounds it', () => {
    const name = fc.oneof(fc.constantFrom('a', 'model', '"', '\\', '{'), fc.string())
    const object = fc.dictionary(name, fc.jsonValue(), { maxKeys: 6 })
    fc.assert(
      fc.property(object, object, fc.constantFrom(undefined, 1, '\t'), (before, inner, space) => {
        // As texts: JSON.parse of Node 24.21 takes a field named `"` for one named `\` where it has just read such a one.
        const withModel = (model: string) => JSON.stringify({ ...before, response: { ...inner, model } }, null, space)
        assert.equal(replaceValue(withModel('old'), ['response', 'model'], '"new"'), withModel('new'))
      }),
      { numRuns: 300 },
    )
  })
})

describe('fields of an object are replaced', () => {
  const NAMES = ['id', 'model']
  const table: [json: string, expected: string | null][] = [
    ['{"id":"a","model":"b"}', '{"id":1,"model":2}'],
    [' { "model" : "b" , "x":[{"id":"c"}],\n"id":null } ', ' { "model" : 2 , "x":[{"id":"c"}],\n"id":1 } '],
    ['{"id":{"id":"a"},"model":"\\\\"}', '{"id":1,"model":2}'],
    // The last one would count.
    ['{"id":"a","model":"b","id":"c"}', null],
    ['{"\\u0069d":"a","id":"c","model":"b"}', null],
    ['{"id":"a"}', null],
    ['{}', null],
    ['[]', null],
  ]
  for (const [json, expected] of table) test(json, () => assert.equal(replaceFields(json, NAMES, ['1', '2']), expected))

  test('and nothing else, whatever surrounds them', () => {
    const name = fc
      .oneof(fc.constantFrom('a', 'ID', 'models'), fc.string())
      .filter((each) => /^[^"\\\p{C}]*$/u.test(each))
    const object = fc.dictionary(name, fc.jsonValue(), { maxKeys: 6 })
    fc.assert(
      fc.property(object, object, fc.constantFrom(undefined, 1, '\t'), (before, after, space) => {
        const own = ({ id: _, model: _model, ...rest }: Record<string, unknown>) => rest
        const withValues = (id: string, model: string) =>
          JSON.stringify({ ...own(before), id, x: after, model }, null, space)
        assert.equal(replaceFields(withValues('a', 'b'), NAMES, ['"c"', '"d"']), withValues('c', 'd'))
      }),
      { numRuns: 300 },
    )
  })
})
