import { type Kysely, sql, type Transaction } from 'kysely'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import type { Database } from '../../store/engine/schema.ts'
import { keptSince } from '../retention/kept-since.ts'
import type { LogHour } from '../usage/hours.ts'
import { CAP, HOUR_MS } from '../usage/rollup.ts'
import type { LogDifference } from './log-difference.ts'

const FIGURES = ['requests', 'prompt_tokens', 'completion_tokens', 'cost'] as const
type Figures = Record<(typeof FIGURES)[number], bigint>
const NOTHING: Figures = { requests: 0n, prompt_tokens: 0n, completion_tokens: 0n, cost: 0n }

/** The sums of an hour against its rows, key by key, at one moment. Null: retention has taken rows of it. */
export async function compareSums(db: Kysely<Database>, place: LogHour): Promise<LogDifference[] | null> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const sums = await read(transaction, place, 'usage_hours')
      const rows = await read(transaction, place, 'requests')
      const differences = differencesOf(place, sums, rows)
      if (differences.length === 0 || count(rows) >= count(sums)) return differences
      if (place.hour >= (await keptSince(transaction))) return differences
      return (await hasOlderRows(transaction, place)) ? differences : null
    })
}

function count(figures: ReadonlyMap<string, Figures>): bigint {
  let requests = 0n
  for (const each of figures.values()) requests += each.requests
  return requests
}

function differencesOf(
  { workspace, hour }: LogHour,
  sums: ReadonlyMap<string, Figures>,
  rows: ReadonlyMap<string, Figures>,
): LogDifference[] {
  return [...new Set([...sums.keys(), ...rows.keys()])].flatMap((keyId) => {
    const [stored, computed] = [sums.get(keyId) ?? NOTHING, rows.get(keyId) ?? NOTHING]
    return FIGURES.filter((figure) => stored[figure] !== computed[figure] && stored[figure] < CAP).map((figure) => ({
      ...{ id: null, workspace, keyId, at: hour, figure },
      ...{ stored: stored[figure], computed: computed[figure] },
    }))
  })
}

type SumRow = Record<'requests' | `${'prompt' | 'completion' | 'cost'}_${'high' | 'low'}`, ExactInteger> & {
  key_id: string
}

const PART = 1_000_000n

/** In two parts each, because a sum of 64 bits could overflow. */
async function read(
  db: Transaction<Database>,
  { workspace, hour }: LogHour,
  table: 'usage_hours' | 'requests',
): Promise<Map<string, Figures>> {
  const part = sql.raw(String(PART))
  const sum = (column: string) => {
    const both = (operator: string) =>
      sql`cast(coalesce(sum(${sql.ref(column)} ${sql.raw(operator)} ${part}), 0) as bigint)`
    const name = column.split('_')[0]
    return sql`${both('/')} as ${sql.ref(`${name}_high`)}, ${both('%')} as ${sql.ref(`${name}_low`)}`
  }
  const figures = sql.join(['prompt_tokens', 'completion_tokens', 'cost_picodollars'].map(sum))
  const source =
    table === 'usage_hours'
      ? sql`cast(sum(requests) as bigint) as requests, ${figures} from usage_hours
          where workspace = ${workspace} and hour = ${hour}`
      : sql`count(*) as requests, ${figures} from requests
          where workspace = ${workspace} and started_at >= ${hour} and started_at < ${hour + HOUR_MS} and state = 'closed'`
  const { rows } = await sql<SumRow>`select key_id, ${source} group by key_id`.execute(db)
  const whole = (row: SumRow, name: 'prompt' | 'completion' | 'cost') =>
    BigInt(row[`${name}_high`]) * PART + BigInt(row[`${name}_low`])
  return new Map(
    rows.map((row) => [
      row.key_id,
      {
        requests: BigInt(row.requests),
        prompt_tokens: whole(row, 'prompt'),
        completion_tokens: whole(row, 'completion'),
        cost: whole(row, 'cost'),
      },
    ]),
  )
}

/** Retention takes the oldest first: where older ones are, it has not come to this hour. */
async function hasOlderRows(db: Transaction<Database>, { workspace, hour }: LogHour): Promise<boolean> {
  const closed = db.selectFrom('requests').select('id').where('state', '=', 'closed')
  const older = closed.where('workspace', '=', workspace).where('started_at', '<', hour).limit(1)
  return (await older.executeTakeFirst()) !== undefined
}
