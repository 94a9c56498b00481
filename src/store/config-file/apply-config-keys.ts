import type { Transaction } from 'kysely'
import type { FileConfig } from '../../domain/file-config.ts'
import { hashKey, newKeyValue } from '../../domain/key.ts'
import { addValue, endValues, findByHash, reviveValue, worksAt } from '../control/key-values.ts'
import { findLiveByName, insertKey, jsonOrNull } from '../control/keys.ts'
import type { Database, KeyRow, KeyValueRow } from '../engine/schema.ts'
import { StoreError } from '../engine/store-error.ts'

export interface CreatedKey {
  workspace: string
  name: string
  value: string
}

type KeyDefinition = FileConfig['workspaces'][string]['keys'][string]

interface Wanted {
  workspace: string
  name: string
  definition: KeyDefinition
  /** The key that the value in the file belongs to already, if there is one. */
  owner: { key: KeyRow; value: KeyValueRow } | null
}

/** Applies the keys of the file; returns those whose value was generated here. */
export async function applyKeys(db: Transaction<Database>, config: FileConfig, now: number): Promise<CreatedKey[]> {
  const created: CreatedKey[] = []
  const kept = new Set<string>()
  const all = await wantedKeys(db, config)
  const owners = new Set(all.flatMap(({ owner }) => (owner === null ? [] : [owner.key.id])))
  for (const wanted of all) {
    const present = wanted.owner?.key ?? (await findNamed(db, wanted, owners))
    if (present !== null && kept.has(present.id)) throw taken(wanted)
    if (present !== null) await updateKey(db, present, wanted, now)
    const id = present?.id ?? (await createKeyOf(db, wanted, created, now))
    kept.add(id)
  }
  return created
}

async function wantedKeys(db: Transaction<Database>, config: FileConfig): Promise<Wanted[]> {
  const wanted: Wanted[] = []
  const values = new Set<string>()
  for (const [workspace, { keys }] of Object.entries(config.workspaces)) {
    for (const [name, definition] of Object.entries(keys)) {
      const owner = definition.value === undefined ? null : await findByHash(db, hashKey(definition.value))
      const one = { workspace, name, definition, owner }
      if (owner !== null && (owner.key.kind !== 'live' || owner.key.workspace !== workspace)) throw taken(one)
      if (definition.value !== undefined && values.has(definition.value)) throw taken(one)
      if (definition.value !== undefined) values.add(definition.value)
      wanted.push(one)
    }
  }
  return wanted
}

/** By its name, unless another key of the file is known to be this one by its value. */
async function findNamed(
  db: Transaction<Database>,
  { workspace, name }: Wanted,
  owners: ReadonlySet<string>,
): Promise<KeyRow | null> {
  const row = await findLiveByName(db, workspace, name)
  return row === null || owners.has(row.id) ? null : row
}

/** What the file took away and brings back works again. What was revoked elsewhere is left revoked. */
async function updateKey(db: Transaction<Database>, present: KeyRow, wanted: Wanted, now: number): Promise<void> {
  const { name, definition, owner } = wanted
  const isEnded = present.revoked_at !== null || (owner !== null && !worksAt(owner.value, now))
  if (isEnded && present.managed_by !== 'config') return
  const content = {
    name,
    expires_at: expiry(definition),
    paused_at: definition.paused === true ? (present.paused_at ?? now) : null,
    allowed_models: jsonOrNull(definition.allowed_models),
    limits: jsonOrNull(definition.limits),
    managed_by: 'config' as const,
    revoked_at: null,
  }
  const isSame = Object.entries(content).every(([column, value]) => present[column as keyof KeyRow] === value)
  if (!isSame) await db.updateTable('keys').set(content).where('id', '=', present.id).execute()
  if (definition.value !== undefined) await makeOnlyValue(db, present, { secret: definition.value, owner }, now)
}

/** A value in the file is the only one of its key. */
async function makeOnlyValue(
  db: Transaction<Database>,
  key: KeyRow,
  { secret, owner }: { secret: string } & Pick<Wanted, 'owner'>,
  now: number,
): Promise<void> {
  const { id } = owner?.value ?? (await addValue(db, key, secret, now))
  if (owner !== null && owner.value.ends_at !== null) await reviveValue(db, key, owner.value, now)
  await endValues(db, key, { which: (value) => value.id !== id, at: now, now })
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
  const pausedAt = definition.paused === true ? now : null
  const settings = { expiresAt: expiry(definition), pausedAt, allowedModels, limits }
  const key = await insertKey(db, { ...owner, ...settings }, value, now)
  if (definition.value === undefined) created.push({ workspace, name, value })
  return key.id
}

function expiry(definition: KeyDefinition): number | null {
  return definition.expires_at === undefined ? null : Date.parse(definition.expires_at)
}

function taken({ workspace, name }: Wanted): StoreError {
  return new StoreError(`workspaces.${workspace}.keys.${name}: its value already belongs to another key`)
}
