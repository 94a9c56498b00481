import { type Kysely, sql, type Transaction } from 'kysely'
import type { Engine } from '../engine/engine.ts'
import type { Database } from '../engine/schema.ts'
import { StoreError } from '../engine/store-error.ts'
import { addBudgetRaises } from './budget-raises.ts'
import { addCacheMiss } from './cache-miss.ts'
import { addCacheSaving } from './cache-saving.ts'
import { createSchema } from './create-schema.ts'
import { addFeed } from './feed.ts'
import { addImageInput } from './image-input.ts'
import { addLoops } from './loops.ts'
import { addMonthCloses } from './month-closes.ts'
import { addMovingIn } from './moving-in.ts'
import { addPersonalKeys } from './personal-keys.ts'
import { addReportAccounts } from './report-accounts.ts'
import { addReports } from './reports.ts'
import { addResale } from './resale.ts'
import { addRouteCompaction } from './route-compaction.ts'
import { addRoutePromptCache } from './route-prompt-cache.ts'
import { addSessionTree } from './session-tree.ts'
import { addTokenIssuers } from './token-issuers.ts'
import { addToolUses } from './tool-uses.ts'
import { addUnconfirmed } from './unconfirmed.ts'
import { addUsageUnits } from './usage-units.ts'
import { addValueDays } from './value-days.ts'

export type Migration = (db: Transaction<Database>, engine: Engine) => Promise<void>

/**
 * Forward only. A released one is never edited, and none is built from tables of the code that change later: the next
 * change is the next row. While a cluster is upgraded, gateways of the version before keep working with the new schema, so
 * a migration only adds: tables, indexes, columns that may be null or have a default. What older gateways use is removed
 * one version later. test/store/schema.test.ts compares the outcome with what the code reads and writes.
 */
export const MIGRATIONS: readonly Migration[] = [
  createSchema,
  addMovingIn,
  addToolUses,
  addUnconfirmed,
  addFeed,
  addReports,
  addMonthCloses,
  addSessionTree,
  addResale,
  addReportAccounts,
  addTokenIssuers,
  addLoops,
  addValueDays,
  addPersonalKeys,
  addBudgetRaises,
  addRouteCompaction,
  addCacheSaving,
  addRoutePromptCache,
  addCacheMiss,
  addImageInput,
  addUsageUnits,
]

/** The number of the first migration. Lower ones belong to development versions, whose databases are not read. */
export const FIRST_SCHEMA = 24

/** The schema that this version of the gateway works with. */
export const KNOWN_SCHEMA = FIRST_SCHEMA + MIGRATIONS.length - 1

/**
 * The oldest schema whose gateways can work with the present one: the number of the last migration that did more than
 * add. They may still start, until the last of them has been replaced.
 */
export const COMPATIBLE_SCHEMA = FIRST_SCHEMA
const COMPATIBLE_SETTING = 'compatible_schema'

/** Any number, but the same for every node of one database. */
const ADVISORY_LOCK = 7_201_944_313

export interface MigrationPlan {
  migrations: readonly Migration[]
  compatible: number
}

const PLAN: MigrationPlan = { migrations: MIGRATIONS, compatible: COMPATIBLE_SCHEMA }

/**
 * Brings the database up to this version. All of it is one transaction, and nodes that start together wait for each
 * other: SQLite transactions here begin by taking the write lock, PostgreSQL gets an advisory lock.
 */
export async function migrate(db: Kysely<Database>, engine: Engine, now: number, plan = PLAN): Promise<void> {
  const { migrations, compatible } = plan
  await db.transaction().execute(async (transaction) => {
    if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(ADVISORY_LOCK)})`.execute(transaction)
    await sql`create table if not exists schema_versions (version bigint primary key, applied_at bigint not null)`.execute(
      transaction,
    )
    const found = await sql<{ version: number | null }>`select max(version) as version from schema_versions`.execute(
      transaction,
    )
    const present = found.rows[0]?.version ?? 0
    if (isTooOld(present)) throw new StoreError(TOO_OLD)
    const known = FIRST_SCHEMA + migrations.length - 1
    if (present > known) return refuseIncompatible(transaction, present, known)
    for (const [index, migration] of migrations.entries()) {
      const version = FIRST_SCHEMA + index
      if (version <= present) continue
      await migration(transaction, engine)
      await sql`insert into schema_versions (version, applied_at) values (${version}, ${now})`.execute(transaction)
    }
    if (present < known) await noteCompatible(transaction, { schema: known, compatible })
  })
}

export function isTooOld(schema: number): boolean {
  return schema > 0 && schema < FIRST_SCHEMA
}

/** A development version wrote it, and nothing of it has been changed. */
export const TOO_OLD =
  'the database was written by an earlier development version, which this version does not read: start with an empty ' +
  'DATA_DIR or database. To take the configuration along, run `switchyard export` with the earlier version'

interface Compatibility {
  /** The schema that this is said of. */
  schema: number
  compatible: number
}

async function noteCompatible(db: Transaction<Database>, noted: Compatibility): Promise<void> {
  const value = JSON.stringify(noted)
  await db
    .insertInto('settings')
    .values({ name: COMPATIBLE_SETTING, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** A newer version has been here: whether this one can work with what it left is for that one to say. */
async function refuseIncompatible(db: Transaction<Database>, present: number, known: number): Promise<void> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', COMPATIBLE_SETTING).executeTakeFirst()
  const noted: Compatibility | null = row === undefined ? null : JSON.parse(row.value)
  if (noted?.schema === present && noted.compatible <= known) return
  throw new StoreError(
    `the database has schema version ${present}, this gateway knows ${known}: ` +
      'it was migrated by a newer version; run that one or restore a backup',
  )
}
