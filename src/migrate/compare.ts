import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ExactInteger } from '../store/engine/exact-integer.ts'
import type { Database } from '../store/engine/schema.ts'
import type { Databases } from './copy-tables.ts'
import type { Mark } from './mark.ts'
import { MOVED_TABLES, type MovedTable, SETTINGS_TABLE } from './tables.ts'

/** A number that is one thing in the source and another in the target. */
export interface Difference {
  figure: string
  source: bigint
  target: bigint
}

/** A table, or the requests of one workspace in one month. */
export interface Comparison {
  rows: bigint
  differences: Difference[]
}

export interface Verdict {
  isEqual: boolean
  tables: (Comparison & { table: string })[]
  months: (Comparison & { month: string; workspace: string; tokens: bigint; costPicodollars: bigint })[]
}

type Figures = Map<string, bigint>

const ROWS = 'rows'
const TEXT_BYTES = 'bytes of text'

/** Rows, the sum of every integer column, and the bytes of all texts: of every table, and by month of the requests. */
export async function compare(databases: Databases, mark: Mark | null): Promise<Verdict> {
  const tables: Verdict['tables'] = []
  let months: Verdict['months'] = []
  const settings = await settingsOf(databases.source)
  for (const table of [...MOVED_TABLES, SETTINGS_TABLE]) {
    const isRequests = table.name === 'requests'
    const columns = await typedColumns(databases.source, table)
    const rows = table === SETTINGS_TABLE ? settings : null
    const source = await sums(databases.source, { table, columns, rows, month: isRequests ? SQLITE_MONTH : null })
    const target = await sums(databases.target, { table, columns, rows, month: isRequests ? POSTGRES_MONTH : null })
    const whole = total(source)
    // Each zero character, a byte, has become three.
    const zeros = BigInt(mark?.tables[table.name]?.zeros ?? 0)
    whole.set(TEXT_BYTES, (whole.get(TEXT_BYTES) ?? 0n) + 2n * zeros)
    tables.push({ table: table.name, rows: whole.get(ROWS) ?? 0n, differences: differences(whole, total(target)) })
    if (isRequests) months = compareMonths(source, target)
  }
  const isEqual = [...tables, ...months].every((comparison) => comparison.differences.length === 0)
  return { isEqual, tables, months }
}

function compareMonths(source: Map<string, Figures>, target: Map<string, Figures>): Verdict['months'] {
  return [...new Set([...source.keys(), ...target.keys()])].sort().map((key) => {
    const [month = '', workspace = ''] = JSON.parse(key) as string[]
    const [here = new Map(), there = new Map()] = [source.get(key), target.get(key)]
    const figure = (name: string): bigint => here.get(name) ?? 0n
    return {
      month,
      workspace,
      rows: figure(ROWS),
      tokens: figure('prompt_tokens') + figure('completion_tokens'),
      costPicodollars: figure('cost_picodollars'),
      // Texts are compared over the whole table, where it is known how many characters had to change.
      differences: differences(here, there).filter(({ figure: name }) => name !== TEXT_BYTES),
    }
  })
}

function differences(source: Figures, target: Figures): Difference[] {
  return [...new Set([...source.keys(), ...target.keys()])].flatMap((figure) => {
    const difference = { figure, source: source.get(figure) ?? 0n, target: target.get(figure) ?? 0n }
    return difference.source === difference.target ? [] : [difference]
  })
}

function total(groups: Map<string, Figures>): Figures {
  const sum: Figures = new Map()
  for (const figures of groups.values()) {
    for (const [name, amount] of figures) sum.set(name, (sum.get(name) ?? 0n) + amount)
  }
  return sum
}

const SQLITE_MONTH = sql`strftime('%Y-%m', started_at / 1000, 'unixepoch')`
const POSTGRES_MONTH = sql`to_char(to_timestamp(started_at / 1000) at time zone 'UTC', 'YYYY-MM')`

interface Columns {
  texts: string[]
  integers: string[]
}

async function typedColumns(source: Kysely<Database>, { name }: MovedTable): Promise<Columns> {
  const found = await sql<{ name: string; type: string }>`
    select name, lower(type) as type from pragma_table_info(${name})`.execute(source)
  const named = (isText: boolean) =>
    found.rows.filter(({ type }) => (type === 'text') === isText).map((row) => row.name)
  return { texts: named(true), integers: named(false) }
}

/** The target has its own settings besides. */
async function settingsOf(source: Kysely<Database>): Promise<RawBuilder<unknown>> {
  const found = await source.selectFrom('settings').select('name').execute()
  return sql`name in (${sql.join(found.map(({ name }) => name))})`
}

/** In two parts each, because a sum of 64 bits could overflow. */
const PART = 1_000_000n
const part = sql.raw(String(PART))

interface Summed {
  table: MovedTable
  columns: Columns
  /** By month and workspace; null: all of it together. */
  month: RawBuilder<unknown> | null
  /** Which rows count; null: all of them. */
  rows: RawBuilder<unknown> | null
}

async function sums(db: Kysely<Database>, summed: Summed): Promise<Map<string, Figures>> {
  const { table, month, rows } = summed
  const { texts, integers } = summed.columns
  const bytes = texts.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`)
  const figures = [
    sql`count(*) as ${sql.ref(ROWS)}`,
    sql`coalesce(sum(${bytes.length === 0 ? sql`0` : sql.join(bytes, sql` + `)}), 0) as ${sql.ref(TEXT_BYTES)}`,
    ...integers.flatMap((column) => [
      sql`coalesce(sum(${sql.ref(column)} / ${part}), 0) as ${sql.ref(`${column}/`)}`,
      sql`coalesce(sum(${sql.ref(column)} % ${part}), 0) as ${sql.ref(`${column}%`)}`,
    ]),
  ]
  const group = month === null ? sql`'' as month, '' as workspace` : sql`${month} as month, workspace`
  const found = await sql<Record<string, ExactInteger> & { month: string; workspace: string }>`
    select ${group}, ${sql.join(figures)} from ${sql.table(table.name)}
    ${rows === null ? sql`` : sql`where ${rows}`}
    group by 1, 2`.execute(db)
  return new Map(
    found.rows.map(({ month, workspace, ...row }) => {
      const amounts: Figures = new Map([ROWS, TEXT_BYTES].map((name) => [name, BigInt(row[name] ?? 0)]))
      for (const name of integers) {
        amounts.set(name, BigInt(row[`${name}/`] ?? 0) * PART + BigInt(row[`${name}%`] ?? 0))
      }
      return [JSON.stringify([month, workspace]), amounts]
    }),
  )
}
