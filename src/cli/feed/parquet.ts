import { parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer'
import { LOG_FIELDS, publicName } from '../../domain/log/fields.ts'
import type { FieldKind } from '../../domain/log/log-field.ts'
import { picodollarsOfUsd } from '../../domain/pricing/price.ts'
import { CliError } from '../cli-error.ts'
import type { FedLine } from './feed-target.ts'

/** Of a column: its type in Parquet, and a value of the feed as one of it. */
interface ParquetKind {
  type: Readonly<Omit<SchemaElement, 'name'>>
  value(shown: never): unknown
}

const STRING = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
/** A picodollar is the last of twelve decimals; 38 digits are what every reader knows, and more than any sum needs. */
const USD = {
  type: 'FIXED_LEN_BYTE_ARRAY',
  type_length: 16,
  converted_type: 'DECIMAL',
  scale: 12,
  precision: 38,
} as const
const INSTANT = { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } } as const

const TEXT: ParquetKind = { type: STRING, value: (text: string) => text }
/** Nested values stay one column, as in CSV: readers have functions for JSON. */
const JSON_TEXT: ParquetKind = { type: STRING, value: (value: unknown) => JSON.stringify(value) }
const WHOLE: ParquetKind = { type: { type: 'INT64' }, value: (count: number) => BigInt(count) }
const FLAG: ParquetKind = { type: { type: 'BOOLEAN' }, value: (flag: boolean) => flag }
const TIME: ParquetKind = { type: INSTANT, value: (time: string) => BigInt(Date.parse(time)) }
/** Unscaled, so that no digit passes through a floating-point number. */
const MONEY: ParquetKind = { type: USD, value: (usd: string) => picodollarsOfUsd(usd) }

const KINDS: Record<FieldKind, ParquetKind> = {
  ...{ id: TEXT, state: TEXT, text: TEXT, code: TEXT, time: TIME, end: TIME, flag: FLAG },
  ...{ whole: WHOLE, count: WHOLE, microseconds: WHOLE, money: MONEY, hold: MONEY },
  ...{ texts: JSON_TEXT, adjustments: JSON_TEXT, attempts: JSON_TEXT, tags: JSON_TEXT, figures: JSON_TEXT },
}

const COLUMNS: readonly { name: string; kind: ParquetKind }[] = [
  { name: 'cursor', kind: TEXT },
  ...LOG_FIELDS.flatMap((field) => {
    const name = publicName(field, 'export')
    return name === null ? [] : [{ name, kind: KINDS[field.kind] }]
  }),
]
const SCHEMA: readonly SchemaElement[] = [
  { name: 'request', num_children: COLUMNS.length },
  ...COLUMNS.map(({ name, kind }): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...kind.type })),
]
const NAMES = new Set(COLUMNS.map(({ name }) => name))

/** One file of these rows. The columns are always the same, also where a batch has no value for one. */
export function parquetOf(lines: readonly FedLine[]): Uint8Array {
  const rows = lines.map(({ text }) => JSON.parse(text) as Record<string, unknown>)
  for (const row of rows) {
    const unknown = Object.keys(row).find((name) => !NAMES.has(name))
    // Left out silently, a bill could lack it.
    if (unknown !== undefined)
      throw new CliError(`the gateway is newer than this command, which does not know the column '${unknown}'`, 1)
  }
  const columnData = COLUMNS.map(({ name, kind: { value } }) => ({
    name,
    data: rows.map((row) => (row[name] == null ? null : value(row[name] as never))),
  }))
  return new Uint8Array(parquetWriteBuffer({ columnData, schema: [...SCHEMA], createdBy: 'switchyard' }))
}
