import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { exactInteger } from './exact-integer.ts'
import { makePrivateFile } from './private-files.ts'

/** What goes to the connection and what comes back: plain values, so that both can cross a thread. */
export interface SqliteQuery {
  sql: string
  /** Or a list of such lists: a statement that writes is then run once for each. */
  parameters: readonly unknown[]
}

export interface SqliteResult {
  rows: Record<string, unknown>[]
  /** Undefined for a query that only reads. */
  changes: bigint | undefined
  insertId: bigint | undefined
}

export interface SqliteConnection {
  execute(query: SqliteQuery): SqliteResult
  close(): void
}

/** Long enough for the other worker's largest transaction; only worker threads ever wait. */
const BUSY_TIMEOUT_MS = 15_000
const STATEMENTS_KEPT = 100

/** The embedded database, opened in a worker thread. `pause` is called after each of many rows written by one query. */
export function openSqlite(path: string, synchronousFull: boolean, pause = () => {}): SqliteConnection {
  makePrivateFile(path)
  const database = new DatabaseSync(path, { readBigInts: true, timeout: BUSY_TIMEOUT_MS })
  database.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronousFull ? 'full' : 'normal'}`)
  return connect(database, pause)
}

/** The same database for long reads; writes are refused. */
export function openSqliteReader(path: string): SqliteConnection {
  return connect(new DatabaseSync(path, { readBigInts: true, timeout: BUSY_TIMEOUT_MS, readOnly: true }), () => {})
}

interface Prepared {
  statement: StatementSync
  reads: boolean
}

function connect(database: DatabaseSync, pause: () => void): SqliteConnection {
  const statements = new Map<string, Prepared>()

  function prepare(sql: string): Prepared {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = database.prepare(sql)
    const prepared = { statement, reads: statement.columns().length > 0 }
    if (statements.size >= STATEMENTS_KEPT) statements.clear()
    statements.set(sql, prepared)
    return prepared
  }

  return {
    execute({ sql, parameters }) {
      const { statement, reads } = prepare(sql)
      if (reads) return read(statement, parameters as readonly SQLInputValue[])
      const lists = Array.isArray(parameters[0]) ? parameters : [parameters]
      return write(statement, lists as readonly (readonly SQLInputValue[])[], pause)
    },
    close: () => database.close(),
  }
}

function write(
  statement: StatementSync,
  lists: readonly (readonly SQLInputValue[])[],
  pause: () => void,
): SqliteResult {
  let changed = 0n
  let insertId = 0n
  for (const parameters of lists) {
    const { changes, lastInsertRowid } = statement.run(...parameters)
    changed += BigInt(changes)
    insertId = BigInt(lastInsertRowid)
    pause()
  }
  return { rows: [], changes: changed, insertId }
}

function read(statement: StatementSync, parameters: readonly SQLInputValue[]): SqliteResult {
  const rows: Record<string, unknown>[] = statement.all(...parameters)
  for (const row of rows) {
    for (const column in row) {
      const value = row[column]
      if (typeof value === 'bigint') row[column] = exactInteger(value)
    }
  }
  return { rows, changes: undefined, insertId: undefined }
}
