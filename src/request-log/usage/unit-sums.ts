import { type Kysely, sql } from 'kysely'
import type { RowDimensionColumn } from '../../domain/log/usage-dimensions.ts'
import type { Database } from '../../store/engine/schema.ts'
import { isPartitioned } from '../retention/partitions.ts'
import {
  aliased,
  type Expressions,
  grouped,
  placeOf,
  places,
  type Sums,
  summed,
  type UsageQuery,
  type UsageRow,
} from './group-sums.ts'
import { columnsOf, DAY_MS, DIMENSIONS } from './rollup.ts'
import { askedRows, hourOf, type Range, ROW_EXPRESSIONS } from './sum-rows.ts'
import { NO_SUMS } from './sums.ts'

/**
 * What the calls of a range used beside tokens, as rows that have nothing but `uses`. From the sums: by the day as far
 * as that goes.
 */
export async function unitsOfHours(db: Kysely<Database>, query: UsageQuery, { from, to }: Range): Promise<UsageRow[]> {
  const daysFrom = query.interval === 'hour' ? to : Math.min(Math.ceil(from / DAY_MS) * DAY_MS, to)
  const daysTo = Math.max(daysFrom, to - (to % DAY_MS))
  return [
    ...(await unitsOf(db, query, 'hour', { from, to: daysFrom })),
    ...(await unitsOf(db, query, 'day', { from: daysFrom, to: daysTo })),
    ...(await unitsOf(db, query, 'hour', { from: daysTo, to })),
  ]
}

async function unitsOf(
  db: Kysely<Database>,
  query: UsageQuery,
  step: 'hour' | 'day',
  range: Range,
): Promise<UsageRow[]> {
  if (range.from >= range.to) return []
  let found = db
    .selectFrom('usage_units')
    .where('workspace', '=', query.workspace)
    .where('step', '=', step)
    .where('start', '>=', range.from)
    .where('start', '<', range.to)
  for (const [column, value] of Object.entries(query.filters)) {
    found = found.where(sql<boolean>`${sql.ref(column)} = ${value}`)
  }
  const columns = { ...grouped(query, { ...columnsOf(DIMENSIONS), hour: sql.ref('start') }), unit: sql.ref('unit') }
  const sums = await found
    .select([...aliased(columns), ...summed({}, { quantity: sql.ref('quantity') })])
    .groupBy(places(columns))
    .execute()
  return sums.map((row) => unitRow(row as Sums, query))
}

/** Groups with rows of their own; all others are the rest. */
interface Named {
  column: RowDimensionColumn
  named: ReadonlySet<string>
}

/** From the rows themselves. */
export async function unitsOfRows(
  db: Kysely<Database>,
  query: UsageQuery,
  range: Range,
  groups?: Named,
): Promise<UsageRow[]> {
  if (!(await hasUnits(db, query.workspace, range))) return []
  const columns =
    groups === undefined ? grouped(query, ROW_EXPRESSIONS) : restOf(grouped(query, ROW_EXPRESSIONS), groups)
  const rows = askedRows(db, query, range)
    .where('uses', 'is not', null)
    .select([...aliased(columns), 'uses'])
  // The engines have different names for the same.
  const each = isPartitioned(db) ? sql`json_each_text(cast(uses as json))` : sql`json_each(uses)`
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)))
  const units = sql`select ${names}, used.key as unit, cast(used.value as bigint) as quantity from ${rows} as asked, ${each} as used`
  const listed = { ...columnsOf(columns), unit: sql.ref('unit') }
  const sums = await db
    .selectFrom(sql<Record<string, never>>`(${units})`.as('units'))
    .select([...aliased(listed), ...summed({}, { quantity: sql.ref('quantity') })])
    .groupBy(places(listed))
    .execute()
  return sums.map((row) => unitRow(row as Sums, query))
}

function restOf(columns: Expressions, { column, named }: Named): Expressions {
  const value = ROW_EXPRESSIONS[column] ?? sql`''`
  const isNamed = named.size === 0 ? sql`1 = 0` : sql`${value} in (${sql.join([...named])})`
  return {
    ...columns,
    [column]: sql`case when ${isNamed} then ${value} else '' end`,
    is_rest: sql`case when ${isNamed} then 0 else 1 end`,
  }
}

/** Most workspaces have none: their rows need not be read for them. */
async function hasUnits(db: Kysely<Database>, workspace: string, { from, to }: Range): Promise<boolean> {
  const found = await db
    .selectFrom('usage_units')
    .select('start')
    .where('workspace', '=', workspace)
    .where('step', '=', 'hour')
    .where('start', '>=', hourOf(from))
    .where('start', '<', to)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

const PART = 1_000_000_000n

function unitRow(row: Sums, query: UsageQuery): UsageRow {
  const quantity = BigInt(row['quantity_high'] ?? 0) * PART + BigInt(row['quantity_low'] ?? 0)
  return { ...NO_SUMS, ...placeOf(row, query), uses: { [String(row['unit'])]: quantity } }
}
