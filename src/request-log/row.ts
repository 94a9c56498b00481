import { LOG_FIELDS, type LogFields } from '../domain/log/fields.ts'
import type { FieldKind, LogField } from '../domain/log/log-field.ts'
import { PROMPT_CLASSES } from '../domain/pricing/classes.ts'
import { NO_USAGE, type TokenUsage } from '../domain/pricing/usage.ts'
import type { ExactInteger } from '../store/engine/exact-integer.ts'
import type { NewRequestRow, RequestRow } from '../store/engine/schema.ts'
import { COMMIT_FIELDS, OPEN_FIELDS, SPOOLED_FIELDS } from './spool/record-lines.ts'

export type FullRow = Required<NewRequestRow>
type RequestColumn = LogFields['column']
type Value = ExactInteger | string | null

/** How each kind of value goes from the spool into the row. No value of a record may stop the log. */
const TO_ROW: Record<FieldKind, (value: never) => unknown> = {
  id: same,
  state: same,
  text: text,
  code: text,
  time: count,
  end: whole,
  whole,
  count,
  microseconds: count,
  flag: (value: boolean) => (value ? 1 : 0),
  money: (digits: string | null) => (digits === null ? null : money(digits)),
  hold,
  texts: (values: string[]) => (values.length === 0 ? '[]' : JSON.stringify(values)),
  adjustments: (values: unknown[]) => (values.length === 0 ? null : JSON.stringify(values)),
  attempts: same,
  tags: json,
  figures: json,
}

/** What an open row holds of the fields that are known only at the end. */
const AT_FIRST: Partial<Record<FieldKind, Value>> = { count: 0, microseconds: 0, flag: 0, texts: '[]', attempts: '[]' }

const STORED_COLUMNS = SPOOLED_FIELDS.map(({ column }) => column) as RequestColumn[]
const CONVERSIONS = SPOOLED_FIELDS.map(({ kind }) => TO_ROW[kind]) as ((value: unknown) => Value)[]
const OTHER_FIELDS: LogField[] = LOG_FIELDS.filter(({ from }) => from === 'row')

/** Every column, in the order in which the fold writes them and in which rows are built. */
export const REQUEST_COLUMNS: readonly RequestColumn[] = [
  ...STORED_COLUMNS,
  ...OTHER_FIELDS.map(({ column }) => column as RequestColumn),
]

/** Those in an index. A call has them from its beginning: its end says the same of them. */
export const INDEXED_COLUMNS: ReadonlySet<string> = new Set(
  LOG_FIELDS.flatMap((field: LogField) => (field.isIndexed === true ? field.column : [])),
)

const OPEN_VALUES = [...SPOOLED_FIELDS, ...OTHER_FIELDS].map(({ kind }) => AT_FIRST[kind] ?? null)

/** A row that the fold writes: its values in the order of the columns, each of them also under its column's name. */
export type FoldedRow = FullRow & { readonly values: Value[] }

/** A look at the values, because building an object of them would take longer than everything else the fold does here. */
class Look {
  readonly values: Value[]

  constructor(values: Value[]) {
    this.values = values
  }
}

for (const [place, column] of REQUEST_COLUMNS.entries()) {
  Object.defineProperty(Look.prototype, column, {
    get(this: Look) {
      return this.values[place]
    },
    set(this: Look, value: Value) {
      this.values[place] = value
    },
  })
}

/** `values` are those of an opening line. */
export function openRow(values: readonly unknown[], node: string): FoldedRow {
  return Object.assign(filled(values, OPEN_FIELDS.length), { state: 'open' as const, node })
}

export interface ClosedCall {
  /** Those of a closing line. */
  values: readonly unknown[]
  /** JSON. */
  attempts: string
}

export function closedRow({ values, attempts }: ClosedCall, node: string): FoldedRow {
  const row = filled(values, STORED_COLUMNS.length)
  row.state = 'closed'
  row.attempts = attempts
  row.node = node
  row.prompt_tokens = promptTokens(row)
  return row
}

/** The columns that a commit mark fills in an open row; the first two say in which. */
export const COMMIT_COLUMNS = [...COMMIT_FIELDS.map(({ column }) => column as RequestColumn), 'prompt_tokens'] as const

/** `values` are those of a commit mark. */
export function committed(values: readonly unknown[]): Partial<FullRow> & Pick<FullRow, 'id' | 'started_at'> {
  const row: Record<string, Value> = {}
  for (const [index, { column, kind }] of COMMIT_FIELDS.entries()) {
    row[column as string] = TO_ROW[kind](values[index] as never) as Value
  }
  const filled = row as unknown as FullRow
  return { ...filled, prompt_tokens: promptTokens(filled) }
}

function filled(spooled: readonly unknown[], length: number): FoldedRow {
  const values = [...OPEN_VALUES]
  for (let place = 0; place < length; place++) values[place] = (CONVERSIONS[place] ?? same)(spooled[place])
  return new Look(values) as unknown as FoldedRow
}

/** Null when nothing was served. */
function promptTokens(row: FullRow): number | null {
  if (row.input_tokens === null) return null
  let tokens = 0
  for (const { column } of PROMPT_CLASSES) tokens += row[column] ?? 0
  return whole(tokens)
}

/** Null where it holds nothing. */
function json(values: object | null): string | null {
  return values === null || Object.keys(values).length === 0 ? null : JSON.stringify(values)
}

function same(value: unknown): Value {
  return value as Value
}

const LARGEST_INTEGER = 2n ** 63n - 1n

/** A caller may ask for an answer beyond all bounds. */
function hold(picodollars: string | null): ExactInteger | null {
  if (picodollars === null) return null
  const amount = money(picodollars)
  return amount > LARGEST_INTEGER ? LARGEST_INTEGER : amount
}

/** Numbers where they are exact: they take a fraction of a bigint's time. */
function money(digits: string): ExactInteger {
  const amount = Number(digits)
  return Number.isSafeInteger(amount) ? amount : BigInt(digits)
}

/** PostgreSQL refuses fractions in an integer column. Beyond exact numbers the engines would not store the same. */
function whole(value: number | null): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  return Number.isSafeInteger(value) ? value : Math.min(Math.round(value), Number.MAX_SAFE_INTEGER)
}

function count(value: number): number {
  return whole(value) ?? 0
}

/** PostgreSQL has no text with a NUL in it, and callers may send one. */
function text(value: string | null): string | null {
  return value?.includes('\u0000') ? value.replaceAll('\u0000', '\ufffd') : value
}

type UsageField = Extract<LogFields, { from: 'usage' }>
const USAGE_FIELDS = LOG_FIELDS.filter((field): field is UsageField => field.from === 'usage')
export const USAGE_COLUMNS = ['prompt_tokens', 'uses', ...USAGE_FIELDS.map(({ column }) => column)] as const

type UsageColumns = Pick<RequestRow, (typeof USAGE_COLUMNS)[number]>

/** What the provider counted, as the price takes it; null when nothing was served. */
export function usageOf(row: UsageColumns): TokenUsage | null {
  if (row.prompt_tokens === null) return null
  const usage = { ...NO_USAGE }
  for (const { name, column } of USAGE_FIELDS) usage[name] = row[column] ?? NO_USAGE[name]
  if (row.uses !== null) usage.uses = JSON.parse(row.uses)
  return usage
}
