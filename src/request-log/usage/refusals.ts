import type { Kysely } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { DAY_MS, HOUR_MS } from './rollup.ts'

/** Calls of one key that its limits, or those of its workspace, refused. */
export interface Refusals {
  workspace: string
  keyId: string
  code: 'budget_exceeded' | 'key_rate_limited'
  requests: number
  /** Beginning of the last hour with one, Unix milliseconds. */
  lastHour: number
}

/** Of the last 24 hours, from the hourly sums: 24 whole hours and the current one. */
export async function readRefusals(
  db: Kysely<Database>,
  workspaces: readonly string[],
  now: number,
): Promise<Refusals[]> {
  if (workspaces.length === 0) return []
  const rows = await db
    .selectFrom('usage_hours')
    .select(['workspace', 'key_id', 'code'])
    .select(({ fn }) => [fn.sum<number | string>('requests').as('requests'), fn.max('hour').as('hour')])
    .where('workspace', 'in', workspaces)
    .where('hour', '>=', now - (now % HOUR_MS) - DAY_MS)
    .where('code', 'in', ['budget_exceeded', 'key_rate_limited'])
    .where('requests', '>', 0)
    .groupBy(['workspace', 'key_id', 'code'])
    .execute()
  return rows.map(({ workspace, key_id: keyId, code, requests, hour }) => ({
    ...{ workspace, keyId, code: code as Refusals['code'] },
    requests: Number(requests),
    lastHour: Number(hour),
  }))
}
