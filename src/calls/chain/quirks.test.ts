import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Provider } from '../../domain/provider.ts'
import { NOTHING_OMITTED } from '../../domain/request/omissions.ts'
import { createQuirks } from './quirks.ts'

const provider: Provider = {
  name: 'p',
  family: 'openai',
  baseUrl: null,
  apiKey: null,
  headers: {},
  onCallerLeft: 'abort',
}
const LIMIT = { from: 'max_tokens', to: 'max_completion_tokens' }
const BACK = { from: 'max_completion_tokens', to: 'max_tokens' }

test('what was learned applies to one model at one address', () => {
  const quirks = createQuirks()
  quirks.rename(provider, 'a', LIMIT)
  assert.deepEqual(quirks.of(provider, 'a').renames, [LIMIT])
  assert.deepEqual(quirks.of(provider, 'b').renames, [])
  assert.deepEqual(quirks.of({ ...provider, baseUrl: 'http://other' }, 'a').renames, [])
  assert.deepEqual(quirks.of({ ...provider }, 'a').renames, [LIMIT])
})

test('a newer rename replaces an older one, and a refused one is dropped', () => {
  const quirks = createQuirks()
  quirks.rename(provider, 'a', LIMIT)
  quirks.rename(provider, 'a', BACK)
  assert.deepEqual(quirks.of(provider, 'a').renames, [BACK])
  quirks.unlearn(provider, 'a', BACK)
  assert.deepEqual(quirks.of(provider, 'a').renames, [])
})

test('however many models callers send, at most a thousand are remembered', () => {
  const quirks = createQuirks()
  for (let model = 0; model < 1_500; model++) quirks.rename(provider, `m-${model}`, LIMIT)
  assert.deepEqual(quirks.of(provider, 'm-499').renames, [])
  assert.deepEqual(quirks.of(provider, 'm-500').renames, [LIMIT])
  for (let field = 0; field < 50; field++) quirks.rename(provider, 'm-1499', { from: `a_${field}`, to: `b_${field}` })
  assert.equal(quirks.of(provider, 'm-1499').renames.length, 8)
})

test('what was refused is kept by value and field, the last ones of many', () => {
  const quirks = createQuirks()
  assert.equal(quirks.of(provider, 'a').omits, NOTHING_OMITTED)
  for (let at = 0; at < 40; at++)
    quirks.omit(provider, 'a', { values: new Map([[`v-${at}`, null]]), fields: [`f${at}`] })
  const { values, fields } = quirks.of(provider, 'a').omits
  assert.deepEqual([values.size, fields.length, values.has('v-7'), values.has('v-8')], [32, 32, false, true])
  assert.deepEqual([fields.at(0), fields.at(-1)], ['f8', 'f39'])
  assert.equal(quirks.of(provider, 'b').omits, NOTHING_OMITTED)
})
