import { type Kysely, sql } from 'kysely'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import type { Database } from '../../store/engine/schema.ts'
import { readDaysUntil } from '../usage/rollup.ts'

/** Calls of a stretch of whole days by who pays and who is paid; a provider of none is empty. */
export interface MonthSum {
  workspace: string
  keyId: string
  provider: string
  requests: bigint
  cost: bigint
  unconfirmedEstimate: bigint
  unconfirmedMost: bigint
}

const AMOUNTS = ['cost', 'unconfirmed_estimate', 'unconfirmed_most'] as const
type Amount = (typeof AMOUNTS)[number]
type Row = Record<`${Amount}_${'high' | 'low'}` | 'requests', ExactInteger> & {
  workspace: string
  key_id: string
  provider: string
}

const PART = 1_000_000n
const part = sql.raw(String(PART))

/** From the sums, which retention does not delete: daily ones, and hourly ones where there are no daily ones yet. */
export async function monthSums(db: Kysely<Database>, { from, to }: { from: number; to: number }): Promise<MonthSum[]> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const until = await readDaysUntil(transaction)
      // In two parts, because SQLite refuses to add beyond 64 bits.
      const sums = sql.join(
        AMOUNTS.flatMap((name) => {
          const column = sql.ref(`${name}_picodollars`)
          return [
            sql`sum(${column} / ${part}) as ${sql.ref(`${name}_high`)}`,
            sql`sum(${column} % ${part}) as ${sql.ref(`${name}_low`)}`,
          ]
        }),
      )
      const names = sql`workspace, key_id, provider, requests, ${sql.join(AMOUNTS.map((name) => sql.ref(`${name}_picodollars`)))}`
      const { rows } = await sql<Row>`
        select workspace, key_id, provider, sum(requests) as requests, ${sums} from (
          select ${names} from usage_days where day >= ${from} and day < ${to}
          union all
          select ${names} from usage_hours where hour >= ${Math.max(from, until)} and hour < ${to}
        ) as both_sums group by 1, 2, 3 order by 1, 2, 3`.execute(transaction)
      return rows.map((row) => ({
        ...{ workspace: row.workspace, keyId: row.key_id, provider: row.provider, requests: BigInt(row.requests) },
        ...{ cost: whole(row, 'cost'), unconfirmedEstimate: whole(row, 'unconfirmed_estimate') },
        unconfirmedMost: whole(row, 'unconfirmed_most'),
      }))
    })
}

function whole(row: Row, name: Amount): bigint {
  return BigInt(row[`${name}_high`]) * PART + BigInt(row[`${name}_low`])
}

/** When the first call of all began, by the hour; null: there was none. */
export async function firstSummedHour(db: Kysely<Database>): Promise<number | null> {
  const found = db.selectFrom('usage_hours').select((select) => select.fn.min<number | null>('hour').as('hour'))
  return (await found.executeTakeFirst())?.hour ?? null
}
