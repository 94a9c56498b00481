import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { LoggedRow } from './judge.ts'

/** The log as it lies on disk after the gateway has ended, read without any code of the gateway. */
export interface LogOnDisk {
  rows: LoggedRow[]
  /** Spooled rows that never reached the log, or could not be read there. */
  leftBehind: number
}

type Row = Record<string, unknown>
type Query = (sql: string) => Promise<Row[]>

export async function readLog(dataDir: string, databaseUrl: string | null): Promise<LogOnDisk> {
  const spool = new DatabaseSync(join(dataDir, 'spool.db'), { readOnly: true })
  const last = spool.prepare('select max(seq) as seq from spool').get()?.['seq'] ?? 0
  spool.close()
  return await withDatabase(dataDir, databaseUrl, async (query) => {
    const [position] = await query('select max(seq) as seq from spool_positions')
    const [rejects] = await query('select count(*) as count from spool_rejects')
    const rows = await query('select id, state, status, code, requested_model, attempts from requests')
    const behind = Math.max(0, Number(last) - Number(position?.['seq'] ?? 0))
    return { rows: rows.map(loggedRow), leftBehind: behind + Number(rejects?.['count']) }
  })
}

async function withDatabase<T>(dataDir: string, url: string | null, read: (query: Query) => Promise<T>): Promise<T> {
  if (url === null) {
    const database = new DatabaseSync(join(dataDir, 'switchyard.db'), { readOnly: true })
    const result = await read(async (sql) => database.prepare(sql).all() as Row[])
    database.close()
    return result
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await read(async (sql) => (await client.query<Row>(sql)).rows)
  } finally {
    await client.end()
  }
}

function loggedRow(row: Row): LoggedRow {
  const attempts = JSON.parse(String(row['attempts'])) as { kind: string }[]
  return {
    id: String(row['id']),
    state: String(row['state']),
    status: row['status'] === null ? null : Number(row['status']),
    code: row['code'] as string | null,
    requestedModel: row['requested_model'] as string | null,
    called: attempts.filter((attempt) => attempt.kind === 'called').length,
  }
}
