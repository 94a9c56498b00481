import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { ensurePartitions } from '../request-log/retention/partitions.ts'
import { DAY_MS } from '../request-log/usage/rollup.ts'
import type { Database } from '../store/engine/schema.ts'
import { type Batch, columnsOf, readBatch, writeBatch } from './copy-rows.ts'
import { type Mark, UNTOUCHED, writeMark } from './mark.ts'
import { CONTROL_TABLES, LOG_TABLES, MOVED_TABLES, type MovedTable, SETTINGS_TABLE } from './tables.ts'

export interface Databases {
  source: Kysely<Database>
  target: Kysely<Database>
}

/** Keys, routes, prices and the like, all or nothing, together with the word that they are there. */
export async function copyControl({ source, target }: Databases, mark: Mark): Promise<Mark> {
  if (mark.has_control) return mark
  return target.transaction().execute(async (transaction) => {
    const tables = { ...mark.tables }
    for (const table of CONTROL_TABLES) {
      const columns = await columnsOf(source, table)
      const next = () => readBatch(source, table, tables[table.name] ?? UNTOUCHED, columns)
      for (let batch = await next(); batch !== null; batch = await next()) {
        await writeBatch(transaction, table, batch, columns)
        tables[table.name] = batch.mark
      }
    }
    await copySettings(source, transaction)
    await sql`select setval(pg_get_serial_sequence('price_versions', 'id'), max(id)) from price_versions having max(id) > 0`.execute(
      transaction,
    )
    const done = { ...mark, tables, has_control: true }
    await writeMark(transaction, done)
    return done
  })
}

async function copySettings(source: Kysely<Database>, target: Kysely<Database>): Promise<void> {
  for (const row of await source.selectFrom('settings').selectAll().execute()) {
    await target
      .insertInto('settings')
      .values(row)
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: row.value }))
      .execute()
  }
}

export interface CopyOptions {
  /** Rows of the log in the target by now. */
  onProgress(table: string, rows: number): void
}

/** Each batch is one transaction with the word how far it is: a kill at any moment loses one, and doubles none. */
export async function copyLog(databases: Databases, begun: Mark, options: CopyOptions): Promise<Mark> {
  let mark = begun
  await ensurePartitions(databases.target, await daysOf(databases.source))
  for (const table of LOG_TABLES) {
    const columns = await columnsOf(databases.source, table)
    const read = () => readBatch(databases.source, table, mark.tables[table.name] ?? UNTOUCHED, columns)
    for (let batch = await read(); batch !== null; ) {
      mark = { ...mark, tables: { ...mark.tables, [table.name]: batch.mark } }
      batch = await copyBatch(databases.target, { table, columns, batch, mark, read })
      options.onProgress(table.name, logRows(mark))
    }
  }
  return mark
}

interface Step {
  table: MovedTable
  columns: readonly string[]
  batch: Batch
  mark: Mark
  read(): Promise<Batch | null>
}

/** While the server writes one batch, the next one is read. */
async function copyBatch(target: Kysely<Database>, step: Step): Promise<Batch | null> {
  return target.transaction().execute(async (transaction) => {
    await writeMark(transaction, step.mark)
    const writing = writeBatch(transaction, step.table, step.batch, step.columns)
    const reading = new Promise((resolve) => setImmediate(resolve)).then(step.read)
    const [, next] = await Promise.all([writing, reading])
    return next
  })
}

function logRows({ tables }: Mark): number {
  return LOG_TABLES.reduce((sum, { name }) => sum + (tables[name]?.rows ?? 0), 0)
}

async function daysOf(source: Kysely<Database>): Promise<number[]> {
  const day = sql.lit(DAY_MS)
  const found = await sql<{ day: number }>`
    select distinct started_at / ${day} * ${day} as day from requests order by day`.execute(source)
  return found.rows.map((row) => row.day)
}

export interface SourceCounts {
  /** Rows of the log, all its tables together. */
  log: number
  requests: number
  /** Requests whose content is stored; it stays where it is. */
  content: number
  /** The same for as long as no gateway has run on the source. */
  fingerprint: string
}

export async function countSource(source: Kysely<Database>): Promise<SourceCounts> {
  const counts = new Map<string, number>()
  for (const { name } of MOVED_TABLES) {
    const found = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`.execute(source)
    counts.set(name, found.rows[0]?.rows ?? 0)
  }
  const settings = await source.selectFrom(SETTINGS_TABLE.name).selectAll().orderBy('name').execute()
  const positions = await source.selectFrom('spool_positions').selectAll().orderBy('node').execute()
  const state = JSON.stringify([[...counts], settings, positions])
  const content = await sql<{ rows: number }>`select count(*) as rows from request_content`.execute(source)
  return {
    log: LOG_TABLES.reduce((sum, { name }) => sum + (counts.get(name) ?? 0), 0),
    requests: counts.get('requests') ?? 0,
    content: content.rows[0]?.rows ?? 0,
    fingerprint: createHash('sha256').update(state).digest('hex'),
  }
}

/**
 * The server has seen none of these rows: without this, its first plans would be for empty tables. A small sample of each
 * day is enough for them, and a fifth of the time; the server itself takes larger ones later.
 */
export async function analyze(target: Kysely<Database>): Promise<void> {
  await sql`set default_statistics_target = 20`.execute(target)
  for (const { name } of MOVED_TABLES) await sql`analyze ${sql.table(name)}`.execute(target)
}
