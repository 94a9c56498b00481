import { type Kysely, sql } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'

const NAME = 'log_kept_since'

/** Written before anything is deleted: a row that is missing after this moment was not taken by retention. */
export async function noteKeptSince(db: Kysely<Database>, since: number): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name: NAME, value: String(since) })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ value: String(since) })
        .where(sql`cast(settings.value as bigint)`, '<', since),
    )
    .execute()
}

/** Unix milliseconds; 0: retention has deleted nothing yet. */
export async function keptSince(db: Kysely<Database>): Promise<number> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', NAME).executeTakeFirst()
  return Number(row?.value ?? 0)
}
