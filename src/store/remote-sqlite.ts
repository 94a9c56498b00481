import { Worker } from 'node:worker_threads'
import type { SqliteQuery, SqliteResult } from './sqlite-connection.ts'
import type { SqliteExecutor } from './sqlite-dialect.ts'

export interface DatabaseRequest extends SqliteQuery {
  id: number
}

/** What the worker opens: the connection for control data, or one that only reads. */
export type DatabaseSettings = { path: string } & ({ readOnly: false; synchronousFull: boolean } | { readOnly: true })

export type DatabaseReply = { id: number; result: SqliteResult } | { id: number; error: unknown }

interface Waiting {
  resolve(result: SqliteResult): void
  reject(error: unknown): void
}

/** Sends each query to a worker thread that owns the connection. */
export function openRemoteSqlite(settings: DatabaseSettings): SqliteExecutor {
  const file = import.meta.url.endsWith('.ts') ? './database-worker.ts' : './database-worker.js'
  const worker = new Worker(new URL(file, import.meta.url), { workerData: settings })
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

/** For reads of any length, apart from control data; its worker starts with the first of them. */
export function openRemoteReader(path: string): SqliteExecutor {
  let opened: SqliteExecutor | null = null
  return {
    execute(query) {
      opened ??= openRemoteSqlite({ path, readOnly: true })
      return opened.execute(query)
    },
    close: () => opened?.close(),
  }
}
