import { parentPort, workerData } from 'node:worker_threads'
import type { DatabaseReply, DatabaseRequest, DatabaseSettings } from './remote-sqlite.ts'
import { openSqlite, openSqliteReader } from './sqlite-connection.ts'

/** Owns a connection to the embedded database, so that no query ever holds the event loop of the gateway. */
const settings = workerData as DatabaseSettings
const connection = settings.readOnly
  ? openSqliteReader(settings.path)
  : openSqlite(settings.path, settings.synchronousFull)

parentPort?.on('message', (request: DatabaseRequest | 'close') => {
  if (request === 'close') {
    connection.close()
    parentPort?.close()
    return
  }
  let reply: DatabaseReply
  try {
    reply = { id: request.id, result: connection.execute(request) }
  } catch (error) {
    reply = { id: request.id, error }
  }
  parentPort?.postMessage(reply)
})
