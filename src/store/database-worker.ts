import { parentPort, workerData } from 'node:worker_threads'
import type { DatabaseReply, DatabaseRequest } from './remote-sqlite.ts'
import { openSqlite } from './sqlite-connection.ts'

/** Owns the connection for control data and reads, so that no query ever holds the event loop of the gateway. */
const { path, synchronousFull } = workerData as { path: string; synchronousFull: boolean }
const connection = openSqlite(path, synchronousFull)

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
