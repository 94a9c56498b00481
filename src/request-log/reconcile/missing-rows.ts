import { type Kysely, sql } from 'kysely'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import type { Database } from '../../store/engine/schema.ts'
import { keptSince } from '../retention/kept-since.ts'
import { HOUR_MS } from '../usage/rollup.ts'

export interface MissingSum {
  provider: string
  model: string
  start: number
  end: number
  requests: bigint
  amount: bigint
}

interface Row {
  provider: string
  model: string
  hour: number
  requests: ExactInteger
  high: ExactInteger
  low: ExactInteger
}

const PART = 1_000_000n
const part = sql.raw(String(PART))
const amounts = sql`sum(coalesce(cost_picodollars, 0) / ${part}) as high, sum(coalesce(cost_picodollars, 0) % ${part}) as low`

/**
 * What the hourly sums have and the rows have not. Both are written in one transaction, so a difference means that rows
 * were deleted afterwards, not by retention.
 */
export async function missingRows(
  db: Kysely<Database>,
  { workspace, from, to }: { workspace: string; from: number; to: number },
): Promise<MissingSum[]> {
  const since = Math.max(from, await keptSince(db))
  const first = Math.ceil(since / HOUR_MS) * HOUR_MS
  if (first >= to) return []
  const found = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const sums = await sql<Row>`
        select provider, model, hour, sum(requests) as requests, ${amounts} from usage_hours
        where workspace = ${workspace} and hour >= ${first} and hour < ${to} group by 1, 2, 3`.execute(transaction)
      const rows = await sql<Row>`
        select coalesce(provider, '') as provider, coalesce(model, '') as model,
          started_at - started_at % ${sql.lit(HOUR_MS)} as hour, count(*) as requests, ${amounts} from requests
        where workspace = ${workspace} and started_at >= ${first} and started_at < ${to} and state = 'closed'
        group by 1, 2, 3`.execute(transaction)
      return { sums: sums.rows, rows: rows.rows }
    })
  const present = new Map(found.rows.map((row) => [placeOf(row), row]))
  return found.sums.flatMap((sum) => {
    const row = present.get(placeOf(sum))
    const requests = BigInt(sum.requests) - BigInt(row?.requests ?? 0)
    const amount = costOf(sum) - (row === undefined ? 0n : costOf(row))
    const start = Number(sum.hour)
    if (requests <= 0n && amount <= 0n) return []
    return [{ provider: sum.provider, model: sum.model, start, end: start + HOUR_MS, requests, amount }]
  })
}

function placeOf({ provider, model, hour }: Row): string {
  return JSON.stringify([provider, model, Number(hour)])
}

function costOf({ high, low }: Row): bigint {
  return BigInt(high) * PART + BigInt(low)
}
