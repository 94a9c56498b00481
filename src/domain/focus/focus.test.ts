import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { compilePrice, costOf, NO_PRICES, type PriceList } from '../pricing/price.ts'
import { NO_USAGE } from '../pricing/usage.ts'
import { DayCharges } from './add-up.ts'
import { type BilledCall, chargesOf } from './charges.ts'
import { exactDecimal, FOCUS_COLUMNS, FOCUS_HEADER, type FocusRecord, focusLine } from './columns.ts'

/** Those that FOCUS 1.2 makes mandatory. */
const MANDATORY = `BilledCost BillingAccountId BillingAccountName BillingCurrency BillingPeriodEnd BillingPeriodStart
  ChargeCategory ChargeClass ChargeDescription ChargePeriodEnd ChargePeriodStart ContractedCost EffectiveCost
  InvoiceIssuerName ListCost PricingQuantity PricingUnit ProviderName PublisherName ServiceCategory ServiceName`.split(
  /\s+/,
)

const LIST: PriceList = {
  ...NO_PRICES,
  input_per_mtok: '0.15',
  cached_input_per_mtok: '0.075001',
  output_per_mtok: '0.6',
  tiers: [{ ...NO_PRICES, prompt_tokens_above: 1000, input_per_mtok: '0.3', output_per_mtok: '1.2' }],
  unit_prices: [{ name: 'web_search', unit: 'call', usd_per_1000: '10' } as never],
}

function call(more: Partial<BilledCall>): BilledCall {
  return {
    ...{ provider: 'openai', model: 'gpt-4o', endpoint: 'chat', isHit: false, usage: null, usageSource: 'provider' },
    ...{ cost: null, most: null, priceVersion: 7, list: LIST, lost: [] },
    ...{ unconfirmedEstimate: null, unconfirmedMost: null, resale: null, ...more },
  }
}

const usageOf = (more: Partial<typeof NO_USAGE>) => ({ ...NO_USAGE, ...more })
const billedOf = (of: BilledCall) => chargesOf(of).reduce((sum, { billed }) => sum + (billed ?? 0n), 0n)

const counts = fc.record({
  input: fc.nat(5_000),
  cachedInput: fc.nat(5_000),
  output: fc.nat(5_000),
  pricePercent: fc.constantFrom(50, 100, 110, 133),
  searches: fc.nat(3),
})
const calls = counts.map(({ searches, ...tokens }) => {
  const usage = usageOf({ ...tokens, uses: searches === 0 ? null : { web_search: searches } })
  return call({ usage, cost: costOf(usage, compilePrice(LIST)) })
})

describe('FOCUS 1.2', () => {
  test('has every mandatory column, and names of its own begin with x_', () => {
    const names = FOCUS_COLUMNS.map(([name]) => name)
    assert.equal(MANDATORY.length, 21)
    assert.deepEqual(
      MANDATORY.filter((name) => !names.includes(name)),
      [],
    )
    assert.equal(new Set(names).size, names.length)
    assert.equal(FOCUS_HEADER, `${names.join(',')}\r\n`)
  })

  test('the charges of any call add up to its cost, and each price × quantity is its amount', () => {
    fc.assert(
      fc.property(calls, (of) => {
        assert.equal(billedOf(of), of.cost)
        for (const { priced, quantity, list } of chargesOf(of)) {
          if (priced === null) continue
          const [whole = '', part = ''] = priced.price.split('.')
          const price = BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'))
          assert.equal(quantity * price * (priced.unit === 'tokens' ? 1n : 1000n), list)
        }
      }),
    )
  })

  test('so do the records of a day, in whatever order the calls come', () => {
    fc.assert(
      fc.property(fc.array(calls, { maxLength: 12 }), (some) => {
        const place = { day: 0, workspace: 'default', keyId: 'k', keyName: 'app' }
        const text = (of: BilledCall[]) => {
          const day = new DayCharges()
          for (const one of of) for (const charge of chargesOf(one)) day.add(place, charge)
          return day.records().map(focusLine)
        }
        assert.deepEqual(text(some), text(some.toReversed()))
      }),
    )
  })

  test('what has no quantity is an adjustment; what is free or not served is nothing', () => {
    const usage = usageOf({ input: 10, output: 5 })
    const own = costOf(usage, compilePrice(LIST)) ?? 0n
    const kinds = (of: BilledCall) =>
      chargesOf(of).map(({ class: name, priced, billed }) => [name, priced !== null, billed])
    assert.deepEqual(kinds(call({})), [])
    assert.deepEqual(kinds(call({ isHit: true, usage, cost: 0n })), [])
    assert.deepEqual(kinds(call({ usage, usageSource: 'estimated', cost: 99n, most: 99n })), [
      ['held amount', false, 99n],
    ])
    const lost = [{ provider: 'other', model: 'm', cost: 4n }]
    assert.deepEqual(kinds(call({ usage, cost: own + 4n, lost })).at(-1), ['lost hedge', false, 4n])
    assert.deepEqual(
      kinds(call({ usage, list: null })).map(([, , billed]) => billed),
      [null, null],
    )
    const unsure = chargesOf(call({ unconfirmedEstimate: 3n, unconfirmedMost: 8n }))
    assert.deepEqual(
      unsure.map(({ billed, unconfirmed }) => [billed, unconfirmed]),
      [[0n, { estimate: 3n, most: 8n }]],
    )
    // What customers pay is beside the bill, whether or not the provider's price is known.
    for (const sold of [call({ usage, cost: own, resale: 9n }), call({ usage, cost: null, resale: 9n })]) {
      const { resale: _resale, ...unsold } = sold
      const [line, ...more] = chargesOf(sold).slice(chargesOf({ ...unsold, resale: null }).length)
      assert.deepEqual([line?.class, line?.billed, line?.resale, more.length], ['resale', 0n, 9n, 0])
    }
  })

  test('text is quoted and is no formula, figures have no exponent, null is empty', () => {
    const [charge] = chargesOf(call({ usage: usageOf({ output: 1 }), cost: 600_000n }))
    assert.ok(charge !== undefined)
    const record: FocusRecord = { day: Date.UTC(2026, 10, 30), workspace: '=1+1', keyId: 'k', keyName: null, charge }
    const fields = focusLine(record).trimEnd().split(',')
    const of = (name: string) => fields[FOCUS_HEADER.trimEnd().split(',').indexOf(name)]
    assert.equal(of('BilledCost'), '0.0000006')
    assert.equal(focusLine(record).includes(`"'=1+1"`), true)
    assert.equal(focusLine(record).includes('"2026-12-01T00:00:00Z"'), true)
    assert.equal(of('ChargeClass'), '')
    assert.deepEqual(
      [exactDecimal(-1n, 12), exactDecimal(0n, 6), exactDecimal(1_500_000n, 6), exactDecimal(7n, 0)],
      ['-0.000000000001', '0', '1.5', '7'],
    )
  })
})
