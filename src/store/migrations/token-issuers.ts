import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** Whose tokens are accepted in place of a gateway key, and which of them no longer. */
export async function addTokenIssuers(db: Transaction<Database>): Promise<void> {
  const statements = [
    `create table token_issuers (name text primary key, issuer text not null unique, settings text not null,
      created_at bigint not null, updated_at bigint not null)`,
    `create table token_revocations (issuer text not null references token_issuers (name) on delete cascade,
      claim text not null, value text not null, created_at bigint not null, until bigint,
      primary key (issuer, claim, value))`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
