import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Database } from '../store/engine/schema.ts'

export function isServer(db: Kysely<Database>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** Unix milliseconds by the clock of the database: those of several nodes need not agree. */
export async function databaseNow(db: Kysely<Database>, now: () => number): Promise<number> {
  if (!isServer(db)) return now()
  const { rows } = await sql<{ now: number }>`
    select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now`.execute(db)
  return rows[0]?.now ?? now()
}
