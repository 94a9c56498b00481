import { sql, type Transaction } from 'kysely'
import { partitionOf } from '../../request-log/retention/partitions.ts'
import { DAY_MS } from '../../request-log/usage/rollup.ts'
import type { Database } from '../engine/schema.ts'
import type { Engine } from './migrations.ts'

/** So many pages of 8 KiB are moved with one statement: a quarter of a gigabyte. */
const STEP_PAGES = 32_768

/**
 * The indexes of this migration's time. Each partition gets its own before the parent is told of them, which then takes
 * what is there: one statement a partition, and none of them is long.
 */
const INDEXES: readonly [name: string, columns: string, condition?: string][] = [
  ['workspace', '(workspace, started_at)'],
  ['route', '(workspace, route, started_at)'],
  ['key', '(key_id, started_at)'],
  ['open', '(node)', "where state = 'open'"],
  ['given_up', '(node, started_at)', "where code = 'interrupted'"],
  ['idempotency', '(key_id, idempotency_key, started_at)', 'where idempotency_key is not null'],
]

/** In PostgreSQL the log becomes one table a day: what is older than wanted goes with its table, not row by row. */
export async function partitionRequests(db: Transaction<Database>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return
  await sql`alter table requests rename to requests_before`.execute(db)
  await sql`create table requests (like requests_before including defaults) partition by range (started_at)`.execute(db)
  const found = await sql<{ day: number }>`
    select distinct started_at - mod(started_at, ${sql.lit(DAY_MS)}) as day from requests_before`.execute(db)
  const days = found.rows.map(({ day }) => day).sort((a, b) => a - b)
  for (const day of days) {
    await sql`create table ${sql.table(partitionOf(day))} partition of requests
      for values from (${sql.lit(day)}) to (${sql.lit(day + DAY_MS)})`.execute(db)
  }
  await moveRows(db)
  await sql`drop table requests_before`.execute(db)
  const parts = [...days.map(partitionOf), 'requests']
  for (const part of parts) {
    const table = sql.table(part)
    await sql`alter table ${table} add primary key (id, started_at)`.execute(db)
    for (const [name, columns, condition = ''] of INDEXES) {
      const index = sql.ref(`${part}_${name}`)
      await sql`create index ${index} on ${table} ${sql.raw(`${columns} ${condition}`)}`.execute(db)
    }
  }
}

/** Along the pages of the old table, each of which is read once; the partitions have no index yet. */
async function moveRows(db: Transaction<Database>): Promise<void> {
  const size = await sql<{ pages: number }>`
    select pg_relation_size('requests_before') / current_setting('block_size')::bigint as pages`.execute(db)
  const pages = size.rows[0]?.pages ?? 0
  for (let page = 0; page < pages; page += STEP_PAGES) {
    const [first, next] = [`(${page},0)`, `(${page + STEP_PAGES},0)`]
    await sql`insert into requests select * from requests_before
      where ctid >= ${sql.lit(first)}::tid and ctid < ${sql.lit(next)}::tid`.execute(db)
  }
}
