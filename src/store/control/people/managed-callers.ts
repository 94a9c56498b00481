import type { Kysely } from 'kysely'
import type { Database } from '../../engine/schema.ts'

const SETTING = 'callers_managed'

/** Names of the token issuers and key templates that belong to a configuration file. */
export interface ManagedCallers {
  issuers: readonly string[]
  templates: readonly string[]
}

export async function readManagedCallers(db: Kysely<Database>): Promise<ManagedCallers> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', SETTING).executeTakeFirst()
  return row === undefined ? { issuers: [], templates: [] } : JSON.parse(row.value)
}

export async function writeManagedCallers(db: Kysely<Database>, managed: ManagedCallers): Promise<void> {
  const value = JSON.stringify(managed)
  await db
    .insertInto('settings')
    .values({ name: SETTING, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
