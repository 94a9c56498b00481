import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Database } from '../engine/schema.ts'

const NAME = 'installation'

/** The id of all gateways of this database. `switchyard migrate` takes it along, and a backup keeps it. */
export async function ensureInstallation(db: Kysely<Database>): Promise<string> {
  await db
    .insertInto('settings')
    .values({ name: NAME, value: randomUUID() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await readInstallation(db)) ?? ''
}

/** Null: no gateway with shared counters has started yet. */
export async function readInstallation(db: Kysely<Database>): Promise<string | null> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', NAME).executeTakeFirst()
  return row?.value ?? null
}
