import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asked, besides, changeTo, filterOf, filterText, isChosen, viewOf } from './performance-view.ts'

test('the address says period, dimension and filters; what it does not know is the usual', () => {
  const { period, by, filters } = viewOf({ period: '7d', by: 'route', provider: 'openai', model: '', other: 'x' })
  assert.deepEqual([period.name, by, filters], ['7d', 'route', { provider: 'openai' }])
  const usual = viewOf({ by: 'colour' })
  assert.deepEqual([usual.period.name, usual.by, usual.filters], ['24h', 'model', {}])
})

test('a group becomes filters, of a model two; direct ids have no route', () => {
  assert.deepEqual(filterOf('model', 'edge/org/qwen'), { provider: 'edge', model: 'org/qwen' })
  assert.deepEqual(filterOf('provider', 'openai'), { provider: 'openai' })
  assert.deepEqual(filterOf('route', null), { route: '(direct)' })
  assert.equal(filterOf('model', null), null)
  assert.deepEqual(asked({ route: '(direct)', provider: 'openai' }), { route: '', provider: 'openai' })
  assert.deepEqual(asked({ route: 'fast' }), { route: 'fast' })
})

test('choosing a group replaces those of its dimension and leaves the others', () => {
  assert.deepEqual(changeTo('model', { provider: 'openai', model: 'gpt-5' }), { provider: 'openai', model: 'gpt-5' })
  assert.deepEqual(changeTo('provider', { provider: 'openai' }), { provider: 'openai', model: null })
  assert.deepEqual(changeTo('route', {}), { route: null })
  const filters = { provider: 'openai', route: 'fast' }
  assert.equal(isChosen('provider', { provider: 'openai' }, { filters }), true)
  assert.equal(isChosen('model', { provider: 'openai', model: 'gpt-5' }, { filters }), false)
})

test('groups are compared under the filters of the other dimensions', () => {
  const filters = { provider: 'openai', model: 'gpt-5', route: 'fast' }
  assert.deepEqual(besides('model', filters), { route: 'fast' })
  assert.deepEqual(besides('provider', filters), { route: 'fast' })
  assert.deepEqual(besides('route', filters), { provider: 'openai', model: 'gpt-5' })
  assert.deepEqual(besides('model', {}), {})
})

test('filters are told in words', () => {
  assert.equal(filterText({ provider: 'openai', model: 'gpt-5', route: 'fast' }), 'fast → openai/gpt-5')
  assert.equal(filterText({ provider: 'openai' }), 'openai')
  assert.equal(filterText({ route: '(direct)' }), 'direct model ids')
  assert.equal(filterText({}), '')
})
