import { type Kysely, sql } from 'kysely'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import type { Database } from '../../store/engine/schema.ts'
import { DAY_MS } from './rollup.ts'

/** What counts of the unconfirmed spend of a key's calls of one day, as their rows say. */
export interface UnconfirmedDay {
  workspace: string
  keyId: string
  day: number
  picodollars: bigint
}

/** An hour's sum is far below what 64 bits hold. */
export async function readUnconfirmedDays(
  db: Kysely<Database>,
  workspaces: readonly string[],
): Promise<UnconfirmedDay[]> {
  if (workspaces.length === 0) return []
  const rows = await db
    .selectFrom('usage_hours')
    .select(['workspace', 'key_id', 'hour'])
    .select(sql<ExactInteger>`cast(sum(unconfirmed_counted_picodollars) as bigint)`.as('counted'))
    .where('workspace', 'in', workspaces)
    // A literal, not a parameter: only so is the partial index used.
    .where('unconfirmed_counted_picodollars', '<>', sql.lit(0))
    .groupBy(['workspace', 'key_id', 'hour'])
    .execute()
  return rows.map(({ workspace, key_id: keyId, hour, counted }) => ({
    ...{ workspace, keyId, day: Math.floor(hour / DAY_MS) },
    picodollars: BigInt(counted),
  }))
}
