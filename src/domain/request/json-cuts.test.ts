import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bytesWithout, hasField, textWithout } from './json-cuts.ts'

describe('fields are cut out of a text, and all else stays as it is written', () => {
  const cases: [json: string, fields: string[], left: string | null][] = [
    ['{"a":1,"b":{"a":[2]},"c":12345678901234567890}', ['a'], '{"b":{"a":[2]},"c":12345678901234567890}'],
    ['{ "a" : 1 , "b" : "a}" }', ['b'], '{ "a" : 1 }'],
    ['{ "a" : [1,2] }', ['a'], '{  }'],
    ['{"a":1,"b":2,"c":3,"d":4}', ['a', 'b', 'd'], '{"c":3}'],
    ['{"a":1,"b":2,"c":3}', ['b', 'c'], '{"a":1}'],
    ['{"a":1,"x":0,"a":2}', ['a'], '{"x":0}'],
    ['{"\\u0061":1,"x":0}', ['a'], '{"x":0}'],
    ['{"x":"\\"a\\":1","y":"ü"}', ['a'], null],
    [
      '{"tools":[{"a":1},{"n":"é,","a":{"b":1}},3,[{"a":1}]],"a":5}',
      ['tools.*.a'],
      '{"tools":[{},{"n":"é,"},3,[{"a":1}]],"a":5}',
    ],
    ['{"o":{"p":1,"q":2},"l":[{"o":{"p":1}}]}', ['o.p', 'l.*.o.p'], '{"o":{"q":2},"l":[{"o":{}}]}'],
    ['{"tools":{"a":1}}', ['tools.*.a'], null],
    ['{"tools":[]}', ['tools.*.a'], null],
    ['{"o":"text"}', ['o.p'], null],
    ['[]', ['a'], null],
  ]
  for (const [json, fields, left] of cases) {
    test(`${json} without ${fields}`, () => {
      assert.equal(textWithout(json, { fields }), left)
      assert.equal(bytesWithout(Buffer.from(json), { fields })?.toString() ?? null, left)
      const isThere = fields.some((path) => hasField(JSON.parse(json), path))
      assert.equal(isThere, left !== null)
    })
  }
})

test('what is left of a body has memory of its own, however little it is', () => {
  const left = bytesWithout(Buffer.from(`{"a":"${'x'.repeat(10_000)}","b":1}`), { fields: ['a'] })
  assert.equal(left?.toString(), '{"b":1}')
  assert.equal(left?.buffer.byteLength, left?.length)
})

describe('values are taken out of a list', () => {
  const values = new Map([
    ['x', null],
    ['y', null],
    ['old', 'new'],
    ['gone', 'x'],
  ])
  const cases: [json: string, left: string | null][] = [
    ['{"a":1,"list":["x","z"],"b":{"list":["x"]}}', '{"a":1,"list":["z"],"b":{"list":["x"]}}'],
    ['{"a":1,"list":["x"],"b":2}', '{"a":1,"b":2}'],
    ['{ "list" : [ "x" , "y" ] , "b":2}', '{ "b":2}'],
    ['{"a":"é , ","list":["x"]}', '{"a":"é , "}'],
    ['{"list":["z", "old" ,"y",1,null]}', '{"list":["z", "new",1,null]}'],
    ['{"list":["gone","z"]}', '{"list":["z"]}'],
    ['{"list":["z"]}', null],
    ['{"list":"x"}', null],
    ['{"a":{"list":["x"]}}', null],
  ]
  for (const [json, left] of cases) {
    test(json, () => {
      const list = { field: 'list', values }
      assert.equal(textWithout(json, { list }), left)
      assert.equal(bytesWithout(Buffer.from(json), { list })?.toString() ?? null, left)
    })
  }
})
