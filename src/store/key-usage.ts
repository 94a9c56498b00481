import { type Kysely, sql } from 'kysely'
import { asPicodollars, type Picodollars } from '../domain/price.ts'
import type { ExactInteger } from './exact-integer.ts'
import type { Database } from './schema.ts'

/** What a key has been used for so far. */
export interface KeyUsage {
  /** Unix milliseconds; null when it never made a call. */
  lastUsedAt: number | null
  spent: Picodollars
}

const UNUSED: KeyUsage = { lastUsedAt: null, spent: asPicodollars(0n) }

/** Of a page of keys at once; the index on key and time finds their rows. Calls without a known price count as 0. */
export async function keyUsage(db: Kysely<Database>, ids: readonly string[]): Promise<(id: string) => KeyUsage> {
  if (ids.length === 0) return () => UNUSED
  const rows = await db
    .selectFrom('requests')
    .select(['key_id', (of) => of.fn.max('started_at').as('last_used_at')])
    .select(sql<ExactInteger>`cast(coalesce(sum(cost_picodollars), 0) as bigint)`.as('spent'))
    .where('key_id', 'in', ids)
    .groupBy('key_id')
    .execute()
  const found = new Map(
    rows.map((row) => [
      row.key_id,
      { lastUsedAt: Number(row.last_used_at), spent: asPicodollars(BigInt(row.spent)) } satisfies KeyUsage,
    ]),
  )
  return (id) => found.get(id) ?? UNUSED
}
