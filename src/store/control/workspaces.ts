import type { Kysely } from 'kysely'
import type { Limits } from '../../domain/limits.ts'
import type { Database } from '../engine/schema.ts'
import { jsonOrNull } from './keys.ts'

export async function ensureWorkspace(db: Kysely<Database>, name: string, now: number): Promise<void> {
  await db
    .insertInto('workspaces')
    .values({ name, created_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

export interface WorkspaceChange {
  description?: string | null | undefined
  limits?: Limits | null | undefined
}

/** Only what the change names. Limits that it names belong to nobody afterwards. */
export async function updateWorkspace(db: Kysely<Database>, name: string, change: WorkspaceChange): Promise<void> {
  const columns = {
    ...(change.description === undefined ? {} : { description: change.description }),
    ...(change.limits === undefined ? {} : { limits: jsonOrNull(change.limits), limits_managed_by: null }),
  }
  if (Object.keys(columns).length > 0) {
    await db.updateTable('workspaces').set(columns).where('name', '=', name).execute()
  }
}

/** Limits of the file are the file's; what it no longer says goes, limits that were set otherwise stay. */
export async function setFileLimits(db: Kysely<Database>, name: string, limits: Limits | undefined): Promise<void> {
  const rows = db.updateTable('workspaces').where('name', '=', name)
  if (limits !== undefined) {
    await rows.set({ limits: JSON.stringify(limits), limits_managed_by: 'config' }).execute()
  } else {
    await rows.set({ limits: null, limits_managed_by: null }).where('limits_managed_by', '=', 'config').execute()
  }
}

export async function listWorkspaces(db: Kysely<Database>): Promise<{ name: string; createdAt: number }[]> {
  const rows = await db.selectFrom('workspaces').selectAll().orderBy('name').execute()
  return rows.map((row) => ({ name: row.name, createdAt: row.created_at }))
}
