import { type Kysely, sql } from 'kysely'
import { ROW_DIMENSIONS, type RowDimensionColumn } from '../../domain/log/usage-dimensions.ts'
import { mapInTurns } from '../../store/engine/in-turns.ts'
import type { Database } from '../../store/engine/schema.ts'
import { newestFirst } from '../search/windows.ts'
import {
  type Expressions,
  figureNames,
  merged,
  type Sums,
  type Usage,
  type UsageQuery,
  type UsageRow,
  usageRow,
} from './group-sums.ts'
import { AMOUNTS, COUNTS, HOUR_MS, PLAIN_COUNT_COLUMNS } from './rollup.ts'
import { closedRows, hasAllRows, hourOf, type Range, rowSums, sumsOfRows } from './sum-rows.ts'
import { unitsOfRows } from './unit-sums.ts'

/** The most expensive of a range are listed, the others summed: callers can create any number. */
const MOST_GROUPS = 1_000
const MOST_GROUPS_OVER_TIME = 50

/** Whether only the rows know: users, sessions and tags are callers' words, and no sums are kept by them. */
export function asksRows({ filters, groupBy, tag = null }: UsageQuery): boolean {
  return tag !== null || isSpread({ groupBy }) || ROW_DIMENSIONS.some(({ column }) => filters[column] !== undefined)
}

/** Whether every row of the range is looked at, not those of one user or session along their index. */
export function readsWholeRange({ filters, groupBy, tag = null }: Omit<UsageQuery, 'from' | 'to' | 'now'>): boolean {
  const isNarrow = ROW_DIMENSIONS.some(({ column }) => (filters[column] ?? '') !== '')
  return !isNarrow && (tag !== null || isSpread({ groupBy }) || ROW_DIMENSIONS.some(({ column }) => column in filters))
}

function isSpread({ groupBy }: Pick<UsageQuery, 'groupBy'>): boolean {
  return columnOf(groupBy) !== null
}

function columnOf(groupBy: UsageQuery['groupBy']): RowDimensionColumn | null {
  return ROW_DIMENSIONS.find(({ parameter }) => parameter === groupBy)?.column ?? null
}

/** From the rows alone; where retention has taken some, from the first hour that is whole. */
export async function readAttributed(
  db: Kysely<Database>,
  query: UsageQuery,
  most = query.interval === null ? MOST_GROUPS : MOST_GROUPS_OVER_TIME,
): Promise<Usage> {
  const from = await wholeFrom(db, query)
  const covered = { from, to: query.to }
  if (from >= query.to) return { ...covered, rows: [] }
  // Times take three quarters of the effort: not where millions of rows are read.
  const counts = readsWholeRange(query) ? PLAIN_COUNT_COLUMNS : COUNTS
  const column = columnOf(query.groupBy)
  if (column !== null) {
    const rows = await costliest(db, query, { covered, counts, column, most })
    const named = new Set(rows.flatMap(({ group, isRest }) => (isRest ? [] : group)))
    const units = await unitsOfRows(db, query, covered, { column, named })
    return { ...covered, rows: merged([...rows, ...units]) }
  }
  const found: UsageRow[] = []
  for await (const window of newestFirst(db, covered)) {
    const range = { from: window.from ?? from, to: window.to ?? query.to }
    found.push(...(await sumsOfRows(db, query, range, counts)))
  }
  found.push(...(await unitsOfRows(db, query, covered)))
  return { ...covered, rows: merged(found) }
}

interface Costliest {
  covered: Range
  counts: Expressions
  column: RowDimensionColumn
  most: number
}

/** The sums of the costliest groups, and of all others as one: in one pass over the rows, and few come back. */
async function costliest(db: Kysely<Database>, query: UsageQuery, asked: Costliest): Promise<UsageRow[]> {
  const { covered, counts, column, most } = asked
  const [name, isNamed] = [sql.ref(column), sql`place <= ${sql.lit(most)}`]
  const figures = figureNames(counts, AMOUNTS).map((figure) => sql`sum(${sql.ref(figure)}) as ${sql.ref(figure)}`)
  const found = await sql<Sums>`
    with sums as materialized ${rowSums(db, query, covered, counts)},
    ranked as (
      select ${name} as name, row_number() over (order by
        sum(cost_picodollars_high) * 1000000000.0 + sum(cost_picodollars_low) desc, sum(requests) desc, ${name}) as place
      from sums group by ${name})
    select start, case when ${isNamed} then name else '' end as ${name}, case when ${isNamed} then 0 else 1 end as is_rest,
      ${sql.join(figures)}
    from sums join ranked on ranked.name = sums.${name} group by 1, 2, 3`.execute(db)
  return mapInTurns(found.rows, (row) => usageRow(row, query))
}

/** The beginning of the range, or of what is left of it: retention takes the oldest rows first. */
export async function wholeFrom(
  db: Kysely<Database>,
  { workspace, from, to }: Pick<UsageQuery, 'workspace' | 'from' | 'to'>,
): Promise<number> {
  const summed = await db
    .selectFrom('usage_hours')
    .select(({ fn }) => [fn.min<number | null>('hour').as('first'), fn.max<number | null>('hour').as('last')])
    .where('workspace', '=', workspace)
    .where('hour', '>=', hourOf(from))
    .where('hour', '<', to)
    .where('requests', '>', 0)
    .executeTakeFirst()
  const { first = null, last = null } = summed ?? {}
  if (first === null || last === null) return from
  const oldest = await oldestRow(db, workspace, { from: hourOf(from), to })
  if (oldest === null) return Math.min(last + HOUR_MS, to)
  const hour = hourOf(oldest)
  const isWhole = await hasAllRows(db, workspace, hour)
  if (isWhole && hour <= first) return from
  return Math.max(from, isWhole ? hour : hour + HOUR_MS)
}

async function oldestRow(
  db: Kysely<Database>,
  workspace: string,
  range: { from: number; to: number },
): Promise<number | null> {
  const oldest = await closedRows(db, workspace, range).select('started_at').orderBy('started_at').limit(1).execute()
  return oldest[0]?.started_at ?? null
}
