import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Conversation } from '../../threads/conversation.ts'
import { yieldToServing } from '../../threads/yield-to-serving.ts'
import { type DatabasePart, type DatabaseSettings, type DatabaseTasks, ROWS_AT_A_TIME } from './remote-sqlite.ts'
import { openSqlite, openSqliteReader, type SqliteResult } from './sqlite-connection.ts'

/** Reads of the log and changes of routes can wait for a moment; calls cannot. */
const NICENESS = 10

/** Owns a connection to the embedded database, so that no query ever holds the event loop of the gateway. */
const settings = workerData as DatabaseSettings
const parent = parentPort as MessagePort
const connection = settings.readOnly
  ? openSqliteReader(settings.path)
  : openSqlite(settings.path, settings.synchronousFull)

yieldToServing(NICENESS)

/** Answers that have been handed over in part. */
const rest = new Map<number, SqliteResult>()
let lastRest = 0

function part(result: SqliteResult): DatabasePart {
  if (result.rows.length <= ROWS_AT_A_TIME) return { result, rest: null }
  rest.set(++lastRest, { ...result, rows: result.rows.slice(ROWS_AT_A_TIME) })
  return { result: { ...result, rows: result.rows.slice(0, ROWS_AT_A_TIME) }, rest: lastRest }
}

new Conversation(parent, {
  execute: (query) => part(connection.execute(query)),
  next(id) {
    const left = rest.get(id)
    rest.delete(id)
    return part(left as SqliteResult)
  },
  close() {
    connection.close()
    parent.close()
  },
} satisfies DatabaseTasks)
