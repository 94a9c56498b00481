import { clipped, type ReportLine, ReportProblem, UNSAID } from '../line.ts'
import { type CsvRecord, csvRecords } from '../read/csv.ts'
import { floatDecimal, whole } from '../read/decimal.ts'
import { instantOf } from '../read/times.ts'
import { tokensPerUnit, usageTypeOf } from './aws-usage-type.ts'
import { inUsd } from './money.ts'
import { HOUR_MS, type ReadOptions, type ReportSource } from './source.ts'

const REQUIRED = ['line_item_usage_start_date', 'line_item_usage_type', 'line_item_unblended_cost']

/** The lines of model calls in a Cost and Usage Report 2.0; all other services are skipped. */
async function* read(
  chunks: AsyncIterable<string> | Iterable<string>,
  options: ReadOptions,
): AsyncGenerator<ReportLine> {
  for await (const record of csvRecords(chunks)) {
    const missing = REQUIRED.find((name) => record.values[name] === undefined)
    if (missing !== undefined) throw new ReportProblem('line 1', `the column ${missing} is missing`)
    if (isModelLine(record.values)) yield lineOf(record, options)
  }
}

function isModelLine(values: CsvRecord['values']): boolean {
  return (
    /bedrock/i.test(values['line_item_product_code'] ?? '') ||
    usageTypeOf(values['line_item_usage_type'] ?? '') !== null
  )
}

const LINE_TYPES: Readonly<Record<string, string>> = { Tax: 'tax', Credit: 'credit', Refund: 'credit', Fee: 'fee' }

function lineOf({ line, values }: CsvRecord, options: ReadOptions): ReportLine {
  const at = (field: string) => `line ${line}, ${field}`
  const text = (field: string) => values[field]?.trim() || null
  const usage = usageTypeOf(text('line_item_usage_type') ?? '')
  // The vendor's documentation: times are UTC.
  const start = instantOf(text('line_item_usage_start_date') ?? '', 'UTC', at('line_item_usage_start_date'))
  const end = text('line_item_usage_end_date')
  const stated = text('line_item_unblended_cost') ?? '0'
  const currency = text('line_item_currency_code') ?? 'USD'
  const value = floatDecimal(stated, at('line_item_unblended_cost'))
  const amount = inUsd(value, currency, options, at('line_item_currency_code'))
  const counted = text('line_item_usage_amount')
  const quantity = counted === null ? null : floatDecimal(counted, at('line_item_usage_amount'))
  const unit = tokensPerUnit(text('pricing_unit'))
  const special = LINE_TYPES[text('line_item_line_item_type') ?? '']
  const name = usage?.class ?? `other:${clipped(text('line_item_usage_type') ?? 'other')}`
  return {
    ...UNSAID,
    ...{
      start,
      end: end === null ? start + HOUR_MS : instantOf(end, 'UTC', at('line_item_usage_end_date')),
      zone: 'UTC',
    },
    account: text('line_item_usage_account_id'),
    ...{ model: usage?.model ?? null, tier: usage?.tier ?? null },
    class: special ?? (amount < 0n ? 'credit' : name),
    quantity: quantity === null ? null : whole({ ...quantity, digits: quantity.digits * unit }),
    unit: usage === null ? text('pricing_unit') : 'tokens',
    ...{ amount, stated, currency, tolerance: 1_000n, id: text('identity_line_item_id'), place: line },
  }
}

export const awsCur: ReportSource = {
  ...{ label: 'AWS Cost and Usage Report 2.0', settleMs: 48 * HOUR_MS, mayRepeat: true },
  read,
}
