import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** What keys people may make for themselves, and whose they are. */
export async function addPersonalKeys(db: Transaction<Database>): Promise<void> {
  const statements = [
    `create table key_templates (name text primary key, workspace text not null references workspaces (name),
      settings text not null, created_at bigint not null, updated_at bigint not null)`,
    `create table personal_keys (key_id text primary key references keys (id) on delete cascade, owner text not null,
      template text not null)`,
    'create index personal_keys_owner on personal_keys (owner)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
