import type { Kysely } from 'kysely'
import { type KeyTemplate, KeyTemplateSettings } from '../../../domain/people/key-template.ts'
import type { KeyTemplatesTable, PersonalKeysTable } from '../../engine/people-schema.ts'
import type { Database, KeyRow } from '../../engine/schema.ts'
import { jsonOrNull, revokeKey } from '../keys.ts'

export function templateFromRow(row: KeyTemplatesTable): KeyTemplate {
  return { name: row.name, workspace: row.workspace, ...KeyTemplateSettings.parse(JSON.parse(row.settings)) }
}

export async function listTemplates(db: Kysely<Database>): Promise<KeyTemplate[]> {
  return (await db.selectFrom('key_templates').selectAll().orderBy('name').execute()).map(templateFromRow)
}

export async function findTemplate(db: Kysely<Database>, name: string): Promise<KeyTemplate | null> {
  const row = await db.selectFrom('key_templates').selectAll().where('name', '=', name).executeTakeFirst()
  return row === undefined ? null : templateFromRow(row)
}

/** Its keys follow: what an admin lowers holds for the next call. */
export async function putTemplate(
  db: Kysely<Database>,
  { name, workspace, ...settings }: KeyTemplate,
  now: number,
): Promise<void> {
  const content = { workspace, settings: JSON.stringify(settings), updated_at: now }
  await db
    .insertInto('key_templates')
    .values({ name, created_at: now, ...content })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(content))
    .execute()
  const { allowed_models, limits } = settings
  await db
    .updateTable('keys')
    .set({ allowed_models: jsonOrNull(allowed_models), limits: jsonOrNull(limits) })
    .where('id', 'in', (select) => select.selectFrom('personal_keys').select('key_id').where('template', '=', name))
    .execute()
}

export async function deleteTemplate(db: Kysely<Database>, name: string): Promise<void> {
  await db.deleteFrom('key_templates').where('name', '=', name).execute()
}

export type PersonalKey = KeyRow & Pick<PersonalKeysTable, 'owner' | 'template'>

/** Newest first, the ended ones among them. */
export function listPersonalKeys(
  db: Kysely<Database>,
  by: { owner: string } | { template: string },
): Promise<PersonalKey[]> {
  const rows = db.selectFrom('personal_keys').innerJoin('keys', 'keys.id', 'personal_keys.key_id').orderBy('id', 'desc')
  const found = 'owner' in by ? rows.where('owner', '=', by.owner) : rows.where('template', '=', by.template)
  return found.selectAll('keys').select(['owner', 'template']).execute()
}

export async function addPersonalKey(db: Kysely<Database>, row: PersonalKeysTable): Promise<void> {
  await db.insertInto('personal_keys').values(row).execute()
}

/** Of a person who may no longer come in: how many worked until now. */
export async function revokeKeysOf(db: Kysely<Database>, owner: string, now: number): Promise<number> {
  let revoked = 0
  for (const { id } of await listPersonalKeys(db, { owner })) if (await revokeKey(db, id, now)) revoked += 1
  return revoked
}
