import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type ChaosKey, KEYS } from './workload.ts'

/** Statuses by code, from docs/errors.md. */
export function documentedErrors(): Map<string, number> {
  const text = readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8')
  return new Map(
    [...text.matchAll(/^\| `(\w+)` \| (\d{3}) \|/gm)].map(([, code = '', status]) => [code, Number(status)]),
  )
}

/** Names of the workload's keys by their ids. */
export async function readKeys(databaseUrl: string): Promise<Map<string, ChaosKey>> {
  const rows = await query<{ id: string; name: string }>(databaseUrl, 'select id, name from keys')
  return new Map(rows.flatMap(({ id, name }) => KEYS.filter((key) => key === name).map((key) => [id, key])))
}

/** The sums that the fold keeps are those of the rows, also of rows whose end came twice or late. */
export async function readUsageSums(databaseUrl: string): Promise<string[]> {
  const sums = 'coalesce(sum(cost_picodollars), 0)::text as cost'
  const [hours] = await query<Sums>(databaseUrl, `select sum(requests)::text as requests, ${sums} from usage_hours`)
  const [rows] = await query<Sums>(
    databaseUrl,
    `select count(*)::text as requests, ${sums} from requests where state = 'closed'`,
  )
  if (hours?.requests === rows?.requests && hours?.cost === rows?.cost) return []
  return [`the sums by the hour say ${JSON.stringify(hours)}, the rows ${JSON.stringify(rows)}`]
}

/** What the rows of a key add up to, in picodollars. */
export async function readSpent(databaseUrl: string, keyId: string): Promise<bigint> {
  const sum = 'select coalesce(sum(cost_picodollars), 0)::text as cost from requests where key_id = $1'
  const [row] = await query<Sums>(databaseUrl, sum, [keyId])
  return BigInt(row?.cost ?? 0)
}

interface Sums {
  requests: string
  cost: string
}

async function query<T extends object>(databaseUrl: string, sql: string, values: string[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query<T>(sql, values)).rows
  } finally {
    await client.end()
  }
}
