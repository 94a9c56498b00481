import type { Kysely } from 'kysely'
import type { OpeningSpend } from '../../domain/budgets/opening-spend.ts'
import { type GuardrailSettings, guardrailFromText } from '../../domain/content/guardrail.ts'
import { type ContentSettings, contentFromText } from '../../domain/content/settings.ts'
import { type Limits, limitsFromText } from '../../domain/limits.ts'
import { type LoopSettings, loopsFromText } from '../../domain/loops/settings.ts'
import { type Resale, resaleFromText } from '../../domain/pricing/resale.ts'
import type { Database, WorkspaceRow } from '../engine/schema.ts'
import { jsonOrNull } from './keys.ts'

export async function ensureWorkspace(db: Kysely<Database>, name: string, now: number): Promise<void> {
  await db
    .insertInto('workspaces')
    .values({ name, created_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** What may be set of a workspace. Each has a column, and a second one for who manages it. */
export const WORKSPACE_SETTINGS = [
  'limits',
  'streaming',
  'content',
  'guardrail',
  'direct_models',
  'resale',
  'loops',
] as const
export type WorkspaceSetting = (typeof WORKSPACE_SETTINGS)[number]

interface SettingValues {
  limits: Limits
  streaming: boolean
  content: ContentSettings
  guardrail: GuardrailSettings
  direct_models: boolean
  resale: Resale
  loops: LoopSettings
}

export type WorkspaceChange = { [Name in WorkspaceSetting]?: SettingValues[Name] | null | undefined } & {
  description?: string | null | undefined
}

export function settingsFromRow(row: WorkspaceRow): { [Name in WorkspaceSetting]: SettingValues[Name] | null } {
  return {
    limits: limitsFromText(row.limits),
    streaming: flagOrNull(row.streaming),
    content: contentFromText(row.content),
    guardrail: guardrailFromText(row.guardrail),
    direct_models: flagOrNull(row.direct_models),
    resale: resaleFromText(row.resale),
    loops: loopsFromText(row.loops),
  }
}

export function managersFromRow(row: WorkspaceRow): Record<`${WorkspaceSetting}_managed_by`, 'config' | null> {
  const by = (setting: WorkspaceSetting) => (row[`${setting}_managed_by`] === 'config' ? ('config' as const) : null)
  return {
    limits_managed_by: by('limits'),
    streaming_managed_by: by('streaming'),
    content_managed_by: by('content'),
    guardrail_managed_by: by('guardrail'),
    direct_models_managed_by: by('direct_models'),
    resale_managed_by: by('resale'),
    loops_managed_by: by('loops'),
  }
}

function flagOrNull(value: number | null): boolean | null {
  return value === null ? null : value === 1
}

function stored(value: SettingValues[WorkspaceSetting] | null): string | number | null {
  return typeof value === 'boolean' ? Number(value) : jsonOrNull(value)
}

/** Only what the change names. Settings that it names are the API's afterwards. */
export async function updateWorkspace(db: Kysely<Database>, name: string, change: WorkspaceChange): Promise<void> {
  const columns: Record<string, string | number | null> = {}
  if (change.description !== undefined) columns['description'] = change.description
  for (const setting of WORKSPACE_SETTINGS) {
    const value = change[setting]
    if (value === undefined) continue
    columns[setting] = stored(value)
    columns[`${setting}_managed_by`] = null
  }
  if (Object.keys(columns).length > 0) {
    await db.updateTable('workspaces').set(columns).where('name', '=', name).execute()
  }
}

/** What the file says is the file's; what it no longer says is removed, what was set otherwise stays. */
export async function setFileSettings(
  db: Kysely<Database>,
  name: string,
  settings: Partial<{ [Name in WorkspaceSetting]: SettingValues[Name] | undefined }> = {},
): Promise<void> {
  const rows = db.updateTable('workspaces').where('name', '=', name)
  for (const setting of WORKSPACE_SETTINGS) {
    const value = settings[setting]
    const by = `${setting}_managed_by` as const
    if (value !== undefined) await rows.set({ [setting]: stored(value), [by]: 'config' }).execute()
    else
      await rows
        .set({ [setting]: null, [by]: null })
        .where(by, '=', 'config')
        .execute()
  }
}

export async function setOpening(db: Kysely<Database>, name: string, opening: OpeningSpend | null): Promise<void> {
  await db
    .updateTable('workspaces')
    .set({ opening: jsonOrNull(opening) })
    .where('name', '=', name)
    .execute()
}

export async function listWorkspaces(db: Kysely<Database>): Promise<{ name: string; createdAt: number }[]> {
  const rows = await db.selectFrom('workspaces').selectAll().orderBy('name').execute()
  return rows.map((row) => ({ name: row.name, createdAt: row.created_at }))
}
