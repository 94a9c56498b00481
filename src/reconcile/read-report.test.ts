import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../test/property.ts'
import type { ReportLine } from './line.ts'
import { floatDecimal, plainDecimal, scaled } from './read/decimal.ts'
import { dayIn, daySpan } from './read/times.ts'
import { readReport } from './read-report.ts'
import { REPORT_SOURCES, type SourceName } from './sources/sources.ts'

const read = (
  source: SourceName,
  text: string,
  more: { rates?: Record<string, string>; accounts?: string[]; size?: number } = {},
) => {
  const size = more.size ?? 7
  const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  )
  return readReport(REPORT_SOURCES[source], chunks, { rates: more.rates ?? {}, accounts: more.accounts ?? [] })
}

const shown = ({ model, tier, class: name, quantity, amount, requests }: ReportLine) =>
  [model, tier, name, quantity, amount, requests] as const
const utc = (text: string) => Date.parse(text)

describe('OpenAI', () => {
  const page = (results: unknown[], start = 1_793_491_200) =>
    JSON.stringify({
      object: 'page',
      data: [{ object: 'bucket', start_time: start, end_time: start + 86_400, results }],
      has_more: false,
      next_page: null,
    })
  const completions = {
    object: 'organization.usage.completions.result',
    input_tokens: 6_035_801,
    input_cached_tokens: 4_801_234,
    output_tokens: 240_111,
    num_model_requests: 412,
    project_id: null,
    api_key_id: 'key_1',
    model: 'm1-2026-05-01',
    service_tier: 'default',
    batch: false,
  }

  test('tokens of the usage report do not overlap, and requests count once', async () => {
    const lines = await read('openai-usage', page([completions]))
    assert.deepEqual(lines.map(shown).sort(), [
      ['m1-2026-05-01', 'default', 'cached_input', 4_801_234n, null, null],
      ['m1-2026-05-01', 'default', 'input', 1_234_567n, null, 412n],
      ['m1-2026-05-01', 'default', 'output', 240_111n, null, null],
    ])
    assert.equal(lines[0]?.account, 'key_1')
    assert.equal(lines[0]?.start, utc('2026-11-01T00:00Z'))
  })

  test('tools and empty buckets; `result` of older pages', async () => {
    const searches = { object: 'organization.usage.web_search_calls.result', num_requests: 12, num_model_requests: 9 }
    const old = page([searches]).replace('"results"', '"result"')
    assert.deepEqual((await read('openai-usage', old)).map(shown), [[null, null, 'tool:web_search', 12n, null, null]])
    assert.deepEqual(await read('openai-usage', page([])), [])
  })

  test('costs: floats with exponents, items, unknown items, credits', async () => {
    const item = (line_item: string | null, value: string, more = '') =>
      `{"object":"organization.costs.result","line_item":${JSON.stringify(line_item)},"amount":{"value":${value},"currency":"usd"}${more}}`
    const text = page(['@']).replace(
      '"@"',
      [
        item('m1, input', '3.0864175', ',"quantity":1234.567,"quantity_unit":"1000_tokens"'),
        item('m1, cached input', '7.1e-05'),
        item('web search tool calls', '0.12'),
        item('m1, something new', '1'),
        item('m1, output', '-5.00'),
        item(null, '0.1000000000000000055511151231257827'),
      ].join(','),
    )
    assert.deepEqual((await read('openai-costs', text)).map(shown).sort(), [
      [null, null, 'other:all items', null, 100_000_000_000n, null],
      [null, null, 'other:m1, something new', null, 1_000_000_000_000n, null],
      [null, null, 'tool:web_search', null, 120_000_000_000n, null],
      ['m1', null, 'cached_input', null, 71_000_000n, null],
      ['m1', null, 'credit', null, -5_000_000_000_000n, null],
      ['m1', null, 'input', 1_234_567n, 3_086_417_500_000n, null],
    ])
  })

  test('pages one after the other are one report, the same page twice is refused', async () => {
    const next = page([completions], 1_793_491_200 + 86_400)
    assert.equal((await read('openai-usage', `${page([completions])}\n${next}\n`)).length, 6)
    assert.equal((await read('openai-usage', `[${page([completions])},\n${next}]`)).length, 6)
    await assert.rejects(read('openai-usage', `${page([completions])}\n${page([completions])}`), /repeats line 1/)
  })

  test('truncated JSON, parts larger than the whole, an hour of a day', async () => {
    await assert.rejects(read('openai-usage', page([completions]).slice(0, -9)), /document 1: is not complete JSON/)
    const odd = { ...completions, input_cached_tokens: 9_999_999 }
    await assert.rejects(read('openai-usage', page([odd])), /bucket 1, input_tokens: is less than its parts/)
    const hour = page([completions]).replace(String(1_793_491_200 + 86_400), String(1_793_491_200 + 3600))
    await assert.rejects(read('openai-usage', `${page([completions])}\n${hour}`), /overlaps line 2/)
  })
})

describe('Anthropic', () => {
  const page = (results: unknown[]) =>
    JSON.stringify({
      data: [
        { starting_at: '2026-11-01T00:00:00Z', ending_at: '2026-11-02T00:00:00Z', results },
        { starting_at: '2026-11-02T00:00:00Z', ending_at: '2026-11-03T00:00:00Z', results: [] },
      ],
      has_more: false,
      next_page: null,
    })

  test('usage by class, with null as the default workspace', async () => {
    const usage = {
      uncached_input_tokens: 10,
      cache_read_input_tokens: 20,
      cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 },
      output_tokens: 5,
      server_tool_use: { web_search_requests: 2 },
      api_key_id: null,
      workspace_id: null,
      model: 'm2',
      service_tier: 'batch',
      context_window: '0-200k',
    }
    const lines = await read('anthropic-usage', page([usage]))
    assert.deepEqual(
      lines.map((line) => [line.class, line.quantity, line.tier]),
      [
        ['cache_write_1h', 4n, 'batch'],
        ['cache_write_5m', 3n, 'batch'],
        ['cached_input', 20n, 'batch'],
        ['input', 10n, 'batch'],
        ['output', 5n, 'batch'],
        ['tool:web_search', 2n, 'batch'],
      ],
    )
    assert.equal(lines[0]?.account, 'default workspace')
  })

  test('amounts are decimal strings of cents', async () => {
    const cost = { amount: '123.45', currency: 'USD', cost_type: 'tokens', token_type: 'output_tokens', model: 'm2' }
    const code = { amount: '5', currency: 'USD', cost_type: 'code_execution', description: 'Code Execution Usage' }
    assert.deepEqual((await read('anthropic-costs', page([cost, code]))).map(shown).sort(), [
      [null, null, 'tool:code_execution', null, 50_000_000_000n, null],
      ['m2', null, 'output', null, 1_234_500_000_000n, null],
    ])
  })
})

describe('CSV', () => {
  const header = 'date,time_zone,provider,model,account,class,quantity,unit,amount,currency'
  const row = (values: Partial<Record<string, string>> = {}) =>
    Object.values({
      ...{ date: '2026-11-01', time_zone: 'UTC', provider: 'p', model: 'm1', account: 'a', class: 'input' },
      ...{ quantity: '1000', unit: 'tokens', amount: '3.09', currency: 'USD' },
      ...values,
    }).join(',')

  test('a plain file, with a BOM, CRLF and quotes', async () => {
    const text = `\uFEFF${header}\r\n${row({ model: '"m,""1"""' })}\r\n`
    const [line] = await read('csv', text)
    assert.deepEqual(line && shown(line), ['m,"1"', null, 'input', 1000n, 3_090_000_000_000n, null])
    assert.equal(line?.tolerance, 5_000_000_000n)
  })

  const refused: [name: string, text: string, problem: RegExp][] = [
    ['no zone', `${header}\n${row({ time_zone: '' })}`, /line 2, date: "2026-11-01" has no time zone/],
    ['an abbreviated zone', `${header}\n${row({ time_zone: 'PST' })}`, /line 2, time_zone: "PST" is not a time zone/],
    ['a comma decimal', `${header}\n${row({ amount: '"3,09"' })}`, /line 2, amount: "3,09" .* with a point/],
    ['an exponent', `${header}\n${row({ amount: '3e2' })}`, /line 2, amount: "3e2" .* without an exponent/],
    ['13 decimals', `${header}\n${row({ amount: '0.1234567890123' })}`, /at most twelve decimals/],
    ['another currency', `${header}\n${row({ currency: 'EUR' })}`, /line 2, currency: .* in EUR; give the rate/],
    ['an unknown class', `${header}\n${row({ class: 'tokens' })}`, /line 2, class: "tokens" is not a class/],
    ['the same line twice', `${header}\n${row()}\n${row()}`, /line 3: repeats line 2/],
    ['a truncated line', `${header}\n${row().slice(0, -9)}`, /line 2: has 8 fields, the header has 10/],
    ['an open quote', `${header}\n"${row()}`, /line 2: a quote is not closed/],
    ['no header', '', /line 1: the file is empty/],
    ['a date that is none', `${header}\n${row({ date: '2026-13-01' })}`, /line 2, date: "2026-13-01" is not a date/],
  ]
  for (const [name, text, problem] of refused) {
    test(`refused: ${name}`, () => assert.rejects(read('csv', text), problem))
  }

  test('another currency at a rate keeps what was stated; negative lines are credits', async () => {
    const text = `${header}\n${row({ currency: 'EUR', amount: '-2.50' })}`
    const [line] = await read('csv', text, { rates: { EUR: '1.08' } })
    assert.deepEqual(
      [line?.class, line?.amount, line?.stated, line?.currency],
      ['credit', -2_700_000_000_000n, '-2.50', 'EUR'],
    )
  })

  test('only the named accounts are taken', async () => {
    const text = `${header}\n${row()}\n${row({ account: 'b' })}`
    assert.equal((await read('csv', text, { accounts: ['b'] })).length, 1)
  })

  test('property: neither the order of lines nor the size of chunks changes anything', async () => {
    const line = fc.record({
      date: fc.constantFrom('2026-11-01', '2026-11-02'),
      class: fc.constantFrom('input', 'output', 'tool:web_search', 'credit'),
      quantity: fc.nat(9).map(String),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(line, { selector: (each) => JSON.stringify(each) }),
        fc.integer({ min: 1, max: 90 }),
        async (lines, size) => {
          const figures = (all: Awaited<ReturnType<typeof read>>) => all.map(({ place: _place, ...rest }) => rest)
          const text = (rows: typeof lines) => [header, ...rows.map(row)].join('\n')
          assert.deepEqual(
            figures(await read('csv', text(lines), { size })),
            figures(await read('csv', text(lines.toReversed()))),
          )
        },
      ),
      { numRuns: 50 },
    )
  })
})

describe('clouds', () => {
  test('AWS CUR 2.0: cache classes, units of thousands, other services skipped, tax apart', async () => {
    const header =
      'identity_line_item_id,line_item_usage_start_date,line_item_usage_end_date,line_item_usage_account_id,line_item_product_code,line_item_usage_type,line_item_usage_amount,pricing_unit,line_item_unblended_cost,line_item_line_item_type,line_item_currency_code'
    const rows = [
      'a,2026-11-01T00:00:00Z,2026-11-01T01:00:00Z,1,AmazonBedrock,USE1-M1-input-tokens,12.5,1K tokens,0.03125,Usage,USD',
      'b,2026-11-01T00:00:00Z,2026-11-01T01:00:00Z,1,AmazonBedrock,USE1-M1-cache-read-input-token-count,4,1K tokens,1.2E-3,Usage,USD',
      'c,2026-11-01T00:00:00Z,2026-11-01T01:00:00Z,1,AmazonEC2,USE1-BoxUsage,1,Hrs,9.99,Usage,USD',
      'd,2026-11-01T00:00:00Z,2026-11-01T01:00:00Z,1,AmazonBedrock,USE1-M1-output-tokens,1,1K tokens,0.5,Tax,USD',
    ]
    assert.deepEqual((await read('aws-cur', [header, ...rows].join('\n'))).map(shown), [
      ['M1', null, 'cached_input', 4000n, 1_200_000_000n, null],
      ['M1', null, 'input', 12_500n, 31_250_000_000n, null],
      ['M1', null, 'tax', 1000n, 500_000_000_000n, null],
    ])
    await assert.rejects(read('aws-cur', [header, rows[0], rows[0]].join('\n')), /line 3: repeats line 2/)
    await assert.rejects(read('aws-cur', 'a,b\n1,2'), /line 1: the column line_item_usage_start_date is missing/)
  })

  test('FOCUS 1.2: our own export and the AWS columns', async () => {
    const header =
      'ChargePeriodStart,ChargePeriodEnd,BilledCost,BillingCurrency,ChargeCategory,ConsumedQuantity,ConsumedUnit,SkuId,SkuMeter,ServiceSubcategory,x_UsageType,ServiceName'
    const day = '2026-11-01T00:00:00Z,2026-11-02T00:00:00Z'
    const rows = [
      `${day},0.25,USD,Usage,100,Tokens,m1,cached_input,Generative AI,,`,
      `${day},0.5,USD,Usage,2,1K tokens,,,,USE1-M2-output-tokens,Amazon Bedrock`,
      `${day},-5,USD,Credit,,,,,Generative AI,,`,
      `${day},7,USD,Usage,1,Hours,,,,,Amazon EC2`,
    ]
    assert.deepEqual((await read('focus', [header, ...rows].join('\n'))).map(shown).sort(), [
      [null, null, 'credit', null, -5_000_000_000_000n, null],
      ['M2', null, 'output', 2000n, 500_000_000_000n, null],
      ['m1', null, 'cached_input', 100n, 250_000_000_000n, null],
    ])
  })

  test('Google: JSON lines and flat CSV, credits as lines of their own', async () => {
    const json = JSON.stringify({
      service: { description: 'Vertex AI' },
      sku: { id: 'X', description: 'Gemini 2.5 Flash Text Input - Predictions' },
      usage_start_time: '2026-11-01 07:00:00 UTC',
      usage_end_time: '2026-11-01 08:00:00 UTC',
      project: { id: 'p' },
      ...{ cost: 0.75, currency: 'USD', cost_type: 'regular', credits: [{ type: 'DISCOUNT', amount: -0.25 }] },
      usage: { amount: 1000, unit: 'count' },
    })
    const expected = [
      ['gemini-2.5-flash', null, 'credit', null, -250_000_000_000n, null],
      ['gemini-2.5-flash', null, 'input', 1000n, 750_000_000_000n, null],
    ]
    assert.deepEqual((await read('google', `${json}\n`)).map(shown), expected)
    const csv =
      'service.description,sku.description,usage_start_time,usage_end_time,project.id,cost,currency,usage.amount,credits_amount\n' +
      'Gemini API,Gemini 2.5 Flash Text Input,2026-11-01 07:00:00 UTC,2026-11-01 08:00:00 UTC,p,0.75,USD,1000,-0.25\n' +
      'Compute Engine,N1,2026-11-01 07:00:00 UTC,2026-11-01 08:00:00 UTC,p,9,USD,1,\n'
    assert.deepEqual((await read('google', csv)).map(shown), expected)
  })
})

describe('amounts and days', () => {
  const amounts: [text: string, power: number, expected: bigint][] = [
    ['123.45', 10, 1_234_500_000_000n],
    ['41250000', 2, 4_125_000_000n],
    ['0.004125000', 12, 4_125_000_000n],
    ['7.1e-05', 12, 71_000_000n],
    ['-0.0000000000005', 12, -1n],
    ['0.0000000000004', 12, 0n],
  ]
  for (const [text, power, expected] of amounts) {
    test(`${text} × 10^${power}`, () => assert.equal(scaled(floatDecimal(text, ''), power), expected))
  }

  test('property: a plain decimal comes back to the picodollar', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 18n), 10n ** 18n), (value) => {
        const size = String(value < 0n ? -value : value).padStart(13, '0')
        const text = `${value < 0n ? '-' : ''}${size.slice(0, -12)}.${size.slice(-12)}`
        assert.equal(scaled(plainDecimal(text, ''), 12), value)
      }),
    )
  })

  const zone = 'America/Los_Angeles'
  const days: [instant: string, day: string][] = [
    ['2026-11-17T07:30:00Z', '2026-11-16'],
    ['2026-07-01T06:59:00Z', '2026-06-30'],
    ['2026-07-01T07:00:00Z', '2026-07-01'],
  ]
  for (const [instant, day] of days) {
    test(`${instant} is ${day} in ${zone}`, () => assert.equal(dayIn(utc(instant), zone), day))
  }
  test('days of 23 and 25 hours', () => {
    const hours = (date: string) => (daySpan(date, zone).end - daySpan(date, zone).start) / 3_600_000
    assert.deepEqual(['2026-03-08', '2026-11-01', '2026-11-02'].map(hours), [23, 25, 24])
  })
})
