import { type Kysely, sql, type Transaction } from 'kysely'
import type { Engine } from '../engine/engine.ts'
import type { Database } from '../engine/schema.ts'
import { StoreError } from '../engine/store-error.ts'
import { createSchema } from './create-schema.ts'
import { keepAlerts } from './keep-alerts.ts'
import { sumByEndpoint } from './sum-by-endpoint.ts'

export type Migration = (db: Transaction<Database>, engine: Engine) => Promise<void>

/**
 * Forward only. A released one is never edited, and none is built from tables of the code that change later: the next
 * change is the next row. While a cluster is upgraded, gateways of the version before keep working with the new schema, so
 * a migration only adds: tables, indexes, columns that may be null or have a default. What older gateways use is removed
 * one version later. test/store/schema.test.ts compares the outcome with what the code reads and writes.
 */
export const MIGRATIONS: readonly Migration[] = [
  createSchema,
  markInterchangeable,
  nameEndpoint,
  switchStreaming,
  logStreams,
  nameFormats,
  logAttribution,
  sumByEndpoint,
  bookHolds,
  setUpProviders,
  countAudio,
  leaveOutBeginnings,
  countMediaOutput,
  limitAdminKeys,
  keepReasons,
  keepAlerts,
  letPeopleIn,
  storeContent,
  cacheAnswers,
  sumSavings,
  setGuardrails,
  noteOldestRows,
  markIncarnations,
]

async function markInterchangeable(db: Transaction<Database>): Promise<void> {
  await sql`alter table routes add column interchangeable bigint`.execute(db)
}

async function nameEndpoint(db: Transaction<Database>): Promise<void> {
  await sql`alter table requests add column endpoint text`.execute(db)
}

async function switchStreaming(db: Transaction<Database>): Promise<void> {
  await sql`alter table workspaces add column streaming bigint`.execute(db)
  await sql`alter table workspaces add column streaming_managed_by text`.execute(db)
  await sql`alter table providers add column on_caller_left text`.execute(db)
}

async function logStreams(db: Transaction<Database>): Promise<void> {
  const columns = [
    ...['streamed bigint not null default 0', 'first_content_ms bigint', 'ended text'],
    ...['events_sent bigint not null default 0', 'usage_source text'],
    ...['cost_least_picodollars bigint', 'cost_most_picodollars bigint'],
  ]
  for (const column of columns) await sql.raw(`alter table requests add column ${column}`).execute(db)
}

async function nameFormats(db: Transaction<Database>): Promise<void> {
  await sql`alter table providers add column speaks text`.execute(db)
}

async function bookHolds(db: Transaction<Database>): Promise<void> {
  await sql`alter table providers add column on_estimate text`.execute(db)
}

/** Partial indexes: a call that names no user or session costs them nothing. */
async function logAttribution(db: Transaction<Database>): Promise<void> {
  for (const column of ['end_user', 'session', 'tags']) {
    await sql.raw(`alter table requests add column ${column} text`).execute(db)
  }
  for (const column of ['end_user', 'session']) {
    await sql
      .raw(`create index requests_${column} on requests (workspace, ${column}, started_at) where ${column} is not null`)
      .execute(db)
  }
}

async function setUpProviders(db: Transaction<Database>): Promise<void> {
  for (const column of ['options', 'credentials_encrypted']) {
    await sql.raw(`alter table providers add column ${column} text`).execute(db)
  }
}

async function countAudio(db: Transaction<Database>): Promise<void> {
  await sql`alter table requests add column audio_input_tokens bigint`.execute(db)
}

async function leaveOutBeginnings(db: Transaction<Database>): Promise<void> {
  await sql`alter table spool_positions add column ends_seq bigint`.execute(db)
}

async function countMediaOutput(db: Transaction<Database>): Promise<void> {
  for (const column of ['audio_output_tokens', 'image_output_tokens']) {
    await sql.raw(`alter table requests add column ${column} bigint`).execute(db)
  }
}

async function limitAdminKeys(db: Transaction<Database>): Promise<void> {
  for (const column of ['role', 'workspaces']) await sql.raw(`alter table keys add column ${column} text`).execute(db)
}

async function keepReasons(db: Transaction<Database>): Promise<void> {
  for (const column of ['reason', 'param', 'provider_code', 'figures']) {
    await sql.raw(`alter table requests add column ${column} text`).execute(db)
  }
}

async function letPeopleIn(db: Transaction<Database>): Promise<void> {
  const tables = [
    `create table people (
      id text primary key, issuer text not null, subject text not null, email text, name text, role text not null,
      workspaces text, role_from text not null, created_at bigint not null, last_seen_at bigint not null,
      disabled_at bigint, unique (issuer, subject))`,
    `create table invites (
      id text primary key, email text not null unique, role text not null, workspaces text, invited_by text not null,
      created_at bigint not null, expires_at bigint not null)`,
    `create table person_sessions (
      id text primary key, person_id text not null references people (id), secret_hash text not null,
      created_at bigint not null, expires_at bigint not null)`,
    'create index person_sessions_person on person_sessions (person_id)',
  ]
  for (const table of tables) await sql.raw(table).execute(db)
}

async function storeContent(db: Transaction<Database>): Promise<void> {
  const statements = [
    'alter table workspaces add column content text',
    'alter table workspaces add column content_managed_by text',
    `create table request_content (
      id text primary key, workspace text not null, stored_at bigint not null, expires_at bigint not null, key_id text,
      sealed text, dropped text)`,
    'create index request_content_expiry on request_content (expires_at)',
    'create index request_content_workspace on request_content (workspace, stored_at)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

async function cacheAnswers(db: Transaction<Database>): Promise<void> {
  await sql`alter table routes add column cache text`.execute(db)
  await sql`alter table routes add column cache_purged_at bigint`.execute(db)
  for (const column of ['cache text', 'saved_picodollars bigint', 'answer_of text']) {
    await sql.raw(`alter table requests add column ${column}`).execute(db)
  }
}

async function sumSavings(db: Transaction<Database>): Promise<void> {
  for (const table of ['usage_hours', 'usage_days']) {
    for (const column of ['cache_hits', 'saved_picodollars']) {
      await sql.raw(`alter table ${table} add column ${column} bigint not null default 0`).execute(db)
    }
  }
}

async function setGuardrails(db: Transaction<Database>): Promise<void> {
  for (const column of ['guardrail', 'guardrail_managed_by']) {
    await sql.raw(`alter table workspaces add column ${column} text`).execute(db)
  }
}

/** Retention has not said so far how far it has come: nothing before the oldest row that is left, or the oldest day. */
async function noteOldestRows(db: Transaction<Database>, engine: Engine): Promise<void> {
  const oldest =
    engine === 'postgres'
      ? sql`select min(extract(epoch from to_date(substr(relname, 10), 'YYYYMMDD')))::bigint * 1000 as since
          from pg_inherits join pg_class on pg_class.oid = inhrelid
          where inhparent = 'requests'::regclass and relname ~ '^requests_[0-9]{8}$'`
      : sql`select min((select min(started_at) from requests
          where requests.workspace = known.workspace and state = 'closed')) as since
          from (select distinct workspace from usage_hours) as known`
  await sql`insert into settings (name, value)
    select 'log_kept_since', cast(since as text) from (
      select coalesce(since, (select max(hour) + 3600000 from usage_hours)) as since from (${oldest}) as oldest
    ) as found where since is not null`.execute(db)
}

async function markIncarnations(db: Transaction<Database>): Promise<void> {
  await sql`alter table spool_positions add column incarnation text`.execute(db)
}

/** The schema that this version of the gateway works with. */
export const KNOWN_SCHEMA = MIGRATIONS.length

/**
 * The oldest schema whose gateways can work with the present one: the number of the last migration that did more than
 * add. They may still start, until the last of them has been replaced.
 */
export const COMPATIBLE_SCHEMA = 8
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
    if (present > migrations.length) return refuseIncompatible(transaction, present, migrations.length)
    for (const [index, migration] of migrations.entries()) {
      if (index < present) continue
      await migration(transaction, engine)
      await sql`insert into schema_versions (version, applied_at) values (${index + 1}, ${now})`.execute(transaction)
    }
    if (present < migrations.length) await noteCompatible(transaction, { schema: migrations.length, compatible })
  })
}

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
