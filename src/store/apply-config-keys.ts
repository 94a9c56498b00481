import type { Transaction } from 'kysely'
import type { FileConfig } from '../domain/file-config.ts'
import { hashKey, newKeyValue } from '../domain/key.ts'
import type { CreatedKey } from './apply-config.ts'
import { findKeyByHash, insertKey, jsonOrNull, revokeKey } from './keys.ts'
import type { Database, KeyRow } from './schema.ts'
import { StoreError } from './store-error.ts'

type KeyDefinition = FileConfig['workspaces'][string]['keys'][string]

interface Wanted {
  workspace: string
  name: string
  definition: KeyDefinition
}

/** Makes the keys of the file so; returns those whose value was made here. */
export async function applyKeys(db: Transaction<Database>, config: FileConfig, now: number): Promise<CreatedKey[]> {
  const created: CreatedKey[] = []
  const kept = new Set<string>()
  for (const [workspace, { keys }] of Object.entries(config.workspaces)) {
    for (const [name, definition] of Object.entries(keys)) {
      const wanted = { workspace, name, definition }
      const present = await findPresent(db, wanted)
      if (present !== null && kept.has(present.id)) throw taken(wanted)
      if (present !== null) await updateKey(db, present, wanted)
      const id = present?.id ?? (await createKeyOf(db, wanted, created, now))
      kept.add(id)
    }
  }
  await revokeOthers(db, kept, now)
  return created
}

/** By value where the file gives one, else by name. */
async function findPresent(db: Transaction<Database>, wanted: Wanted): Promise<KeyRow | null> {
  const { workspace, name, definition } = wanted
  if (definition.value !== undefined) {
    const row = await findKeyByHash(db, hashKey(definition.value))
    if (row !== null && (row.kind !== 'live' || row.workspace !== workspace)) throw taken(wanted)
    return row
  }
  const row = await db
    .selectFrom('keys')
    .selectAll()
    .where('kind', '=', 'live')
    .where('workspace', '=', workspace)
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** A value that the file took away and brings back works again. One that was revoked elsewhere is left revoked. */
async function updateKey(db: Transaction<Database>, present: KeyRow, { name, definition }: Wanted): Promise<void> {
  if (present.revoked_at !== null && present.managed_by !== 'config') return
  const content = {
    name,
    expires_at: expiry(definition),
    allowed_models: jsonOrNull(definition.allowed_models),
    limits: jsonOrNull(definition.limits),
    managed_by: 'config' as const,
    revoked_at: null,
  }
  const same =
    present.name === content.name &&
    present.expires_at === content.expires_at &&
    present.allowed_models === content.allowed_models &&
    present.limits === content.limits &&
    present.managed_by === content.managed_by &&
    present.revoked_at === content.revoked_at
  if (!same) await db.updateTable('keys').set(content).where('id', '=', present.id).execute()
}

async function createKeyOf(
  db: Transaction<Database>,
  { workspace, name, definition }: Wanted,
  created: CreatedKey[],
  now: number,
): Promise<string> {
  const value = definition.value ?? newKeyValue('live')
  const { limits = null, allowed_models: allowedModels = null } = definition
  const owner = { kind: 'live', workspace, name, managedBy: 'config' } as const
  const key = await insertKey(db, { ...owner, expiresAt: expiry(definition), allowedModels, limits }, value, now)
  if (definition.value === undefined) created.push({ workspace, name, value })
  return key.id
}

async function revokeOthers(db: Transaction<Database>, kept: ReadonlySet<string>, now: number): Promise<void> {
  const owned = await db
    .selectFrom('keys')
    .select('id')
    .where('managed_by', '=', 'config')
    .where('revoked_at', 'is', null)
    .execute()
  for (const { id } of owned) if (!kept.has(id)) await revokeKey(db, id, now)
}

function expiry(definition: KeyDefinition): number | null {
  return definition.expires_at === undefined ? null : Date.parse(definition.expires_at)
}

function taken({ workspace, name }: Wanted): StoreError {
  return new StoreError(`workspaces.${workspace}.keys.${name}: its value already belongs to another key`)
}
