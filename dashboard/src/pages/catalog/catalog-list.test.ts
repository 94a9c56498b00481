import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NO_PRICES } from '../../../../src/domain/pricing/price.ts'
import {
  type CatalogEntry,
  type CatalogItem,
  capabilitiesOf,
  choices,
  deprecatedEntry,
  filtersOf,
  isFiltered,
  matches,
  sortText,
} from './catalog-list.ts'
import { sorted } from './catalog-sort.ts'

function entry(provider: string, model: string, more: Partial<CatalogEntry> = {}): CatalogEntry {
  return {
    provider,
    model,
    place: 1,
    mode: 'chat',
    ...NO_PRICES,
    tiers: [],
    unit_prices: [],
    price_version: null,
    context_window: null,
    max_input_tokens: null,
    max_output_tokens: null,
    capabilities: [],
    efforts: null,
    deprecated: false,
    shutdown_date: null,
    ...more,
  }
}

function item(id: string, ...chain: CatalogEntry[]): CatalogItem {
  const kind = chain.length > 1 ? 'alias' : 'direct'
  return { id, kind, owned_by: '', created_at: '2026-01-01T00:00:00Z', description: null, chain }
}

const found = (items: CatalogItem[], search: Record<string, string>) =>
  items.filter((one) => matches(one, filtersOf(search))).map(({ id }) => id)

const small = item('small', entry('north', 'small', { capabilities: ['tools'], input_per_mtok: '0.05' }))
const large = item('large', entry('south', 'large-10', { capabilities: ['tools', 'vision'], input_per_mtok: '10' }))
const unpriced = item('unpriced', entry('south', 'large-9', { deprecated: true, shutdown_date: '2026-12-01' }))
const route = item(
  'assistant',
  entry('north', 'small', { capabilities: ['tools'], input_per_mtok: '2' }),
  entry('south', 'large-9', { capabilities: ['vision'], deprecated: true }),
)
const all = [route, small, large, unpriced]

describe('the catalog is filtered by what stands in the address', () => {
  test('without filters everything is listed', () => {
    assert.deepEqual(found(all, {}), ['assistant', 'small', 'large', 'unpriced'])
    assert.equal(isFiltered(filtersOf({ sort: '-input' })), false)
    assert.equal(isFiltered(filtersOf({ search: 'x' })), true)
  })

  test('each word of the search must occur, in the id or in an entry of the chain, whatever its case', () => {
    assert.deepEqual(found(all, { search: 'SOUTH large' }), ['assistant', 'large', 'unpriced'])
    assert.deepEqual(found(all, { search: 'south/large-10' }), ['large'])
  })

  test('kind and provider', () => {
    assert.deepEqual(found(all, { kind: 'alias' }), ['assistant'])
    assert.deepEqual(found(all, { kind: 'direct', provider: 'north' }), ['small'])
    assert.deepEqual(found(all, { provider: 'north,south' }), ['assistant', 'small', 'large', 'unpriced'])
    assert.deepEqual(found(all, { kind: 'nonsense' }).length, 4)
  })

  test('several capabilities must meet in one entry', () => {
    assert.deepEqual(found(all, { capability: 'vision' }), ['assistant', 'large'])
    assert.deepEqual(found(all, { capability: 'vision,tools' }), ['large'])
  })

  test('what is deprecated can be left out, also where only one entry is', () => {
    assert.deepEqual(found(all, { deprecated: 'hide' }), ['small', 'large'])
  })
})

describe('the catalog is sorted by any column', () => {
  const order = (by: string) => sorted(all, filtersOf({ sort: by }).sort).map(({ id }) => id)

  test('prices by value, the first entry standing for an alias, unknown ones last either way', () => {
    assert.deepEqual(order('input'), ['small', 'assistant', 'large', 'unpriced'])
    assert.deepEqual(order('-input'), ['large', 'assistant', 'small', 'unpriced'])
  })

  test('the next shutdown first, then deprecated ones without a date', () => {
    assert.deepEqual(order('shutdown'), ['unpriced', 'assistant', 'small', 'large'])
  })

  test('an unknown column leaves the order of the gateway', () => {
    assert.deepEqual(order('nonsense'), ['assistant', 'small', 'large', 'unpriced'])
    assert.equal(sortText({ by: 'input', descending: true }), '-input')
  })
})

test('a capability that not every entry of a chain has is marked', () => {
  assert.deepEqual(capabilitiesOf(route), [
    { name: 'vision', isPartial: true },
    { name: 'tools', isPartial: true },
  ])
  assert.deepEqual(
    capabilitiesOf(large).map(({ isPartial }) => isPartial),
    [false, false],
  )
})

test('a row counts once for each of its providers and capabilities', () => {
  assert.deepEqual(choices(all), {
    providers: [
      { name: 'north', rows: 2 },
      { name: 'south', rows: 3 },
    ],
    capabilities: [
      { name: 'vision', rows: 2 },
      { name: 'tools', rows: 3 },
    ],
  })
})

test('of several deprecated entries the one that ends first counts', () => {
  const two = item('two', entry('n', 'a', { deprecated: true }), entry('n', 'b', { shutdown_date: '2027-01-01' }))
  assert.equal(deprecatedEntry(two)?.model, 'b')
  assert.equal(deprecatedEntry(small), undefined)
})
