import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** What an installation that moves in from another gateway brings along. */
export async function addMovingIn(db: Transaction<Database>): Promise<void> {
  for (const column of [
    'workspaces add column direct_models bigint',
    'workspaces add column direct_models_managed_by text',
    'routes add column defaults text',
    'routes add column shared bigint',
    'keys add column note text',
    'keys add column opening text',
    'workspaces add column opening text',
  ]) {
    await sql.raw(`alter table ${column}`).execute(db)
  }
}
