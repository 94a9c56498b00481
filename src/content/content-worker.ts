import { setTimeout as sleep } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { Kysely } from 'kysely'
import { contentExpiry } from '../domain/content/expiry.ts'
import { builtinRule, type Rule } from '../domain/content/redactions.ts'
import type { ContentSettings } from '../domain/content/settings.ts'
import type { Database } from '../store/engine/schema.ts'
import { openSqlite } from '../store/engine/sqlite-connection.ts'
import { sqliteDialect } from '../store/engine/sqlite-dialect.ts'
import { Conversation } from '../threads/conversation.ts'
import { yieldToServing } from '../threads/yield-to-serving.ts'
import { ownRule } from './own-patterns.ts'
import { prepareContent, type RawBody } from './prepare.ts'
import type { ContentTasks, KeeperTasks, KeptBody, KeptContent, WorkerData } from './protocol.ts'
import { seal } from './seal.ts'

/** Redacts, encrypts and writes what calls said: in this order, so that nothing else reaches a disk. */
const data = workerData as WorkerData
const parent = parentPort as MessagePort
const db = await openTarget()
yieldToServing(10)

const BATCH = 32
/** How long to wait for a database that is down; content queues up to its limit. */
const PAUSES_MS = [200, 500, 1_000, 2_000, 4_000]

let queue: KeptContent[] = []
let isStopping = false
/** Compiled once for as long as the settings stay. */
let known: { settings: string; rules: Rule[] } | null = null
let wake = () => {}

const keeper = new Conversation<KeeperTasks>(parent, {
  keep(content) {
    queue.push(content)
    wake()
  },
  stop() {
    isStopping = true
    wake()
  },
} satisfies ContentTasks)

while (queue.length > 0 || !isStopping) {
  if (queue.length === 0) {
    await new Promise<void>((resolve) => (wake = resolve))
    continue
  }
  const batch = queue.slice(0, BATCH)
  queue = queue.slice(BATCH)
  const rows = batch.flatMap((content) => rowOf(content) ?? [])
  const isWritten = await write(rows)
  const stored = isWritten ? rows.filter(({ sealed }) => sealed !== null).length : 0
  keeper.tell('done', {
    seq: batch.at(-1)?.seq ?? 0,
    stored,
    failed: isWritten ? batch.length - rows.length : batch.length,
  })
}
await db.destroy()
parent.close()

async function openTarget(): Promise<Kysely<Database>> {
  if (data.target.kind === 'sqlite') {
    return new Kysely<Database>({ dialect: sqliteDialect(openSqlite(data.target.path, data.synchronousFull)) })
  }
  const { postgresDialect } = await import('../store/engine/postgres-pool.ts')
  const { url } = data.target
  const dialect = postgresDialect({ url, connections: 1, queryTimeoutMs: 15_000, onIdleError: () => {} })
  return new Kysely<Database>({ dialect })
}

/** Null: it could not be made, and nothing of it is stored. */
function rowOf(content: KeptContent) {
  const { id, workspace, storedAt, settings, dropped } = content
  const row = { id, workspace, stored_at: storedAt, expires_at: contentExpiry(settings, storedAt) }
  if (dropped !== null) return { ...row, key_id: null, sealed: null, dropped }
  try {
    return { ...row, key_id: data.key.id, sealed: seal(JSON.stringify(stored(content)), data.key, id), dropped: null }
  } catch {
    return null
  }
}

function stored({ request, answer, endpoint, settings }: KeptContent) {
  const raw = {
    request: request === null ? null : bodyOf(request),
    answer: answer === null ? null : { ...bodyOf(answer), isStream: answer.isStream },
  }
  return prepareContent(raw, endpoint, rulesOf(settings))
}

function bodyOf({ body, bytes, isCut }: KeptBody): RawBody {
  return { text: typeof body === 'string' ? body : new TextDecoder().decode(body), bytes, isCut }
}

function rulesOf({ redact, patterns }: ContentSettings): Rule[] {
  const settings = JSON.stringify([redact, patterns])
  if (known?.settings !== settings) known = { settings, rules: [...redact.map(builtinRule), ...patterns.map(ownRule)] }
  return known.rules
}

async function write(rows: NonNullable<ReturnType<typeof rowOf>>[]): Promise<boolean> {
  if (rows.length === 0) return true
  for (const pauseMs of [...PAUSES_MS, null]) {
    try {
      await db
        .insertInto('request_content')
        .values(rows)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute()
      return true
    } catch {
      if (pauseMs === null || isStopping) return false
      await sleep(pauseMs)
    }
  }
  return false
}
