import type { Kysely } from 'kysely'
import type { Database } from '../engine/schema.ts'

const NAME = 'litellm_master_key_id'

/** The id of the gateway key that LiteLLM's API accepts as an admin; null: none. */
export async function readLitellmMaster(db: Kysely<Database>): Promise<string | null> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', NAME).executeTakeFirst()
  return row?.value ?? null
}

export async function writeLitellmMaster(db: Kysely<Database>, keyId: string | null): Promise<void> {
  if (keyId === null) {
    await db.deleteFrom('settings').where('name', '=', NAME).execute()
    return
  }
  await db
    .insertInto('settings')
    .values({ name: NAME, value: keyId })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: keyId }))
    .execute()
}
