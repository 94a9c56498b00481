import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatOf, mappingText, providersIn, readJson } from './import-list.ts'

const litellm = {
  sample_spec: { litellm_provider: 'one of …' },
  a: { litellm_provider: 'cloud', input_cost_per_token: 1e-7 },
  b: { litellm_provider: 'cloud' },
  c: { litellm_provider: 'edge' },
}
const modelsDev = {
  cloud: { id: 'cloud', models: { a: {}, b: {} } },
  edge: { models: { c: {} } },
}

describe('the format of a list is seen by its shape', () => {
  for (const [what, list, format] of [
    ['our own rows', [{ provider: 'p', model: 'm' }], 'switchyard'],
    ['the list that is shipped', { asOf: '2026-01-01', models: [] }, 'switchyard'],
    ['rows with prices per token', litellm, 'litellm'],
    ['providers with models', modelsDev, 'models.dev'],
    ['an empty object', {}, null],
    ['a word', 'prices', null],
  ] as const) {
    test(what, () => assert.equal(formatOf(list), format))
  }
})

test('whose models a list has, the most first', () => {
  assert.deepEqual(providersIn(modelsDev, 'models.dev'), [
    { name: 'cloud', models: 2 },
    { name: 'edge', models: 1 },
  ])
  assert.deepEqual(
    providersIn(litellm, 'litellm').map(({ name }) => name),
    ['cloud', 'edge', 'one of …'],
  )
  assert.deepEqual(providersIn([{ provider: 'p' }], 'switchyard'), [])
})

test('only pairs that say something are sent', () => {
  assert.equal(mappingText({ cloud: 'mine', edge: '', same: 'same' }), 'cloud:mine')
  assert.equal(mappingText({ 'a:b': 'mine' }), undefined)
  assert.equal(mappingText({}), undefined)
})

test('text that is not JSON is told so, with the place', () => {
  const read = readJson('{"a": ')
  assert.equal(read.ok, false)
  assert.match(read.ok ? '' : read.problem, /not JSON/)
  assert.deepEqual(readJson('[1]'), { ok: true, value: [1] })
})
