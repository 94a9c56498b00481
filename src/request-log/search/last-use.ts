import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { dayOf, isPartitioned } from '../retention/partitions.ts'
import { DAY_MS, HOUR_MS } from '../usage/rollup.ts'

/**
 * When the newest call of each key began, in Unix milliseconds; nothing for a key whose calls the log does not have.
 * SQLite finds it at the end of an index. PostgreSQL has such an end in every partition: there the hourly sums say in
 * which one to look, after those of today and yesterday, which also have the calls that run.
 */
export async function lastUse(db: Kysely<Database>, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  if (!isPartitioned(db)) return run(db, [newest('requests', 'started_at', ids)])
  const recent = dayOf(Date.now()) - DAY_MS
  const used = await run(db, [newest('requests', 'started_at', ids, { from: recent, to: null })])
  const idle = ids.filter((id) => !used.has(id))
  if (idle.length === 0) return used
  const hours = Map.groupBy(await run(db, [newest('usage_hours', 'hour', idle)]), ([, hour]) => hour)
  const older = [...hours].map(([hour, keys]) => {
    const range = { from: hour, to: hour + HOUR_MS }
    const of = keys.map(([id]) => id)
    return newest('requests', 'started_at', of, range)
  })
  return older.length === 0 ? used : new Map([...used, ...(await run(db, older))])
}

/** One index lookup for each key, however long its history. */
function newest(
  table: 'requests' | 'usage_hours',
  column: 'started_at' | 'hour',
  ids: readonly string[],
  range: { from: number; to: number | null } | null = null,
): RawBuilder<unknown> {
  const time = sql.ref(column)
  const from = range === null ? sql`` : sql`and ${time} >= ${sql.lit(range.from)}`
  const to = range === null || range.to === null ? sql`` : sql`and ${time} < ${sql.lit(range.to)}`
  return sql`
    select id, (select max(${time}) from ${sql.table(table)} where key_id = keys.id ${from} ${to}) as time
    from keys where id in (${sql.join(ids)})`
}

async function run(db: Kysely<Database>, selects: RawBuilder<unknown>[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; time: number | null }>`${sql.join(selects, sql` union all `)}`.execute(db)
  return new Map(rows.flatMap(({ id, time }) => (time === null ? [] : [[id, time] as const])))
}
