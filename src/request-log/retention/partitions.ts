import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { DAY_MS } from '../usage/rollup.ts'

/** Any number except the migrations': serializes creating and dropping partitions. */
export const PARTITIONS_LOCK = sql.lit(7_201_944_314)

/** In PostgreSQL the request log is one table a day (UTC); SQLite has it in one piece. */
export function isPartitioned(db: Kysely<Database>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** What makes a call unique: a partitioned table can enforce that only within a partition. */
export function callIdentity(db: Kysely<Database>) {
  return sql.raw(isPartitioned(db) ? 'id, started_at' : 'id')
}

/** The day's beginning, in Unix milliseconds. */
export function dayOf(startedAt: number): number {
  return Math.floor(startedAt / DAY_MS) * DAY_MS
}

export function partitionOf(day: number): string {
  return `requests_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`
}

/** The days that have a partition, the oldest first; foreign partitions are ignored. */
export async function partitionDays(db: Kysely<Database>): Promise<number[]> {
  const found = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'requests'::regclass`.execute(db)
  return found.rows
    .map(({ name }) => Date.parse(name.replace(/^requests_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')))
    .filter((day) => !Number.isNaN(day))
    .sort((a, b) => a - b)
}

/**
 * Makes the partitions that rows of these times need and that are not there yet; nothing to do in SQLite. Not within a
 * transaction that writes requests: it is one of its own, so that nodes wait for each other only as long as this takes.
 */
export async function ensurePartitions(db: Kysely<Database>, startedAts: Iterable<number>): Promise<void> {
  const days = [...new Set([...startedAts].map(dayOf))]
  if (!isPartitioned(db) || days.length === 0) return
  const missing = async (among: Kysely<Database>) => {
    const present = new Set(await partitionDays(among))
    return days.filter((day) => !present.has(day))
  }
  if ((await missing(db)).length === 0) return
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${PARTITIONS_LOCK})`.execute(transaction)
    for (const day of await missing(transaction)) await addPartition(transaction, day)
  })
}

/**
 * Created as a separate table and attached when ready: reads and writes of the log do not wait, while `create table …
 * partition of` would lock all of it. Its indexes come with it; it is empty, so nothing is checked.
 */
async function addPartition(db: Transaction<Database>, day: number): Promise<void> {
  const partition = sql.table(partitionOf(day))
  await sql`create table ${partition} (like requests including defaults)`.execute(db)
  await sql`alter table requests attach partition ${partition}
    for values from (${sql.lit(day)}) to (${sql.lit(day + DAY_MS)})`.execute(db)
}

/** Which days have a partition, so that the database is asked once a day. Always those of today and tomorrow as well. */
export class KnownPartitions {
  readonly #db: Kysely<Database>
  readonly #days = new Set<number>()

  constructor(db: Kysely<Database>) {
    this.#db = db
  }

  async ensure(startedAts: readonly number[]): Promise<void> {
    if (!isPartitioned(this.#db)) return
    const now = Date.now()
    const needed = new Set([now, now + DAY_MS, ...startedAts].map(dayOf))
    const unknown = [...needed].filter((day) => !this.#days.has(day))
    if (unknown.length === 0) return
    await ensurePartitions(this.#db, unknown)
    for (const day of unknown) this.#days.add(day)
  }

  /** After a failure: another node's retention may have dropped one. */
  forget(): void {
    this.#days.clear()
  }
}
