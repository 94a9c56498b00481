import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLitellm } from '../../domain/pricing/lists/litellm-list.ts'
import { NO_PRICES, type PriceList } from '../../domain/pricing/price.ts'
import { mergeListed } from './merge-listed.ts'

function unitsAfter(row: object, unit_prices: PriceList['unit_prices']) {
  const { models } = readLitellm({ heard: { litellm_provider: 'vendor', ...row } })
  const [listed] = models
  assert.ok(listed)
  const known = {
    ...mergeListed(listed, 'vendor', null, '2026-11-19'),
    prices: { ...NO_PRICES, tiers: [], unit_prices: unit_prices ?? [] },
  }
  const { prices } = mergeListed(listed, 'vendor', known, '2026-11-19')
  return prices?.unit_prices?.map(({ name, unit, usd_per_1000: usd }) => `${name} ${unit} ${usd}`)
}

const AUDIO = { mode: 'audio_transcription', input_cost_per_second: 7.167e-5 }

test('a known price per minute stays, because seconds were rounded', () => {
  assert.deepEqual(unitsAfter(AUDIO, [{ name: 'audio_input', unit: 'audio_minute', usd_per_1000: '4.3' }]), [
    'audio_input audio_minute 4.3',
  ])
  assert.deepEqual(unitsAfter(AUDIO, []), ['audio_input audio_second 0.07167'])
})

test('other prices per unit are those of the list, and what it does not name stays', () => {
  const known = ['image', 'page'].map((name) => ({ name, unit: name as 'image', usd_per_1000: '1' }))
  assert.deepEqual(unitsAfter({ mode: 'image_generation', output_cost_per_image: 0.04 }, known), [
    'page page 1',
    'image image 40',
  ])
})
