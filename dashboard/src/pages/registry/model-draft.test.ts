import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyOfModel, draftOfModel, emptyDraft, hasPriceProblem, NO_PRICES, priceProblem } from './model-draft.ts'
import type { RegistryModel } from './registry-list.ts'

const stored = {
  provider: 'p',
  model: 'm',
  mode: 'chat',
  input_per_mtok: '0.10',
  cached_input_per_mtok: null,
  cache_write_5m_per_mtok: null,
  cache_write_30m_per_mtok: null,
  audio_input_per_mtok: null,
  audio_output_per_mtok: null,
  image_input_per_mtok: null,
  image_output_per_mtok: null,
  cache_write_1h_per_mtok: '0.2',
  output_per_mtok: '0.4',
  tiers: [],
  unit_prices: [
    { name: 'audio_input', unit: 'audio_hour', usd_per_1000: '40', minimum_ms: 10_000 },
    { name: 'image', unit: 'image', usd_per_1000: '4.0' },
  ],
  context_window: 1000,
  max_input_tokens: null,
  max_output_tokens: 100,
  capabilities: ['vision'],
  efforts: ['low'],
  deprecated: false,
  shutdown_date: null,
  aliases: ['n'],
  note: null,
} as unknown as RegistryModel

test('what is saved untouched is what was read', () => {
  const { provider: _provider, model: _model, ...body } = stored as unknown as Record<string, unknown>
  assert.deepEqual(bodyOfModel(draftOfModel(stored), stored), body)
})

test('prices are sent as they were typed, empty ones as unknown, lengths in order', () => {
  const draft = {
    ...emptyDraft('p', 'm'),
    input_per_mtok: ' 0.1000 ',
    tiers: [
      { row: 0, above: 200_000, ...NO_PRICES, input_per_mtok: '2' },
      { row: 1, above: 100_000, ...NO_PRICES, input_per_mtok: '1' },
      { row: 2, above: '' as const, ...NO_PRICES },
    ],
  }
  const body = bodyOfModel(draft, null)
  assert.equal(body.input_per_mtok, '0.1000')
  assert.equal(body.output_per_mtok, null)
  assert.deepEqual(
    body.tiers?.map((tier) => tier.prompt_tokens_above),
    [100_000, 200_000],
  )
  assert.ok(!('mode' in body))
})

test('a price that the gateway would refuse is told while typing', () => {
  for (const good of ['', '0', '1.5', '0.000001']) assert.equal(priceProblem(good), undefined)
  for (const bad of ['-1', '1e3', '1,5', '.5', '0.0000001', '1.']) assert.notEqual(priceProblem(bad), undefined)
  assert.equal(
    hasPriceProblem({ ...emptyDraft('p', 'm'), tiers: [{ row: 0, above: 1, ...NO_PRICES, output_per_mtok: 'x' }] }),
    true,
  )
  assert.equal(hasPriceProblem(emptyDraft('p', 'm')), false)
  const unit = { row: 0, name: 'page', unit: 'page' as const, usd: '', minimumMs: 5, stepMs: '' as const }
  assert.equal(hasPriceProblem({ ...emptyDraft('p', 'm'), units: [{ ...unit, usd: 'x' }] }), true)
  const body = bodyOfModel(
    {
      ...emptyDraft('p', 'm'),
      units: [
        { ...unit, usd: ' 4 ' },
        { ...unit, name: ' ' },
      ],
    },
    null,
  )
  assert.deepEqual(body.unit_prices, [{ name: 'page', unit: 'page', usd_per_1000: '4' }])
})
