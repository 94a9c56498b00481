import type { Kysely } from 'kysely'
import type { Database } from './schema.ts'
import { StoreError } from './store-error.ts'

/** The setting in which `switchyard migrate` keeps how far it is, in the database that it fills. */
export const MOVE_SETTING = 'moved_from'

/** A database that holds half of an installation would count half of what was spent: no gateway may start on it. */
export async function refuseUnfinishedMove(db: Kysely<Database>): Promise<void> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', MOVE_SETTING).executeTakeFirst()
  if (row === undefined) return
  const { finished_at: finishedAt, from } = JSON.parse(row.value) as { finished_at: number | null; from: string }
  if (finishedAt !== null) return
  throw new StoreError(
    `the database holds a part of what is being moved from ${from}: run the same switchyard migrate again, it goes on where it was`,
  )
}
