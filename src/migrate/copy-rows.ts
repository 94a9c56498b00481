import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../store/engine/schema.ts'
import type { TableMark } from './mark.ts'
import type { MovedTable } from './tables.ts'

/** Rows that one statement moves. More at a time are not faster, and a kill would waste them. */
export const BATCH_ROWS = 2_000

export interface Batch {
  /** A list of objects, written by SQLite and read by PostgreSQL: no integer passes through a double on its way. */
  json: string
  rows: number
  /** Where the table is, once the batch has been written. */
  mark: TableMark
}

/** The columns of the embedded database; the target has the same. */
export async function columnsOf(source: Kysely<Database>, { name }: MovedTable): Promise<string[]> {
  const found = await sql<{ name: string }>`select name from pragma_table_info(${name}) order by cid`.execute(source)
  return found.rows.map((column) => column.name)
}

/** The rows behind the mark, in the order of the key; null when there are none. */
export async function readBatch(
  source: Kysely<Database>,
  table: MovedTable,
  mark: TableMark,
  columns: readonly string[],
): Promise<Batch | null> {
  if (mark.isDone) return null
  const last = await lastKey(source, table, mark.after)
  const conditions = [
    ...(mark.after === null ? [] : [compared(table, '>', mark.after)]),
    ...(last === null ? [] : [compared(table, '<=', last)]),
  ]
  const fields = sql.join(columns.flatMap((column) => [sql.lit(column), sql.ref(column)]))
  const found = await sql<{ json: string; rows: number }>`
    select json_group_array(json_object(${fields})) as json, count(*) as rows
    from ${sql.table(table.name)} ${where(conditions)}`.execute(source)
  const { json = '[]', rows = 0 } = found.rows[0] ?? {}
  const { text, zeros } = withoutZeros(json)
  return {
    json: text,
    rows,
    mark: { after: last, rows: mark.rows + rows, zeros: mark.zeros + zeros, isDone: last === null },
  }
}

export async function writeBatch(
  target: Kysely<Database>,
  { name }: MovedTable,
  { json, rows }: Batch,
  columns: readonly string[],
): Promise<void> {
  if (rows === 0) return
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const table = sql.table(name)
  const { numAffectedRows } = await sql`insert into ${table} (${names})
    select ${names} from json_populate_recordset(null::${table}, ${json}::json)`.execute(target)
  if (numAffectedRows !== BigInt(rows)) throw new Error(`${name}: ${numAffectedRows} of ${rows} rows were written`)
}

/** The key at which the batch ends; null when it ends with the table. */
async function lastKey(
  source: Kysely<Database>,
  table: MovedTable,
  after: readonly unknown[] | null,
): Promise<unknown[] | null> {
  const names = sql.join(table.key.map((column) => sql.ref(column)))
  const found = await sql<Record<string, unknown>>`select ${names} from ${sql.table(table.name)}
    ${where(after === null ? [] : [compared(table, '>', after)])}
    order by ${names} limit 1 offset ${sql.lit(BATCH_ROWS - 1)}`.execute(source)
  const row = found.rows[0]
  return row === undefined ? null : table.key.map((column) => row[column])
}

function compared({ key }: MovedTable, operator: '>' | '<=', values: readonly unknown[]): RawBuilder<unknown> {
  const names = sql.join(key.map((column) => sql.ref(column)))
  return sql`(${names}) ${sql.raw(operator)} (${sql.join(values.map((value) => sql`${value}`))})`
}

function where(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`
}

/** As the request log does with what callers send. An escaped backslash before `u0000` makes it plain text. */
function withoutZeros(json: string): { text: string; zeros: number } {
  if (!json.includes('\\u0000')) return { text: json, zeros: 0 }
  let zeros = 0
  const text = json.replace(/\\(u0000|.)/g, (whole, what: string) => {
    if (what !== 'u0000') return whole
    zeros++
    return '\ufffd'
  })
  return { text, zeros }
}
