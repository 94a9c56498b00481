import { Worker } from 'node:worker_threads'
import { Conversation, workerProgram } from '../../threads/conversation.ts'
import type { SqliteQuery, SqliteResult } from './sqlite-connection.ts'
import type { SqliteExecutor } from './sqlite-dialect.ts'

/** Rows that cross at a time: what comes in one message is read in one go, and the thread that serves calls reads it. */
export const ROWS_AT_A_TIME = 50

/** What the worker opens: the connection for control data, or one that only reads. */
export type DatabaseSettings = { path: string } & ({ readOnly: false; synchronousFull: boolean } | { readOnly: true })

/** Some rows of an answer, and under which number there are more. */
export interface DatabasePart {
  result: SqliteResult
  rest: number | null
}

/** Requests to the worker; `close` is one-way. */
export type DatabaseTasks = {
  execute(query: SqliteQuery): DatabasePart
  next(rest: number): DatabasePart
  close(input: null): void
}

/** One worker thread and the queries that wait for it. */
interface Connection {
  execute(query: SqliteQuery): Promise<SqliteResult>
  close(): Promise<void>
  /** Why it can serve no more; null while it can. */
  failure(): unknown
}

export type StartWorker = (settings: DatabaseSettings) => Worker

function startWorker(settings: DatabaseSettings): Worker {
  return new Worker(workerProgram(import.meta.url, 'database-worker'), { workerData: settings })
}

/** How long a worker waits for the next query before it ends; `rests` counts how often it has. */
export type RestAfter = (rests: number) => number

const REST_MS = 60_000

/**
 * The start and the first check for alerts need it for a moment, and then usually nothing for hours; a dashboard user
 * comes back soon.
 */
function restAfter(rests: number): number {
  return rests < 2 ? 1_000 : REST_MS
}

/**
 * Sends each query to a worker thread that owns the connection. A worker that died, e.g. of memory, is replaced with
 * the next query: calls do not need it, so its death must not end them. A transaction dies with its worker. One that
 * has nothing to do ends as well: it holds 15 MB, and a new one takes a twentieth of a second.
 */
export function openRemoteSqlite(
  settings: DatabaseSettings,
  start: StartWorker = startWorker,
  rest: RestAfter = restAfter,
): SqliteExecutor {
  let connection: Connection | null = connect(start(settings))
  let closed = false
  /** The connection that the present transaction began on. */
  let transaction: Connection | null = null
  let running = 0
  let rests = 0
  let resting: NodeJS.Timeout | undefined
  let ended: Promise<void> = Promise.resolve()

  function live(): Connection {
    if (connection === null || (!closed && connection.failure() !== null)) connection = connect(start(settings))
    return connection
  }

  function endIdleConnection(): void {
    rests++
    ended = connection?.close() ?? ended
    connection = null
  }

  async function execute(query: SqliteQuery): Promise<SqliteResult> {
    const began = transaction
    if (/^(commit|rollback)$/.test(query.sql)) transaction = null
    // On another connection the rest of a transaction would be applied without its beginning.
    const failure = closed ? connection?.failure() : began?.failure()
    if (failure !== null && failure !== undefined) throw failure
    if (closed && connection === null) throw new Error('the database is closed')
    clearTimeout(resting)
    running++
    try {
      const used = live()
      const result = await used.execute(query)
      if (/^begin\b/.test(query.sql)) transaction = used
      return result
    } finally {
      running--
      if (running === 0 && transaction === null && !closed) resting = setTimeout(endIdleConnection, rest(rests)).unref()
    }
  }

  return {
    execute,
    async close() {
      closed = true
      clearTimeout(resting)
      await ended
      await connection?.close()
    },
  }
}

function connect(worker: Worker): Connection {
  const conversation = new Conversation<DatabaseTasks>(worker, {}, { name: 'the database worker' })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  return {
    failure: () => conversation.failure,
    async execute(query) {
      let part = await conversation.ask('execute', query)
      if (part.rest === null) return part.result
      const rows = [part.result.rows]
      while (part.rest !== null) {
        part = await conversation.ask('next', part.rest)
        rows.push(part.result.rows)
      }
      return { ...part.result, rows: rows.flat() }
    },
    async close() {
      conversation.tell('close', null)
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
