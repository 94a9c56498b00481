import { type Kysely, sql } from 'kysely'
import { ROW_DIMENSIONS } from '../../domain/log/usage-dimensions.ts'
import { mapInTurns } from '../../store/engine/in-turns.ts'
import type { Database } from '../../store/engine/schema.ts'
import { dayOf, isPartitioned } from '../retention/partitions.ts'
import { hasTag } from '../search/tag.ts'
import {
  aliased,
  type Expressions,
  grouped,
  places,
  type Sums,
  summed,
  type UsageQuery,
  type UsageRow,
  usageRow,
} from './group-sums.ts'
import { AMOUNTS, COUNTS, DIMENSIONS, HOUR_MS } from './rollup.ts'

export interface Range {
  from: number
  to: number
}

export function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS) * HOUR_MS
}

/** The hour's end, or the time itself where an hour begins. */
export function hourAfter(time: number): number {
  return Math.ceil(time / HOUR_MS) * HOUR_MS
}

/** False once retention has taken rows of this hour: then only its sum as a whole is known. */
export async function hasAllRows(db: Kysely<Database>, workspace: string, hour: number): Promise<boolean> {
  // The oldest go first, so this hour has not been touched yet: no need to count it. Days go as a whole.
  const from = isPartitioned(db) ? dayOf(hour) : 0
  const older = await closedRows(db, workspace, { from, to: hour }).select('id').limit(1).executeTakeFirst()
  if (older !== undefined) return true
  const summed = await db
    .selectFrom('usage_hours')
    .select((select) => select.fn.sum<number | null>('requests').as('requests'))
    .where('workspace', '=', workspace)
    .where('hour', '=', hour)
    .executeTakeFirst()
  const present = await closedRows(db, workspace, { from: hour, to: hour + HOUR_MS })
    .select((select) => select.fn.countAll<number>().as('requests'))
    .executeTakeFirst()
  return (present?.requests ?? 0) >= (summed?.requests ?? 0)
}

export function closedRows(db: Kysely<Database>, workspace: string, range: Range) {
  return db
    .selectFrom('requests')
    .where('workspace', '=', workspace)
    .where('started_at', '>=', range.from)
    .where('started_at', '<', range.to)
    .where('state', '=', 'closed')
}

/** Of a request; those that only rows have may be null. */
export const ROW_EXPRESSIONS: Expressions = {
  ...DIMENSIONS,
  ...Object.fromEntries(ROW_DIMENSIONS.map(({ column }) => [column, sql`coalesce(${sql.ref(column)}, '')`])),
}

/** The closed rows of a range that a question is about. */
export function askedRows(db: Kysely<Database>, query: UsageQuery, range: Range) {
  let rows = closedRows(db, query.workspace, range)
  for (const [column, value] of Object.entries(query.filters)) {
    const isOwn = ROW_DIMENSIONS.some((dimension) => dimension.column === column) && value !== ''
    // Of what only rows have the column itself: so its index is used.
    rows = rows.where(sql<boolean>`${isOwn ? sql.ref(column) : ROW_EXPRESSIONS[column]} = ${value}`)
  }
  return query.tag === undefined || query.tag === null ? rows : rows.where(hasTag(query.tag))
}

/** The query of their sums. */
export function rowSums(db: Kysely<Database>, query: UsageQuery, range: Range, counts: Expressions) {
  const columns = grouped(query, ROW_EXPRESSIONS)
  return askedRows(db, query, range)
    .select([...aliased(columns), ...summed(counts, AMOUNTS)])
    .groupBy(places(columns))
}

export async function sumsOfRows(
  db: Kysely<Database>,
  query: UsageQuery,
  range: Range,
  counts: Expressions = COUNTS,
): Promise<UsageRow[]> {
  const sums = await rowSums(db, query, range, counts).execute()
  return mapInTurns(sums, (row) => usageRow(row as Sums, query))
}
