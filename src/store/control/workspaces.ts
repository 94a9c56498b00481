import type { Kysely } from 'kysely'
import type { GuardrailSettings } from '../../domain/content/guardrail.ts'
import type { ContentSettings } from '../../domain/content/settings.ts'
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
  streaming?: boolean | null | undefined
  content?: ContentSettings | null | undefined
  guardrail?: GuardrailSettings | null | undefined
}

/** Truth as the database holds it; null stays unsaid. */
export function flagOrNull(value: number | null): boolean | null {
  return value === null ? null : value === 1
}

function numberOrNull(flag: boolean | null): number | null {
  return flag === null ? null : Number(flag)
}

/** Only what the change names. Settings it names are no longer managed by the file. */
export async function updateWorkspace(db: Kysely<Database>, name: string, change: WorkspaceChange): Promise<void> {
  const columns = {
    ...(change.description === undefined ? {} : { description: change.description }),
    ...(change.limits === undefined ? {} : { limits: jsonOrNull(change.limits), limits_managed_by: null }),
    ...(change.streaming === undefined
      ? {}
      : { streaming: numberOrNull(change.streaming), streaming_managed_by: null }),
    ...(change.guardrail === undefined ? {} : { guardrail: jsonOrNull(change.guardrail), guardrail_managed_by: null }),
    ...(change.content === undefined ? {} : { content: jsonOrNull(change.content), content_managed_by: null }),
  }
  if (Object.keys(columns).length > 0) {
    await db.updateTable('workspaces').set(columns).where('name', '=', name).execute()
  }
}

interface FileSettings {
  limits?: Limits | undefined
  streaming?: boolean | undefined
  content?: ContentSettings | undefined
  guardrail?: GuardrailSettings | undefined
}

/** What the file says is the file's; what it no longer says goes, what was set otherwise stays. */
export async function setFileSettings(
  db: Kysely<Database>,
  name: string,
  { limits, streaming, content, guardrail }: FileSettings = {},
): Promise<void> {
  const rows = db.updateTable('workspaces').where('name', '=', name)
  if (limits !== undefined) {
    await rows.set({ limits: JSON.stringify(limits), limits_managed_by: 'config' }).execute()
  } else {
    await rows.set({ limits: null, limits_managed_by: null }).where('limits_managed_by', '=', 'config').execute()
  }
  if (streaming !== undefined) {
    await rows.set({ streaming: Number(streaming), streaming_managed_by: 'config' }).execute()
  } else {
    await rows
      .set({ streaming: null, streaming_managed_by: null })
      .where('streaming_managed_by', '=', 'config')
      .execute()
  }
  if (content !== undefined) {
    await rows.set({ content: JSON.stringify(content), content_managed_by: 'config' }).execute()
  } else {
    await rows.set({ content: null, content_managed_by: null }).where('content_managed_by', '=', 'config').execute()
  }
  if (guardrail !== undefined) {
    await rows.set({ guardrail: JSON.stringify(guardrail), guardrail_managed_by: 'config' }).execute()
  } else {
    await rows
      .set({ guardrail: null, guardrail_managed_by: null })
      .where('guardrail_managed_by', '=', 'config')
      .execute()
  }
}

export async function listWorkspaces(db: Kysely<Database>): Promise<{ name: string; createdAt: number }[]> {
  const rows = await db.selectFrom('workspaces').selectAll().orderBy('name').execute()
  return rows.map((row) => ({ name: row.name, createdAt: row.created_at }))
}
