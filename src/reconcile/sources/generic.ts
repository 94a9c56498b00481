import { isKnownClass, LINE_CLASSES, quoted, type ReportLine, ReportProblem, UNSAID } from '../line.ts'
import { type CsvRecord, csvRecords } from '../read/csv.ts'
import { plainDecimal, printedTolerance, whole } from '../read/decimal.ts'
import { checkZone, daySpan, instantOf } from '../read/times.ts'
import { inUsd } from './money.ts'
import { HOUR_MS, type ReadOptions, type ReportSource } from './source.ts'

/** The project's own form, for what has no parser. */
async function* read(
  chunks: AsyncIterable<string> | Iterable<string>,
  options: ReadOptions,
): AsyncGenerator<ReportLine> {
  for await (const record of csvRecords(chunks)) yield lineOf(record, options)
}

function lineOf({ line, values }: CsvRecord, options: ReadOptions): ReportLine {
  const at = (field: string) => `line ${line}, ${field}`
  const text = (field: string) => values[field]?.trim() || null
  const name = text('class')
  if (name === null || !isKnownClass(name)) {
    const known = `${LINE_CLASSES.join(', ')}, tool:NAME, fee, credit or tax`
    throw new ReportProblem(at('class'), `${quoted(name ?? '')} is not a class; write ${known}`)
  }
  const [stated, quantity, requests] = [text('amount'), text('quantity'), text('requests')]
  if (stated === null && quantity === null) throw new ReportProblem(at('amount'), 'amount and quantity are both empty')
  const value = stated === null ? null : plainDecimal(stated, at('amount'))
  const amount = value === null ? null : inUsd(value, text('currency'), options, at('currency'))
  return {
    ...UNSAID,
    ...periodOf(values, at),
    ...{ account: text('account'), model: text('model'), tier: text('tier'), stated, amount, place: line },
    class: amount !== null && amount < 0n ? 'credit' : name,
    quantity: quantity === null ? null : whole(plainDecimal(quantity, at('quantity'))),
    unit: text('unit'),
    currency: value === null ? null : (text('currency') ?? '').toUpperCase(),
    requests: requests === null ? null : whole(plainDecimal(requests, at('requests'))),
    tolerance: value === null ? 0n : printedTolerance(value),
  }
}

function periodOf(values: CsvRecord['values'], at: (field: string) => string) {
  const [date, from, to] = [values['date']?.trim(), values['start']?.trim(), values['end']?.trim()]
  const named = values['time_zone']?.trim() || null
  const zone = named === null ? null : checkZone(named, at('time_zone'))
  if (date) {
    if (zone === null) throw new ReportProblem(at('date'), `${quoted(date)} has no time zone; add a column time_zone`)
    return { zone, ...daySpan(date, zone, at('date')) }
  }
  if (!from || !to) throw new ReportProblem(at('date'), 'write date, or both start and end')
  const [start, end] = [instantOf(from, zone, at('start')), instantOf(to, zone, at('end'))]
  if (end <= start) throw new ReportProblem(at('end'), 'must be later than start')
  return { zone: zone ?? 'UTC', start, end }
}

export const genericCsv: ReportSource = {
  ...{ label: 'CSV', settleMs: 24 * HOUR_MS, mayRepeat: false },
  read,
}
