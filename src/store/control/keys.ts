import { type Kysely, sql } from 'kysely'
import { type Access, FULL_ACCESS, isFullAccess, type Role } from '../../domain/access.ts'
import type { OpeningSpend } from '../../domain/budgets/opening-spend.ts'
import { hashKey, type Key, type KeyKind, keyPrefix, newKeyValue } from '../../domain/key.ts'
import { type Limits, limitsFromText } from '../../domain/limits.ts'
import { newId } from '../../domain/new-id.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { Database, KeyRow, ManagedBy } from '../engine/schema.ts'
import { changeControlData } from './control-transaction.ts'
import { addValue, findByHash, firstValue, worksAt } from './key-values.ts'

export interface KeyInput {
  kind: KeyKind
  /** Null for an admin key. */
  workspace: string | null
  name: string
  expiresAt?: number | null
  allowedModels?: readonly string[] | null
  limits?: Limits | null
  pausedAt?: number | null
  /** Of an admin key; left out: full. */
  access?: Access
  note?: JsonObject | null
  opening?: OpeningSpend | null
  managedBy?: ManagedBy
}

export function keyFromRow(row: KeyRow): Key {
  return {
    id: row.id,
    kind: row.kind === 'live' ? 'live' : 'admin',
    workspace: row.workspace,
    name: row.name,
    prefix: row.prefix,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    pausedAt: row.paused_at,
    allowedModels: row.allowed_models === null ? null : (JSON.parse(row.allowed_models) as string[]),
    limits: limitsFromText(row.limits),
    ...(row.kind === 'live' ? {} : { access: accessFromRow(row) }),
  }
}

export function accessFromRow({ kind, role, workspaces }: Pick<KeyRow, 'kind' | 'role' | 'workspaces'>): Access {
  if (kind === 'admin') return FULL_ACCESS
  return storedAccess({ role: role ?? 'viewer', workspaces })
}

export function storedAccess({ role, workspaces }: { role: Role; workspaces: string | null }): Access {
  return { role, workspaces: workspaces === null ? null : (JSON.parse(workspaces) as string[]) }
}

/** A key that may do less is of a kind that gateways of the version before do not let in. */
function storedKind({ kind, access = FULL_ACCESS }: KeyInput): KeyRow['kind'] {
  return kind === 'admin' && !isFullAccess(access) ? 'scoped' : kind
}

/** Makes a key with a new value. The value is in the answer and nowhere else: only its hash is stored. */
export async function createKey(
  db: Kysely<Database>,
  input: KeyInput,
  now: number,
): Promise<{ key: Key; value: string }> {
  const value = newKeyValue(input.kind)
  return { key: await insertKey(db, input, value, now), value }
}

export function insertKey(db: Kysely<Database>, input: KeyInput, value: string, now: number): Promise<Key> {
  return insertHashedKey(db, input, { hash: hashKey(value), prefix: keyPrefix(value) }, now)
}

/** A key whose value only its holder knows. */
export async function insertHashedKey(
  db: Kysely<Database>,
  input: KeyInput,
  { hash, prefix }: { hash: string; prefix: string },
  now: number,
): Promise<Key> {
  const row = newKeyRow(input, prefix, now)
  await db.insertInto('keys').values(row).execute()
  await db.insertInto('key_values').values(firstValue(row, hash)).execute()
  return keyFromRow(row)
}

export function newKeyRow(input: KeyInput, prefix: string, now: number): KeyRow {
  return {
    id: newId(now),
    kind: storedKind(input),
    workspace: input.workspace,
    name: input.name,
    prefix,
    created_at: now,
    expires_at: input.expiresAt ?? null,
    revoked_at: null,
    paused_at: input.pausedAt ?? null,
    allowed_models: jsonOrNull(input.allowedModels),
    limits: jsonOrNull(input.limits),
    managed_by: input.managedBy ?? null,
    role: input.access?.role ?? null,
    workspaces: jsonOrNull(input.access?.workspaces),
    note: jsonOrNull(input.note),
    opening: jsonOrNull(input.opening),
  }
}

/**
 * A key with exactly this value, as set in the environment. A revoked one stays revoked and is reported: it was revoked
 * for a reason, and a leftover variable must not bring it back. A new value of a gateway key is added to the same key,
 * so that its limits and its spend stay; the previous one works until it is revoked, because other nodes may still be
 * started with it. An admin key has one value: another one is another key.
 */
export async function ensureKey(
  db: Kysely<Database>,
  input: KeyInput & { value: string },
  now: number,
): Promise<'created' | 'added' | 'present' | 'revoked' | 'taken'> {
  return changeControlData(db, async (transaction) => {
    const found = await findByHash(transaction, hashKey(input.value))
    if (found !== null) {
      if (found.key.kind !== input.kind || found.key.workspace !== input.workspace) return 'taken'
      return found.key.revoked_at === null && worksAt(found.value, now) ? 'present' : 'revoked'
    }
    const same = input.kind === 'live' ? await findLiveByName(transaction, String(input.workspace), input.name) : null
    if (same?.managed_by === null) {
      await addValue(transaction, same, input.value, now)
      return 'added'
    }
    await insertKey(transaction, input, input.value, now)
    return 'created'
  })
}

/** The newest one that is not revoked. */
export async function findLiveByName(db: Kysely<Database>, workspace: string, name: string): Promise<KeyRow | null> {
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

/** Is there any key of this kind that works? Of admin keys one that may do everything. */
export async function hasKeys(db: Kysely<Database>, kind: KeyKind, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('keys')
    .select('id')
    .where('kind', '=', kind)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

const KINDS: Record<KeyKind, KeyRow['kind'][]> = { live: ['live'], admin: ['admin', 'scoped'] }

export async function findKey(db: Kysely<Database>, kind: KeyKind, id: string): Promise<KeyRow | null> {
  const row = await db
    .selectFrom('keys')
    .selectAll()
    .where('id', '=', id)
    .where('kind', 'in', KINDS[kind])
    .executeTakeFirst()
  return row ?? null
}

export interface KeyPage {
  kind: KeyKind
  /** Null with admin keys. */
  workspace: string | null
  /** Only those that work at this time (Unix milliseconds); null or left out: all. */
  usableAt?: number | null
  /** Only those with this in their name, id or prefix, in capitals or not. */
  search?: string
  /** The id that the page before ended with. */
  after: string | null
  limit: number
}

/** Newest first. */
export async function listKeys(db: Kysely<Database>, page: KeyPage): Promise<KeyRow[]> {
  const { kind, workspace, usableAt = null, search = '', after, limit } = page
  let rows = db.selectFrom('keys').selectAll().where('kind', 'in', KINDS[kind]).orderBy('id', 'desc').limit(limit)
  if (workspace !== null) rows = rows.where('workspace', '=', workspace)
  if (usableAt !== null) {
    rows = rows
      .where((where) => where.or([where('revoked_at', 'is', null), where('revoked_at', '>', usableAt)]))
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', usableAt)]))
  }
  if (search !== '') {
    const pattern = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
    const has = (column: 'name' | 'id' | 'prefix') =>
      sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`
    rows = rows.where((where) => where.or([has('name'), has('id'), has('prefix')]))
  }
  if (after !== null) rows = rows.where('id', '<', after)
  return rows.execute()
}

/** Ids of the keys of this kind that work now, of this name if one is given; `isFull`: only those that may do everything. */
export async function usableKeyIds(
  db: Kysely<Database>,
  filter: { kind: KeyKind; workspace: string | null; name?: string; isFull?: boolean },
  now: number,
): Promise<string[]> {
  let rows = db
    .selectFrom('keys')
    .select('id')
    .where('kind', 'in', filter.isFull ? [filter.kind] : KINDS[filter.kind])
    .where((where) => where.or([where('revoked_at', 'is', null), where('revoked_at', '>', now)]))
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
  if (filter.workspace !== null) rows = rows.where('workspace', '=', filter.workspace)
  if (filter.name !== undefined) rows = rows.where('name', '=', filter.name)
  return (await rows.execute()).map(({ id }) => id)
}

export type KeyChange = Partial<
  Pick<KeyInput, 'name' | 'expiresAt' | 'pausedAt' | 'allowedModels' | 'limits' | 'note' | 'opening'>
>

/** Only what the change names. */
export async function updateKey(db: Kysely<Database>, id: string, change: KeyChange): Promise<void> {
  const columns: Partial<KeyRow> = {}
  if (change.name !== undefined) columns.name = change.name
  if (change.expiresAt !== undefined) columns.expires_at = change.expiresAt
  if (change.pausedAt !== undefined) columns.paused_at = change.pausedAt
  if (change.allowedModels !== undefined) columns.allowed_models = jsonOrNull(change.allowedModels)
  if (change.limits !== undefined) columns.limits = jsonOrNull(change.limits)
  if (change.note !== undefined) columns.note = jsonOrNull(change.note)
  if (change.opening !== undefined) columns.opening = jsonOrNull(change.opening)
  if (Object.keys(columns).length > 0) await db.updateTable('keys').set(columns).where('id', '=', id).execute()
}

/** True when it worked until now. */
export async function revokeKey(db: Kysely<Database>, id: string, at: number): Promise<boolean> {
  const result = await db
    .updateTable('keys')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where((where) => where.or([where('revoked_at', 'is', null), where('revoked_at', '>', at)]))
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export function jsonOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value)
}

/** No admin key or person has access to a later workspace of the same name. One that is left with none may see nothing. */
export async function forgetInScopes(db: Kysely<Database>, workspace: string): Promise<void> {
  for (const table of ['keys', 'people', 'invites'] as const) {
    const rows = await db.selectFrom(table).select(['id', 'workspaces']).where('workspaces', 'is not', null).execute()
    for (const { id, workspaces } of rows) {
      const names = JSON.parse(String(workspaces)) as string[]
      if (!names.includes(workspace)) continue
      const rest = JSON.stringify(names.filter((name) => name !== workspace))
      await db.updateTable(table).set({ workspaces: rest }).where('id', '=', id).execute()
    }
  }
}
