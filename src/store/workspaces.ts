import type { Kysely } from 'kysely'
import type { Database } from './schema.ts'

export async function ensureWorkspace(db: Kysely<Database>, name: string, now: number): Promise<void> {
  await db
    .insertInto('workspaces')
    .values({ name, created_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

export async function describeWorkspace(db: Kysely<Database>, name: string, description: string): Promise<void> {
  await db.updateTable('workspaces').set({ description }).where('name', '=', name).execute()
}

export async function listWorkspaces(db: Kysely<Database>): Promise<{ name: string; createdAt: number }[]> {
  const rows = await db.selectFrom('workspaces').selectAll().orderBy('name').execute()
  return rows.map((row) => ({ name: row.name, createdAt: row.created_at }))
}
