import { type Kysely, sql } from 'kysely'
import { roundingOf } from '../domain/pricing/stated.ts'
import { HOUR_MS } from '../request-log/usage/rollup.ts'
import type { Database } from '../store/engine/schema.ts'

/** A call whose provider states another cost than ours, beyond rounding. */
export interface StatedRow {
  id: string
  workspace: string
  provider: string
  model: string
  cost: bigint
  stated: bigint
}

/** One for each model is shown: enough to find them. */
const MOST_READ = 200

/** Of the last hour, newest first. Few rows state anything: an index has only those. */
export async function readStated(
  db: Kysely<Database>,
  workspaces: readonly string[],
  now: number,
): Promise<StatedRow[]> {
  if (workspaces.length === 0) return []
  const rows = await db
    .selectFrom('requests')
    .select(['id', 'workspace', 'provider', 'model', 'cost_picodollars', 'stated_picodollars', 'stated_by'])
    .where('workspace', 'in', workspaces)
    .where('started_at', '>=', now - HOUR_MS)
    .where('stated_picodollars', 'is not', null)
    .where('cost_picodollars', 'is not', null)
    // An estimate differs by its nature, and the cost of a call that asked two providers is not one provider's.
    .where('cost_most_picodollars', 'is', null)
    .where(sql<boolean>`attempts not like '%"costPicodollars":%'`)
    .where(sql<boolean>`cost_picodollars <> stated_picodollars`)
    .orderBy('started_at', 'desc')
    .limit(MOST_READ)
    .execute()
  return rows.flatMap((row) => {
    const { id, workspace, provider, model } = row
    const [cost, stated] = [BigInt(row.cost_picodollars ?? 0), BigInt(row.stated_picodollars ?? 0)]
    const difference = cost > stated ? cost - stated : stated - cost
    if (provider === null || model === null || difference <= roundingOf(row.stated_by)) return []
    return [{ id, workspace, provider, model, cost, stated }]
  })
}
