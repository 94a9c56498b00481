import { type Dialect, PostgresDialect } from 'kysely'
import pg from 'pg'
import { connectTimeoutMs } from './connect-timeout.ts'
import { exactInteger } from './exact-integer.ts'
import { postgresQuery } from './postgres-query.ts'

/** The types of int8 and numeric (what a sum of int8 has) in PostgreSQL's catalogue. */
const INT8 = 20
const NUMERIC = 1700

function parseInteger(text: string): unknown {
  return /^-?\d+$/.test(text) ? exactInteger(BigInt(text)) : text
}

/** Sums are grouped in memory instead of sorted on disk; compiling a query would take longer than running it. */
const READ_SETTINGS = ["work_mem = '32MB'", 'jit = off']

/** Our own timeout comes first: it says more, and ends the connection. */
const SERVER_GRACE_MS = 1_000

export interface PostgresOptions {
  url: string
  connections: number
  /** A server that vanished without a word must not hold a query for ever. Null: this one may take its time. */
  queryTimeoutMs: number | null
  /** Sums over many rows run here: plans for one row or for a million need other settings. */
  forReads?: boolean
  onIdleError(error: Error): void
}

export function postgresDialect(options: PostgresOptions): Dialect {
  return new PostgresDialect({ pool: openPool(options) })
}

function openPool(options: PostgresOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections,
    connectionTimeoutMillis: connectTimeoutMs(options.url),
    ...(options.queryTimeoutMs === null ? {} : { query_timeout: options.queryTimeoutMs }),
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    application_name: 'switchyard',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 || oid === NUMERIC ? parseInteger : pg.types.getTypeParser(oid, format),
    } as pg.CustomTypesConfig,
    // The pool's own hook: should the connection break here, its place in the pool is free again. With that of the query
    // builder it would be taken for ever, and a few such moments would leave the pool without a connection.
    onConnect: async (client) => {
      await client.query(sessionSettings(options))
    },
  })
  // Without listeners a connection that breaks while idle, or between two queries of a transaction, would end the
  // process. The latter needs no word: the next query fails.
  pool.on('error', options.onIdleError)
  pool.on('connect', (client) => {
    client.on('error', () => {})
    endOnTimeout(client)
  })
  return pool
}

/** One round trip for all of them. */
function sessionSettings({ queryTimeoutMs, forReads }: PostgresOptions): string {
  const settings = [
    // Rows leave the spool once they are committed here: a server that commits lazily would lose them.
    'synchronous_commit = on',
    // An abandoned query must not continue on the server, with the locks it has or waits for.
    `statement_timeout = ${queryTimeoutMs === null ? 0 : queryTimeoutMs + SERVER_GRACE_MS}`,
    ...(forReads ? READ_SETTINGS : []),
  ]
  return settings.map((setting) => `set ${setting}`).join('; ')
}

/**
 * A connection whose query was abandoned still waits for its answer, and its next user from the pool would wait behind
 * it: it is closed instead, and what follows on it (the rollback) fails at once.
 */
function endOnTimeout(client: pg.PoolClient): void {
  const query = postgresQuery(client.query.bind(client) as (...given: unknown[]) => Promise<unknown>)
  const guarded = async (...given: unknown[]) => {
    try {
      return await query(...given)
    } catch (error) {
      if (error instanceof Error && error.message === 'Query read timeout') void client.end().catch(() => {})
      throw error
    }
  }
  client.query = guarded as typeof client.query
}
