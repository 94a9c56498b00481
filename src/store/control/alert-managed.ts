import type { Kysely } from 'kysely'
import type { Database } from '../engine/schema.ts'

const SETTING = 'alerts_managed'

/** Names of the rules and channels that belong to a configuration file. */
export interface ManagedAlerts {
  rules: readonly string[]
  channels: readonly string[]
}

export async function readManaged(db: Kysely<Database>): Promise<ManagedAlerts> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', SETTING).executeTakeFirst()
  return row === undefined ? { rules: [], channels: [] } : JSON.parse(row.value)
}

export async function writeManaged(db: Kysely<Database>, managed: ManagedAlerts): Promise<void> {
  const value = JSON.stringify(managed)
  await db
    .insertInto('settings')
    .values({ name: SETTING, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
