import { parentPort, workerData } from 'node:worker_threads'
import { yieldToServing } from '../../threads/yield-to-serving.ts'
import {
  type DatabaseNext,
  type DatabaseReply,
  type DatabaseRequest,
  type DatabaseSettings,
  ROWS_AT_A_TIME,
} from './remote-sqlite.ts'
import { openSqlite, openSqliteReader, type SqliteResult } from './sqlite-connection.ts'

/** Whoever reads the log or changes a route can wait for a moment; whoever calls cannot. */
const NICENESS = 10

/** Owns a connection to the embedded database, so that no query ever holds the event loop of the gateway. */
const settings = workerData as DatabaseSettings
const connection = settings.readOnly
  ? openSqliteReader(settings.path)
  : openSqlite(settings.path, settings.synchronousFull)

yieldToServing(NICENESS)

/** Answers that have been handed over in part. */
const rest = new Map<number, SqliteResult>()

function reply(id: number, result: SqliteResult): DatabaseReply {
  if (result.rows.length <= ROWS_AT_A_TIME) {
    rest.delete(id)
    return { id, result, isWhole: true }
  }
  rest.set(id, { ...result, rows: result.rows.slice(ROWS_AT_A_TIME) })
  return { id, result: { ...result, rows: result.rows.slice(0, ROWS_AT_A_TIME) }, isWhole: false }
}

function answer(request: DatabaseRequest | DatabaseNext): DatabaseReply | null {
  if ('next' in request) {
    const left = rest.get(request.next)
    return left === undefined ? null : reply(request.next, left)
  }
  try {
    return reply(request.id, connection.execute(request))
  } catch (error) {
    return { id: request.id, error }
  }
}

parentPort?.on('message', (request: DatabaseRequest | DatabaseNext | 'close') => {
  if (request !== 'close') {
    const told = answer(request)
    if (told !== null) parentPort?.postMessage(told)
    return
  }
  connection.close()
  parentPort?.close()
})
