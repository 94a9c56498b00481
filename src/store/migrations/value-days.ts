import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** What each value that calls name has spent by the day: sessions, agents, users, projects, values of tags. */
export async function addValueDays(db: Transaction<Database>): Promise<void> {
  await sql
    .raw(
      `create table value_days (workspace text not null, kind text not null, of_name text not null, value text not null,
        key_id text not null, parent text not null, day bigint not null, counted_picodollars bigint not null,
        primary key (workspace, kind, of_name, value, key_id, parent, day))`,
    )
    .execute(db)
  await sql.raw('create index value_days_day on value_days (day)').execute(db)
}
