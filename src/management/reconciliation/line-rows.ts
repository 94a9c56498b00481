import type { StoredLine } from '../../reconcile/merge.ts'
import type { OrderedLine } from '../../reconcile/read-report.ts'
import { exactInteger } from '../../store/engine/exact-integer.ts'
import type { ReportImportsTable, ReportLinesTable } from '../../store/engine/report-tables.ts'

const integer = (value: bigint | null) => (value === null ? null : exactInteger(value))
const bigint = (value: number | bigint | null) => (value === null ? null : BigInt(value))

export function rowFromLine(
  line: OrderedLine,
  { id, source, provider }: Pick<ReportImportsTable, 'id' | 'source' | 'provider'>,
  index: number,
): ReportLinesTable {
  return {
    ...{ id: `${id}-${index}`, import_id: id, source, provider, starts_at: line.start, ends_at: line.end },
    ...{ zone: line.zone, account: line.account, model: line.model, tier: line.tier, class: line.class },
    ...{ quantity: integer(line.quantity), unit: line.unit, amount_picodollars: integer(line.amount) },
    ...{ stated: line.stated, currency: line.currency, requests: integer(line.requests) },
    ...{ tolerance_picodollars: exactInteger(line.tolerance), ordinal: line.ordinal },
  }
}

export interface ImportedLine extends StoredLine {
  /** The provider that was named at the import. */
  importedFor: string
}

export function lineFromRow(row: ReportLinesTable): ImportedLine {
  return {
    ...{ lineId: row.id, source: row.source, start: row.starts_at, end: row.ends_at, zone: row.zone },
    ...{ account: row.account, model: row.model, tier: row.tier, class: row.class, unit: row.unit },
    ...{ quantity: bigint(row.quantity), amount: bigint(row.amount_picodollars), requests: bigint(row.requests) },
    ...{ stated: row.stated, currency: row.currency, tolerance: BigInt(row.tolerance_picodollars) },
    ...{ ordinal: row.ordinal, id: null, place: 0, importedFor: row.provider },
  }
}
