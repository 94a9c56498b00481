import { type Kysely, sql } from 'kysely'
import { asPicodollars, type Picodollars } from '../../domain/pricing/price.ts'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import type { Database } from '../../store/engine/schema.ts'
import { DAY_MS, readDaysUntil } from '../usage/rollup.ts'
import { lastUse } from './last-use.ts'

/** What a key has been used for so far. */
export interface KeyUsage {
  /** Unix milliseconds; null when it never made a call. */
  lastUsedAt: number | null
  spent: Picodollars
}

const UNUSED: KeyUsage = { lastUsedAt: null, spent: asPicodollars(0n) }
const PART = 1_000_000n
const part = sql.raw(String(PART))

/**
 * Of a page of keys at once. The sum is that of the days and of the hours since; in two parts, because one of 64 bits
 * could overflow. Calls without a known price count as 0.
 */
export async function keyUsage(db: Kysely<Database>, ids: readonly string[]): Promise<(id: string) => KeyUsage> {
  if (ids.length === 0) return () => UNUSED
  const until = await readDaysUntil(db)
  const today = sql.lit(until - (until % DAY_MS))
  const sum = (expression: string) => {
    const summed = sql`select coalesce(sum(${sql.raw(expression)} ${part}), 0)`
    return sql<ExactInteger>`cast(
      (${summed} from usage_days where usage_days.key_id = keys.id and day < ${today})
      + (${summed} from usage_hours where usage_hours.key_id = keys.id and hour >= ${today}) as bigint)`
  }
  const rows = await db
    .selectFrom('keys')
    .select('id')
    .select(sum('cost_picodollars /').as('high'))
    .select(sum('cost_picodollars %').as('low'))
    .where('id', 'in', ids)
    .execute()
  const lastUsed = await lastUse(db, ids)
  const found = new Map<string, KeyUsage>()
  for (const { id, high, low } of rows) {
    found.set(id, { lastUsedAt: lastUsed.get(id) ?? null, spent: asPicodollars(BigInt(high) * PART + BigInt(low)) })
  }
  return (id) => found.get(id) ?? UNUSED
}
