import { type Kysely, sql } from 'kysely'
import { OUTPUT_PARTS } from '../../domain/pricing/classes.ts'
import type { Database } from '../../store/engine/schema.ts'
import { callsOf, type WhatIfQuery } from './what-if.ts'

type Calls = Pick<WhatIfQuery, 'workspace' | 'from' | 'to' | 'keyId' | 'route'>

/** Of so many answers in a hundred nothing would be cut. */
const KEPT_PERCENT = 95

/** The versions of prices that these calls were charged at. */
export async function pricesPaid(db: Kysely<Database>, calls: Calls): Promise<{ id: number; prices: string }[]> {
  const used = callsOf(db, calls).where('price_version', 'is not', null).select('price_version').distinct()
  return db.selectFrom('price_versions').select(['id', 'prices']).where('id', 'in', used).orderBy('id').execute()
}

/** The routes of these calls that cost most; direct models are in none. */
export async function routesByCost(db: Kysely<Database>, calls: Calls, most: number): Promise<string[]> {
  const rows = await callsOf(db, calls)
    .where('route', 'is not', null)
    .select('route')
    .groupBy('route')
    // Only their order counts here, so that a sum of doubles will do.
    .orderBy(sql`sum(cost_picodollars * 1.0)`, sql`desc nulls last`)
    .orderBy('route')
    .limit(most)
    .execute()
  return rows.flatMap(({ route }) => route ?? [])
}

/** A limit of answers, and how many are longer. Without a given one it is the length that 95 of 100 keep. */
export async function answerLengths(
  db: Kysely<Database>,
  calls: Calls,
  given: number | null,
): Promise<{ limit: number | null; cut: number }> {
  const answers = () => {
    const parts = OUTPUT_PARTS.map(({ column }) => sql<boolean>`coalesce(${sql.ref(column)}, 0) = 0`)
    let some = callsOf(db, calls).where('cost_picodollars', 'is not', null).where('uses', 'is', null)
    for (const part of parts) some = some.where(part)
    return some.where('completion_tokens', '>', 0)
  }
  const longer = async (limit: number) => {
    const found = await answers()
      .where('completion_tokens', '>', limit)
      .select(sql`count(*)`.as('cut'))
      .executeTakeFirst()
    return Number(found?.cut ?? 0)
  }
  if (given !== null) return { limit: given, cut: await longer(given) }
  const counted = await answers().select(sql`count(*)`.as('all')).executeTakeFirst()
  const all = Number(counted?.all ?? 0)
  if (all === 0) return { limit: null, cut: 0 }
  const place = Math.ceil((all * KEPT_PERCENT) / 100) - 1
  const row = await answers()
    .select('completion_tokens')
    .orderBy('completion_tokens')
    .limit(1)
    .offset(place)
    .executeTakeFirst()
  const limit = row?.completion_tokens ?? null
  return limit === null ? { limit: null, cut: 0 } : { limit: Number(limit), cut: await longer(Number(limit)) }
}
