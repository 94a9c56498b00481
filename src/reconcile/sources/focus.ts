import { clipped, isTokenClass, isTool, type ReportLine, ReportProblem, UNSAID } from '../line.ts'
import { type CsvRecord, csvRecords } from '../read/csv.ts'
import { floatDecimal, whole } from '../read/decimal.ts'
import { instantOf } from '../read/times.ts'
import { tokensPerUnit, usageTypeOf } from './aws-usage-type.ts'
import { inUsd } from './money.ts'
import { HOUR_MS, type ReadOptions, type ReportSource } from './source.ts'

const REQUIRED = ['ChargePeriodStart', 'ChargePeriodEnd', 'BilledCost', 'BillingCurrency', 'ChargeCategory']

/** FOCUS 1.2, from this gateway or a cloud. Real feeds break its rules, so little is relied on. */
async function* read(
  chunks: AsyncIterable<string> | Iterable<string>,
  options: ReadOptions,
): AsyncGenerator<ReportLine> {
  for await (const record of csvRecords(chunks)) {
    const missing = REQUIRED.find((name) => record.values[name] === undefined)
    if (missing !== undefined) throw new ReportProblem('line 1', `the column ${missing} is missing`)
    const found = lineOf(record, options)
    if (found !== null) yield found
  }
}

const CATEGORIES: Readonly<Record<string, string>> = {
  Tax: 'tax',
  Credit: 'credit',
  Purchase: 'fee',
  Adjustment: 'fee',
}

function usageOf(values: CsvRecord['values']) {
  const meter = values['SkuMeter'] ?? ''
  if (isTokenClass(meter) || isTool(meter)) return { model: values['SkuId'] || null, class: meter, tier: null }
  return usageTypeOf(values['x_UsageType'] || meter)
}

/** Null: another service. */
function lineOf({ line, values }: CsvRecord, options: ReadOptions): ReportLine | null {
  const at = (field: string) => `line ${line}, ${field}`
  const text = (field: string) => values[field]?.trim() || null
  const usage = usageOf(values)
  const isOurs = usage !== null || /generative ai/i.test(text('ServiceSubcategory') ?? '')
  if (!isOurs && !/bedrock/i.test(`${text('ServiceName')} ${text('x_ServiceCode')}`)) return null
  const stated = text('BilledCost')
  if (stated === null) throw new ReportProblem(at('BilledCost'), 'is empty')
  const currency = text('BillingCurrency')
  const amount = inUsd(floatDecimal(stated, at('BilledCost')), currency, options, at('BillingCurrency'))
  const counted = text('ConsumedQuantity')
  const quantity = counted === null ? null : floatDecimal(counted, at('ConsumedQuantity'))
  const unit = tokensPerUnit(text('ConsumedUnit'))
  const special = CATEGORIES[text('ChargeCategory') ?? '']
  const name = usage?.class ?? `other:${clipped(text('ChargeDescription') ?? 'other')}`
  return {
    ...UNSAID,
    start: instantOf(text('ChargePeriodStart') ?? '', null, at('ChargePeriodStart')),
    end: instantOf(text('ChargePeriodEnd') ?? '', null, at('ChargePeriodEnd')),
    ...{ zone: 'UTC', account: text('SubAccountId'), model: usage?.model ?? null, tier: usage?.tier ?? null },
    class: special ?? (amount < 0n ? 'credit' : name),
    quantity: quantity === null ? null : whole({ ...quantity, digits: quantity.digits * unit }),
    unit: usage !== null && isTokenClass(usage.class) ? 'tokens' : text('ConsumedUnit'),
    ...{ amount, stated, currency, tolerance: 1_000n, place: line },
  }
}

export const focus: ReportSource = {
  ...{ label: 'FOCUS 1.2', settleMs: 48 * HOUR_MS, mayRepeat: true },
  read,
}
