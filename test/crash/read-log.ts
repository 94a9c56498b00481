import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { LoggedRow } from './judge.ts'

/** The log as it lies on disk after the gateways have ended, read without any code of theirs. */
export interface LogOnDisk {
  rows: LoggedRow[]
  /** Spooled rows that never reached the log, or could not be read there. */
  leftBehind: number
}

type Row = Record<string, unknown>
type Query = (sql: string) => Promise<Row[]>

/** One folder for each gateway; without `databaseUrl` there is only one, and its database lies in it. */
export async function readLog(dataDirs: readonly string[], databaseUrl: string | null): Promise<LogOnDisk> {
  return await withDatabase(dataDirs[0] ?? '', databaseUrl, async (query) => {
    const positions = new Map((await query('select node, seq from spool_positions')).map((row) => [row['node'], row]))
    const behind = dataDirs.flatMap(spoolsOf).map((folder) => {
      const { node, last } = readSpool(folder)
      return Math.max(0, last - Number(positions.get(node)?.['seq'] ?? 0))
    })
    const [rejects] = await query('select count(*) as count from spool_rejects')
    const rows = await query(
      `select id, state, status, code, requested_model, attempts, key_id, ended, cost_picodollars, hold_picodollars,
          unconfirmed_most_picodollars, unconfirmed_counted_picodollars, hold_added_picodollars
        from requests`,
    )
    const leftBehind = behind.reduce((sum, rows) => sum + rows, Number(rejects?.['count']))
    return { rows: rows.map(loggedRow), leftBehind }
  })
}

/** Of the gateway, and of its serving threads. */
function spoolsOf(dataDir: string): string[] {
  const folder = join(dataDir, 'spool')
  const threads = readdirSync(folder).filter((name) => /^\d+$/.test(name))
  return [folder, ...threads.map((name) => join(folder, name))]
}

function readSpool(folder: string): { node: unknown; last: number } {
  const files = readdirSync(folder).filter((name) => name.endsWith('.log'))
  const newest = files.sort().at(-1)
  const last = newest === undefined ? 0 : Number.parseInt(newest, 10) + recordsIn(readFileSync(join(folder, newest)))
  return { node: readFileSync(join(folder, 'node'), 'utf8').trim(), last }
}

/** Each frame: the length of its text, a checksum, the number of its records, the text. */
function recordsIn(file: Buffer): number {
  let records = 0
  for (let at = 0; at + 12 <= file.length; at += 12 + file.readUInt32LE(at)) {
    if (at + 12 + file.readUInt32LE(at) <= file.length) records += file.readUInt32LE(at + 8)
  }
  return records
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
  const attempts = JSON.parse(String(row['attempts'])) as { kind: string; code: string | null }[]
  return {
    id: String(row['id']),
    state: String(row['state']),
    status: row['status'] === null ? null : Number(row['status']),
    code: row['code'] as string | null,
    requestedModel: row['requested_model'] as string | null,
    called: attempts.filter((attempt) => attempt.kind === 'called').length,
    lost: attempts.filter((attempt) => attempt.code === 'hedge_lost').length,
    keyId: String(row['key_id']),
    ended: row['ended'] as string | null,
    costPicodollars: money(row['cost_picodollars']),
    unconfirmedMost: money(row['unconfirmed_most_picodollars']),
    unconfirmedCounted: money(row['unconfirmed_counted_picodollars']),
    holdAdded: money(row['hold_added_picodollars']),
    holdPicodollars: money(row['hold_picodollars']),
  }
}

function money(value: unknown): bigint | null {
  return value === null ? null : BigInt(value as string | number)
}
