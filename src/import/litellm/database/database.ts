import pg from 'pg'
import type { Row } from './rows.ts'

/** LiteLLM's database, read in one transaction that can write nothing. */
export interface LitellmDatabase {
  /** The whole table; empty where it does not exist. */
  table(name: string): Promise<Row[]>
  count(name: string): Promise<number>
  /** One page after another: a table may be larger than the memory. */
  pages(name: string, size: number): AsyncIterable<Row[]>
  /** Rows of a sum over keys. */
  keysPer(columns: readonly string[]): Promise<Row[]>
  /** Tables that this version lacks. */
  missing: ReadonlySet<string>
  migrations: Migrations
  close(): Promise<void>
}

export interface Migrations {
  /** The name of the last one that was applied; null: it was set up without migrations. */
  last: string | null
  /** Those that began and did not finish. */
  unfinished: string[]
}

const KEYS = 'LiteLLM_VerificationToken'
const TIMESTAMP = 1114
const INT8 = 20
const FLOAT8 = 701

/** Times have no zone and are UTC; sums of money stay the text that PostgreSQL prints, to the last digit. */
const PARSERS: Record<number, (text: string) => unknown> = {
  [TIMESTAMP]: (text) => Date.parse(`${text.replace(' ', 'T')}Z`),
  [INT8]: Number,
  [FLOAT8]: (text) => text,
}

export class NoLitellmDatabase extends Error {}

export async function openLitellmDatabase(address: string): Promise<LitellmDatabase> {
  const url = new URL(address)
  const schema = url.searchParams.get('schema') ?? 'public'
  // Prisma's own settings mean nothing to others.
  for (const name of ['schema', 'connection_limit', 'pool_timeout', 'pgbouncer']) url.searchParams.delete(name)
  const client = new pg.Client({
    connectionString: url.href,
    connectionTimeoutMillis: 15_000,
    application_name: 'switchyard import',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') => PARSERS[oid] ?? pg.types.getTypeParser(oid, format),
    } as pg.CustomTypesConfig,
  })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('begin transaction isolation level repeatable read read only')
    return await reading(client, schema)
  } catch (error) {
    await client.end()
    throw error
  }
}

async function reading(client: pg.Client, schema: string): Promise<LitellmDatabase> {
  const { rows: tables } = await client.query('select tablename from pg_tables where schemaname = $1', [schema])
  const existing = new Set(tables.map(({ tablename }) => String(tablename)))
  if (!existing.has(KEYS)) {
    throw new NoLitellmDatabase(
      `there is no table "${KEYS}" in the schema '${schema}'; name another with ?schema= in the address`,
    )
  }
  const missing = new Set<string>()
  const named = (name: string) => `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`
  const has = (name: string) => {
    if (!existing.has(name)) missing.add(name)
    return existing.has(name)
  }
  let cursors = 0
  return {
    missing,
    migrations: existing.has(MIGRATIONS) ? await readMigrations(client, named(MIGRATIONS)) : NO_MIGRATIONS,
    table: async (name) => (has(name) ? (await client.query(`select * from ${named(name)}`)).rows : []),
    async count(name) {
      return has(name) ? Number((await client.query(`select count(*) as n from ${named(name)}`)).rows[0]?.n) : 0
    },
    async *pages(name, size) {
      if (!has(name)) return
      const cursor = `page_${++cursors}`
      await client.query(`declare ${cursor} no scroll cursor for select * from ${named(name)} order by 1`)
      for (;;) {
        const { rows } = await client.query(`fetch ${size} from ${cursor}`)
        if (rows.length > 0) yield rows
        if (rows.length < size) break
      }
      await client.query(`close ${cursor}`)
    },
    async keysPer(columns) {
      const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ')
      return (await client.query(`select ${list}, count(*) as keys from ${named(KEYS)} group by ${list}`)).rows
    },
    close: () => client.end(),
  }
}

const MIGRATIONS = '_prisma_migrations'
const NO_MIGRATIONS: Migrations = { last: null, unfinished: [] }

async function readMigrations(client: pg.Client, table: string): Promise<Migrations> {
  const text = `select migration_name, finished_at is not null as is_done from ${table}
    where rolled_back_at is null order by migration_name`
  const { rows } = await client.query(text)
  const names = (isDone: boolean) => rows.filter((row) => row.is_done === isDone).map((row) => row.migration_name)
  return { last: names(true).at(-1) ?? null, unfinished: names(false) }
}
