import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { awayText, isAway } from '../store/engine/database-away.ts'
import { postgresDialect } from '../store/engine/postgres-pool.ts'
import type { Database } from '../store/engine/schema.ts'
import { StoreError } from '../store/engine/store-error.ts'
import { migrate } from '../store/migrations/migrations.ts'
import { MOVED_TABLES } from './tables.ts'

/** Any number but those of the store: who moves into a database is alone in it. */
const MOVE_LOCK = sql.lit(7_201_944_390)
/** Long enough for a server to notice that a process was killed. */
const LOCK_TIMEOUT = '20s'

/**
 * Everything uses one connection, so that its lock ends with it. Failures are reported in one line: fix the cause and
 * run again, the next run continues.
 */
export async function withTarget<T>(url: string, work: (target: Kysely<Database>) => Promise<T>): Promise<T> {
  const dialect = postgresDialect({ url, connections: 1, queryTimeoutMs: null, onIdleError() {} })
  const db = new Kysely<Database>({ dialect })
  let hasBegun = false
  try {
    return await db.connection().execute(async (connection) => {
      await checkEncoding(connection)
      await lockOrExplain(connection)
      hasBegun = true
      return await work(connection)
    })
  } catch (error) {
    if (error instanceof StoreError || !isOfServer(error)) throw error
    const next = hasBegun && isAway(error) ? '; the same command goes on where it was' : ''
    throw new StoreError(`${shownAddress(url)}: ${awayText(error)}${next}`, { cause: error })
  } finally {
    await db.destroy()
  }
}

/** What the server says has a code; what is wrong with the way there is known to the store. */
function isOfServer(error: unknown): boolean {
  return isAway(error) || error instanceof pg.DatabaseError
}

async function checkEncoding(target: Kysely<Database>): Promise<void> {
  const found = await sql<{ encoding: string }>`select current_setting('server_encoding') as encoding`.execute(target)
  const encoding = found.rows[0]?.encoding
  if (encoding === 'UTF8') return
  throw new StoreError(`the target has the encoding ${encoding}: make it with createdb -E UTF8 -T template0 NAME`)
}

async function lockOrExplain(target: Kysely<Database>): Promise<void> {
  try {
    await sql`set lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(target)
    await sql`select pg_advisory_lock(${MOVE_LOCK})`.execute(target)
    await sql`set lock_timeout = 0`.execute(target)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '55P03')) throw error
    throw new StoreError('another switchyard migrate is writing to this database: wait until it has ended')
  }
}

export async function prepareTarget(target: Kysely<Database>): Promise<void> {
  await migrate(target, 'postgres', Date.now())
}

/** Never deletes: existing data in the target may belong to another gateway. */
export async function refuseUsed(target: Kysely<Database>): Promise<void> {
  const found: string[] = []
  for (const { name } of MOVED_TABLES) {
    const counted = await target
      .selectFrom(name)
      .select((select) => select.fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow()
    if (Number(counted.rows) > 0) found.push(`${counted.rows} ${name.replaceAll('_', ' ')}`)
  }
  if (found.length === 0) return
  throw new StoreError(
    `the target is in use: it holds ${found.join(', ')}; give an empty database (createdb NAME), no gateway started on it`,
  )
}

/** Without its password, which has no place on a screen. */
export function shownAddress(url: string): string {
  if (!URL.canParse(url)) return 'the target'
  const shown = new URL(url)
  if (shown.password !== '') shown.password = 'PASSWORD'
  if (shown.searchParams.has('password')) shown.searchParams.set('password', 'PASSWORD')
  return shown.href
}
