import { type Kysely, sql } from 'kysely'
import { ROW_DIMENSIONS } from '../../domain/log/usage-dimensions.ts'
import type { Database } from '../../store/engine/schema.ts'
import { newestFirst } from '../search/windows.ts'
import { type Expressions, merged, type Usage, type UsageQuery, type UsageRow } from './group-sums.ts'
import { HOUR_MS } from './rollup.ts'
import { askedRows, closedRows, hasAllRows, hourOf, sumsOfRows } from './sum-rows.ts'

/** The costliest of a range are told apart, all others are one: callers may make as many as they like. */
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

function columnOf(groupBy: UsageQuery['groupBy']): (typeof ROW_DIMENSIONS)[number]['column'] | null {
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
  const replaced = await restOf(db, { ...query, from }, most)
  const found: UsageRow[] = []
  for await (const window of newestFirst(db, covered)) {
    const range = { from: window.from ?? from, to: window.to ?? query.to }
    found.push(...(await sumsOfRows(db, query, range, replaced)))
  }
  return { ...covered, rows: merged(found) }
}

/** What to group by so that all but the costliest groups are one; nothing where there are not that many. */
async function restOf(db: Kysely<Database>, query: UsageQuery, most: number): Promise<Expressions> {
  const column = columnOf(query.groupBy)
  if (column === null) return {}
  const value = sql<string>`coalesce(${sql.ref(column)}, '')`
  const found = await askedRows(db, query, query)
    .select(value.as('name'))
    .groupBy(sql`1`)
    // Micro-dollars are enough for an order, and their sum stays within 64 bits.
    .orderBy(sql`sum(coalesce(cost_picodollars, 0) / 1000000) desc, count(*) desc, 1`)
    .limit(most + 1)
    .execute()
  if (found.length <= most) return {}
  const isTold = sql`${value} in (${sql.join(found.slice(0, most).map(({ name }) => name))})`
  return {
    [column]: sql`case when ${isTold} then ${value} else '' end`,
    is_rest: sql`case when ${isTold} then 0 else 1 end`,
  }
}

/** The beginning of the range, or of what is left of it: retention takes the oldest rows first. */
async function wholeFrom(db: Kysely<Database>, { workspace, from, to }: UsageQuery): Promise<number> {
  const summed = await db
    .selectFrom('usage_hours')
    .select((select) => select.fn.min<number | null>('hour').as('hour'))
    .where('workspace', '=', workspace)
    .where('hour', '>=', hourOf(from))
    .where('hour', '<', to)
    .where('requests', '>', 0)
    .executeTakeFirst()
  const first = summed?.hour ?? null
  if (first === null) return from
  const oldest = await oldestRow(db, workspace, { from: hourOf(from), to })
  if (oldest === null) return to
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
