import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { arithmeticOf } from './cost-arithmetic.ts'

describe('the arithmetic of a cost', () => {
  test('shows every digit, with the points below each other', () => {
    const shown = arithmeticOf({
      lines: [
        { class: 'input', tokens: 2464, usd_per_mtok: '1', amount_usd: '0.002464' },
        { class: 'cached input', tokens: 7, usd_per_mtok: '0.0375', amount_usd: '0.0000002625' },
        { class: 'output', tokens: 1_200_000, usd_per_mtok: '5', amount_usd: '6' },
      ],
      uses: [],
      list_usd: '6.0024642625',
      price_percent: 100,
      total_usd: '6.0024642625',
    })
    assert.deepEqual(shown, {
      rows: [
        { name: 'Input', tokens: '2,464', price: '$1.00', amount: '$0.0024640000' },
        { name: 'Cached input', tokens: '7', price: '$0.0375', amount: '$0.0000002625' },
        { name: 'Output', tokens: '1,200,000', price: '$5.00', amount: '$6.0000000000' },
      ],
      tools: [],
      list: null,
      total: '$6.0024642625',
    })
  })

  test('names the list price where the provider charges a part of it', () => {
    const shown = arithmeticOf({
      lines: [{ class: 'output', tokens: 10, usd_per_mtok: '5', amount_usd: '0.00005' }],
      uses: [{ name: 'web_search', unit: 'call', uses: 2, paid: 2, usd_per_1000: '10', amount_usd: '0.02' }],
      list_usd: '0.00005',
      price_percent: 50,
      total_usd: '0.020025',
    })
    assert.deepEqual([shown.list, shown.total], ['$0.000050', '$0.020025'])
    const tool = { name: 'Tool: web search', tokens: '2', price: '$10.00 per 1,000', amount: '$0.020000' }
    assert.deepEqual(shown.tools, [tool])
  })

  test('names units, and says what of time is paid', () => {
    const heard = { name: 'audio_input', unit: 'audio_hour', uses: 3_000, paid: 10_000, usd_per_1000: '40' } as const
    const drawn = { name: 'image:1024x1024:any', unit: 'image', uses: 3, paid: 3, usd_per_1000: '40' } as const
    const { tools } = arithmeticOf({
      ...{ lines: [], list_usd: '0', price_percent: 100, total_usd: '0.120111111111' },
      uses: [
        { ...heard, amount_usd: '0.000111111111' },
        { ...drawn, amount_usd: '0.12' },
      ],
    })
    assert.deepEqual(
      tools.map(({ name, tokens, price }) => [name, tokens, price]),
      [
        ['Audio input', '3 s, paid as 10 s', '$40.00 per 1,000 hours'],
        ['Image, 1024x1024', '3', '$40.00 per 1,000'],
      ],
    )
  })
})
