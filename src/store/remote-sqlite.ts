import { Worker } from 'node:worker_threads'
import type { SqliteQuery, SqliteResult } from './sqlite-connection.ts'
import type { SqliteExecutor } from './sqlite-dialect.ts'

export interface DatabaseRequest extends SqliteQuery {
  id: number
}

export type DatabaseReply = { id: number; result: SqliteResult } | { id: number; error: unknown }

interface Waiting {
  resolve(result: SqliteResult): void
  reject(error: unknown): void
}

/** Sends each query to a worker thread that owns the connection. */
export function openRemoteSqlite(path: string, synchronousFull: boolean): SqliteExecutor {
  const file = import.meta.url.endsWith('.ts') ? './database-worker.ts' : './database-worker.js'
  const worker = new Worker(new URL(file, import.meta.url), { workerData: { path, synchronousFull } })
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let failure: unknown = null

  worker.on('message', (reply: DatabaseReply) => {
    const caller = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('error' in reply) caller?.reject(reply.error)
    else caller?.resolve(reply.result)
  })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const fail = (error: unknown) => {
    failure ??= error
    for (const caller of waiting.values()) caller.reject(failure)
    waiting.clear()
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('the database worker has ended')))

  return {
    execute(query) {
      if (failure !== null) return Promise.reject(failure)
      const id = ++lastId
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        worker.postMessage({ id, ...query } satisfies DatabaseRequest)
      })
    },
    async close() {
      if (failure === null) worker.postMessage('close')
      await ended
    },
  }
}
