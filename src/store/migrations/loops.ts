import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** When a workspace takes its sessions for loops, and which calls were part of one. */
export async function addLoops(db: Transaction<Database>): Promise<void> {
  const statements = [
    'alter table workspaces add column loops text',
    'alter table workspaces add column loops_managed_by text',
    'alter table requests add column loop text',
    // Few rows have it: the alerts and the list of stopped sessions read only those.
    'create index requests_loop on requests (workspace, started_at) where loop is not null',
    `create table resumed_sessions (
      workspace text not null,
      session text not null,
      resumed_at bigint not null,
      primary key (workspace, session)
    )`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
