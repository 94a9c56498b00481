import { sql, type Transaction } from 'kysely'
import type { Engine } from '../engine/engine.ts'
import type { Database } from '../engine/schema.ts'

const TABLES = [
  { table: 'usage_hours', time: 'hour', index: 'key_id, hour' },
  { table: 'usage_days', time: 'day', index: 'key_id, day, cost_picodollars' },
] as const

/**
 * The sums are kept by endpoint too; those from before have none. More than an addition: gateways of the version before
 * cannot add to a table with another key, and keep their records in the spool until they are replaced.
 */
export async function sumByEndpoint(db: Transaction<Database>, engine: Engine): Promise<void> {
  for (const { table, time, index } of TABLES) {
    const before = `workspace, ${time}, key_id, route, provider, model, code`
    const statements =
      engine === 'sqlite'
        ? await copied(db, { table, before, index })
        : [
            `alter table ${table} add column endpoint text not null default ''`,
            `alter table ${table} drop constraint ${table}_pkey`,
            `alter table ${table} add primary key (${before}, endpoint)`,
          ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  }
}

interface Copy {
  table: string
  /** The columns of the key so far. */
  before: string
  index: string
}

/** SQLite cannot change a primary key. */
async function copied(db: Transaction<Database>, { table, before, index }: Copy): Promise<string[]> {
  const found = await sql<{ sql: string }>`select sql from sqlite_master where name = ${table}`.execute(db)
  const columns = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(db)
  const names = columns.rows.map(({ name }) => name).join(', ')
  const created = (found.rows[0]?.sql ?? '')
    .replace('code text not null,', `code text not null, endpoint text not null default '',`)
    .replace(`primary key (${before})`, `primary key (${before}, endpoint)`)
    .replace(table, `${table}_next`)
  return [
    created,
    `insert into ${table}_next (${names}) select ${names} from ${table}`,
    `drop table ${table}`,
    `alter table ${table}_next rename to ${table}`,
    `create index ${table}_key on ${table} (${index})`,
  ]
}
