import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withModel } from './with-model.ts'

const words = { model: 'm/"1', isStream: true }
const ADDED = '"model":"m/\\"1","stream":true'
const made = (...chunks: string[]) =>
  Buffer.concat(
    withModel(
      chunks.map((chunk) => Buffer.from(chunk)),
      words,
    ),
  ).toString('utf8')

describe('the model of the path is the last field, and every other byte stays', () => {
  const table: [from: string, to: string][] = [
    ['{}', `{${ADDED}}`],
    [' { } \n', ` { ${ADDED}} \n`],
    ['{"a": "ü" }\n', `{"a": "ü" ,${ADDED}}\n`],
    ['{"a":{}}', `{"a":{},${ADDED}}`],
    ['{"model":"x","a":1}', `{"a":1,${ADDED}}`],
    ['{"a":1 , "model" : "x"}', `{"a":1 ,${ADDED}}`],
    ['{"stream":true,"model":"x"}', `{${ADDED}}`],
    ['{"role":"model","b":["model" , "stream"]}', `{"role":"model","b":["model" , "stream"],${ADDED}}`],
    ['{"b":"model","model"\n:"x"}', `{"b":"model",${ADDED}}`],
    ['{"a":{"model":1},"b":"\\"stream\\""}', `{"a":{"model":1},"b":"\\"stream\\"",${ADDED}}`],
  ]
  for (const [from, to] of table) {
    test(from, () => {
      assert.equal(made(from), to)
      const middle = Math.floor(from.length / 2)
      assert.equal(made(from.slice(0, middle), from.slice(middle)), to)
      assert.equal(made(...from), to)
    })
  }
})

describe('what is no object stays as it is', () => {
  for (const text of ['', '[]', '"model"', '{"a', 'null', '{"model"']) {
    test(text, () => assert.equal(made(text), text))
  }
})
