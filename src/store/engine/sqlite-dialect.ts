import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import type { SqliteQuery, SqliteResult } from './sqlite-connection.ts'

export interface SqliteExecutor {
  execute(query: SqliteQuery): SqliteResult | Promise<SqliteResult>
  close(): void | Promise<void>
}

/**
 * Kysely over one SQLite connection, in this thread or behind a worker. Kysely itself queues queries and transactions,
 * because the adapter says that there is a single connection.
 */
export function sqliteDialect(executor: SqliteExecutor): Dialect {
  return {
    createDriver: () => new SqliteExecutorDriver(executor),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

/** Whether a query may come with a list of parameter lists: the statement is then run once for each. */
export function takesParameterLists<Tables>(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter
}

class SqliteExecutorDriver implements Driver {
  readonly #executor: SqliteExecutor
  readonly #connection: DatabaseConnection

  constructor(executor: SqliteExecutor) {
    this.#executor = executor
    this.#connection = {
      executeQuery: <R>(query: CompiledQuery) => execute<R>(executor, query),
      streamQuery: () => {
        throw new Error('streaming queries are not supported: read by pages')
      },
    }
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  /** Takes the write lock at once: a transaction that reads first and writes later could not wait for it. */
  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(settings.accessMode === 'read only' ? 'begin' : 'begin immediate'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  /** After some errors (a full disk) SQLite has already rolled back; that must not hide the error. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw('rollback'))
    } catch (error) {
      if (!(error instanceof Error && /no transaction is active/.test(error.message))) throw error
    }
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    await this.#executor.close()
  }
}

async function execute<R>(executor: SqliteExecutor, query: CompiledQuery): Promise<QueryResult<R>> {
  const { rows, changes, insertId } = await executor.execute({ sql: query.sql, parameters: query.parameters })
  const result = { rows: rows as R[] }
  return changes === undefined || insertId === undefined ? result : { ...result, numAffectedRows: changes, insertId }
}
