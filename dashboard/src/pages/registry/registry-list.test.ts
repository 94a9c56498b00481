import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type RegistryModel, shownModels, sortText, sourceText, viewOf } from './registry-list.ts'

const model = (name: string, more: Partial<RegistryModel> = {}) =>
  ({
    provider: 'p',
    model: name,
    input_per_mtok: '1',
    output_per_mtok: '2',
    capabilities: [],
    aliases: [],
    deprecated: false,
    managed_by: 'builtin',
    price_source: 'builtin:2026-01-01',
    ...more,
  }) as unknown as RegistryModel

const names = (models: RegistryModel[], search: Record<string, string>) =>
  shownModels(models, viewOf(search)).map((shown) => shown.model)

describe('the models that are shown', () => {
  const models = [
    model('m-10', { input_per_mtok: '10', capabilities: ['vision'] }),
    model('m-9', { input_per_mtok: '2.5', aliases: ['nine'], deprecated: true }),
    model('free', { input_per_mtok: '0', managed_by: null, price_source: 'api:anna' }),
    model('unknown', { input_per_mtok: null, provider: 'q' }),
    model('list', { price_source: 'import:models.dev:abc' }),
  ]

  test('by provider and name, numbers in their order', () => {
    assert.deepEqual(names(models, {}), ['free', 'list', 'm-9', 'm-10', 'unknown'])
    assert.deepEqual(names(models, { sort: '-model' }), ['unknown', 'm-10', 'm-9', 'list', 'free'])
  })

  test('by price, the unknown at the end both ways', () => {
    assert.deepEqual(names(models, { sort: 'input' }), ['free', 'list', 'm-9', 'm-10', 'unknown'])
    assert.deepEqual(names(models, { sort: '-input' }), ['m-10', 'm-9', 'list', 'free', 'unknown'])
  })

  test('every word of the search is somewhere in id, aliases or capabilities', () => {
    assert.deepEqual(names(models, { search: 'P/M VISION' }), ['m-10'])
    assert.deepEqual(names(models, { search: 'nine' }), ['m-9'])
    assert.deepEqual(names(models, { search: 'nine vision' }), [])
  })

  test('filters', () => {
    assert.deepEqual(names(models, { provider: 'q' }), ['unknown'])
    assert.deepEqual(names(models, { only: 'unpriced' }), ['unknown'])
    assert.deepEqual(names(models, { only: 'deprecated' }), ['m-9'])
    assert.deepEqual(names(models, { only: 'own' }), ['free', 'list'])
    assert.equal(names(models, { only: 'nonsense' }).length, 5)
  })
})

test('the sort that needs no saying is left out of the address', () => {
  assert.equal(sortText({ by: 'model', descending: false }), null)
  assert.equal(sortText({ by: 'input', descending: true }), '-input')
})

test('sources are told in words', () => {
  assert.deepEqual(
    [null, 'builtin:2026-01-02', 'api:anna', 'config', 'import:models.dev:0a1b', 'else'].map(sourceText),
    ['no price set', 'shipped 2026-01-02', 'set by anna', 'switchyard.yaml', 'import of models.dev', 'else'],
  )
})
