import { type Kysely, sql } from 'kysely'
import { LATENCY_BUCKETS } from '../request-log/usage/latency.ts'
import { DAY_MS, HOUR_MS } from '../request-log/usage/rollup.ts'
import type { Database } from '../store/engine/schema.ts'
import type { RefusedKey } from './budget-use.ts'
import type { TrafficRow } from './traffic.ts'

const USUAL_DAYS = 7

/** The sums of this hour and the one before. */
export function readHours(db: Kysely<Database>, workspaces: readonly string[], now: number): Promise<TrafficRow[]> {
  return readSums(db, 'hour', workspaces, { from: now - (now % HOUR_MS) - HOUR_MS, to: now })
}

/** The sums of the days before today. */
export function readDays(db: Kysely<Database>, workspaces: readonly string[], now: number): Promise<TrafficRow[]> {
  const today = now - (now % DAY_MS)
  return readSums(db, 'day', workspaces, { from: today - USUAL_DAYS * DAY_MS, to: today - 1 })
}

const DIMENSIONS = ['workspace', 'route', 'provider', 'model', 'code'] as const

/** Named workspaces, so that the key of the table finds the newest rows. */
async function readSums(
  db: Kysely<Database>,
  time: 'hour' | 'day',
  workspaces: readonly string[],
  { from, to }: { from: number; to: number },
): Promise<TrafficRow[]> {
  if (workspaces.length === 0) return []
  const sum = (column: string) => sql`cast(sum(${sql.ref(column)}) as bigint)`
  const buckets = Array.from({ length: LATENCY_BUCKETS }, (_, bucket) => `latency_${bucket}`)
  const sums = ['requests', 'unpriced', 'prompt_tokens', 'cached_tokens', ...buckets].map(
    (column) => sql`${sum(column)} as ${sql.ref(column)}`,
  )
  const groups = sql.join([time, ...DIMENSIONS].map((column) => sql.ref(column)))
  const found = await sql<Record<string, string | number>>`
    select ${groups}, ${sql.join(sums)} from ${sql.table(`usage_${time}s`)}
    where workspace in (${sql.join(workspaces)}) and ${sql.ref(time)} >= ${from} and ${sql.ref(time)} <= ${to}
    group by ${groups}`.execute(db)
  return found.rows.map((row) => {
    const [workspace, route, provider, model, code] = DIMENSIONS.map((name) => String(row[name]))
    return {
      time: Number(row[time]),
      ...({ workspace, route, provider, model, code } as Record<(typeof DIMENSIONS)[number], string>),
      requests: Number(row['requests']),
      unpriced: Number(row['unpriced']),
      promptTokens: Number(row['prompt_tokens']),
      cachedTokens: Number(row['cached_tokens']),
      latencies: buckets.map((bucket) => Number(row[bucket])),
    }
  })
}

/** Keys with a call refused by a budget in this hour. */
export async function readRefusedKeys(
  db: Kysely<Database>,
  workspaces: readonly string[],
  now: number,
): Promise<RefusedKey[]> {
  if (workspaces.length === 0) return []
  const rows = await db
    .selectFrom('usage_hours')
    .select(['workspace', 'key_id'])
    .distinct()
    .where('workspace', 'in', workspaces)
    .where('hour', '>=', now - (now % HOUR_MS))
    .where('code', '=', 'budget_exceeded')
    .execute()
  return rows.map(({ workspace, key_id: keyId }) => ({ workspace, keyId }))
}
