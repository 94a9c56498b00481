import { type Kysely, sql } from 'kysely'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import type { Database } from '../../store/engine/schema.ts'
import { DAY_MS, readDaysUntil } from './rollup.ts'

/** In two parts, because SQLite refuses to add beyond 64 bits. */
const PART = 1_000_000_000n
const part = sql.raw(String(PART))

/** What a workspace and some of its keys spent on each whole day from `from` on, as far as the daily sums go. */
export interface DaySpend {
  until: number
  /** Picodollars by the beginning of the day; days without calls are missing. The key null: the whole workspace. */
  byKey: ReadonlyMap<string | null, ReadonlyMap<number, bigint>>
}

export async function readDaySpend(
  db: Kysely<Database>,
  { workspace, keyIds, from }: { workspace: string; keyIds: readonly string[] | null; from: number },
): Promise<DaySpend> {
  const until = Math.floor((await readDaysUntil(db)) / DAY_MS) * DAY_MS
  let days = db
    .selectFrom('usage_days')
    .where('workspace', '=', workspace)
    .where('day', '>=', from)
    .where('day', '<', until)
  if (keyIds !== null) days = days.where('key_id', 'in', keyIds)
  const rows = await days
    .select(['key_id', 'day'])
    .select(sql<ExactInteger>`sum(cost_picodollars / ${part})`.as('high'))
    .select(sql<ExactInteger>`sum(cost_picodollars % ${part})`.as('low'))
    .groupBy(['key_id', 'day'])
    .execute()
  const byKey = new Map<string | null, Map<number, bigint>>()
  for (const { key_id: keyId, day, high, low } of rows) {
    const spent = BigInt(high) * PART + BigInt(low)
    for (const id of [keyId, null]) {
      const known = byKey.get(id) ?? new Map<number, bigint>()
      byKey.set(id, known.set(day, (known.get(day) ?? 0n) + spent))
    }
  }
  return { until, byKey }
}

/** One amount a day, zeros included, from the first whole day on. */
export function wholeDays({ until, byKey }: DaySpend, keyId: string | null, from: number): bigint[] {
  const spent = byKey.get(keyId)
  const days: bigint[] = []
  for (let day = Math.ceil(from / DAY_MS) * DAY_MS; day < until; day += DAY_MS) days.push(spent?.get(day) ?? 0n)
  return days
}
