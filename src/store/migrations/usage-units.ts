import { sql, type Transaction } from 'kysely'
import type { Engine } from '../engine/engine.ts'
import type { Database } from '../engine/schema.ts'

/** What calls used beside tokens, summed by the hour and the day; filled from the rows that are still there. */
export async function addUsageUnits(db: Transaction<Database>, engine: Engine): Promise<void> {
  const key = 'workspace, step, start, key_id, route, provider, model, code, endpoint, unit'
  await sql
    .raw(
      `create table usage_units (workspace text not null, step text not null, start bigint not null,
        key_id text not null, route text not null, provider text not null, model text not null, code text not null,
        endpoint text not null, unit text not null, quantity bigint not null, primary key (${key}))`,
    )
    .execute(db)
  // Few rows have any: sums by user or session read only those.
  await sql.raw('create index requests_uses on requests (workspace, started_at) where uses is not null').execute(db)
  // Exact, and no overflow: SQLite refuses to add beyond 64 bits.
  const [each, all] =
    engine === 'sqlite'
      ? ['json_each(uses)', 'min(sum(used.value / 1000000) * 1000000 + sum(used.value % 1000000), 9000000000000000000)']
      : ['json_each_text(cast(uses as json))', 'least(sum(cast(used.value as numeric)), 9e18)']
  const columns = ['key_id', 'route', 'provider', 'model', 'code', 'endpoint']
  const dimensions = columns.map((column) => `coalesce(${column}, '')`).join(', ')
  for (const [step, width] of Object.entries({ hour: 3_600_000, day: 86_400_000 })) {
    await sql
      .raw(
        `insert into usage_units (${key}, quantity)
          select workspace, '${step}', started_at - started_at % ${width}, ${dimensions}, used.key,
            cast(${all} as bigint)
          from requests, ${each} as used where uses is not null and state = 'closed' group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10`,
      )
      .execute(db)
  }
}
