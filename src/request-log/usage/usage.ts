import { type Kysely, sql } from 'kysely'
import { mapInTurns } from '../../store/engine/in-turns.ts'
import type { Database } from '../../store/engine/schema.ts'
import { asksRows, readAttributed } from './attributed.ts'
import {
  aliased,
  grouped,
  merged,
  places,
  type Sums,
  summed,
  type Usage,
  type UsageQuery,
  type UsageRow,
  usageRow,
} from './group-sums.ts'
import { AMOUNTS, COUNTS, columnsOf, DAY_MS, DIMENSIONS, HOUR_MS, readDaysUntil } from './rollup.ts'
import { hasAllRows, hourAfter, hourOf, type Range, sumsOfRows } from './sum-rows.ts'
import { unitsOfHours, unitsOfRows } from './unit-sums.ts'

/**
 * Whole days come from the daily sums, whole hours from the hourly ones, an hour that the range cuts from its rows:
 * exact to the millisecond. What no sums are kept by comes from the rows alone.
 */
export async function readUsage(db: Kysely<Database>, query: UsageQuery): Promise<Usage> {
  if (asksRows(query)) return readAttributed(db, query)
  if (query.interval === 'minute') return readMinutes(db, query)
  const end = query.to >= query.now ? hourAfter(query.to) : query.to
  let hoursFrom = hourAfter(query.from)
  let hoursTo = hourOf(end)
  let { from, to } = query
  const found: UsageRow[] = []
  const rows: Range[] = []
  for (const cut of cutHours(query.from, end)) {
    if (await hasAllRows(db, query.workspace, hourOf(cut.from))) {
      found.push(...(await sumsOfRows(db, query, cut)))
      rows.push(cut)
      continue
    }
    hoursFrom = Math.min(hoursFrom, hourOf(cut.from))
    hoursTo = Math.max(hoursTo, hourAfter(cut.to))
    from = Math.min(from, hoursFrom)
    to = Math.max(to, hoursTo)
  }
  const whole = { from: hoursFrom, to: hoursTo }
  if (hoursFrom < hoursTo) found.push(...(await sumsOfWhole(db, query, whole)))
  found.push(...(await unitsOfHours(db, query, whole)))
  for (const range of rows) found.push(...(await unitsOfRows(db, query, range)))
  return { from, to, rows: merged(found) }
}

/** From the rows alone, and only where all of them are still there: retention takes the oldest first. */
async function readMinutes(db: Kysely<Database>, query: UsageQuery): Promise<Usage> {
  let from = query.from
  for (let hour = hourOf(query.from); hour < query.to; hour += HOUR_MS) {
    if (!(await hasAllRows(db, query.workspace, hour))) from = Math.min(hour + HOUR_MS, query.to)
  }
  if (from >= query.to) return { from, to: query.to, rows: [] }
  const range = { from, to: query.to }
  const rows = [...(await sumsOfRows(db, query, range)), ...(await unitsOfRows(db, query, range))]
  return { ...range, rows: merged(rows) }
}

/** The parts of a range that do not fill their hour: none, one or two. */
function cutHours(from: number, to: number): Range[] {
  if (hourAfter(from) > hourOf(to)) return [{ from, to }]
  const cuts = [
    { from, to: hourAfter(from) },
    { from: hourOf(to), to },
  ]
  return cuts.filter((cut) => cut.from < cut.to)
}

/** Of whole hours: by the day as far as that goes, which is a tenth of the reading or less. */
async function sumsOfWhole(db: Kysely<Database>, query: UsageQuery, { from, to }: Range): Promise<UsageRow[]> {
  const daysFrom = Math.ceil(from / DAY_MS) * DAY_MS
  const until = query.interval === 'hour' ? 0 : Math.min(to, await readDaysUntil(db))
  const daysTo = until - (until % DAY_MS)
  if (daysFrom >= daysTo) return sumsOf(db, query, { table: 'usage_hours', time: 'hour', from, to })
  return [
    ...(await sumsOf(db, query, { table: 'usage_hours', time: 'hour', from, to: daysFrom })),
    ...(await sumsOf(db, query, { table: 'usage_days', time: 'day', from: daysFrom, to: daysTo })),
    ...(await sumsOf(db, query, { table: 'usage_hours', time: 'hour', from: daysTo, to })),
  ]
}

type SumsRange = Range & ({ table: 'usage_hours'; time: 'hour' } | { table: 'usage_days'; time: 'day' })

async function sumsOf(db: Kysely<Database>, query: UsageQuery, range: SumsRange): Promise<UsageRow[]> {
  const { table, time, from, to } = range
  if (from >= to) return []
  // Both tables have the same columns except for the time.
  let found = db
    .selectFrom(table as 'usage_hours')
    .where('workspace', '=', query.workspace)
    .where(sql<boolean>`${sql.ref(time)} >= ${from} and ${sql.ref(time)} < ${to}`)
  for (const [column, value] of Object.entries(query.filters)) {
    found = found.where(sql<boolean>`${sql.ref(column)} = ${value}`)
  }
  const columns = grouped(query, { ...columnsOf(DIMENSIONS), hour: sql.ref(time) })
  const sums = await found
    .select([...aliased(columns), ...summed(columnsOf(COUNTS), columnsOf(AMOUNTS))])
    .groupBy(places(columns))
    .execute()
  return mapInTurns(sums, (row) => usageRow(row as Sums, query))
}
