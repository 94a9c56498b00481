import { type Kysely, sql } from 'kysely'
import { type Access, namesIn } from '../domain/access.ts'
import { hashKey } from '../domain/key.ts'
import { litellmFacts } from '../domain/litellm/facts.ts'
import { findByHash } from '../store/control/key-values.ts'
import type { Database, KeyRow } from '../store/engine/schema.ts'
import { nameOf } from './settings.ts'

type Db = Kysely<Database>

/** `key` of a request: the value, or its hash as 64 hexadecimal digits. */
export function hashIn(key: string): string {
  return /^[0-9a-f]{64}$/.test(key) ? key : hashKey(key)
}

/** Deleted ones are not there. Callers of this check whether the key may be seen. */
export async function keyByHash(db: Db, key: string): Promise<KeyRow | null> {
  const found = await findByHash(db, hashIn(key))
  return found === null || found.key.kind !== 'live' || found.key.revoked_at !== null ? null : found.key
}

export async function keyByAlias(db: Db, access: Access, alias: string): Promise<KeyRow | null> {
  return (await keysNamed(db, access, alias))[0] ?? null
}

export function aliasOf(row: Pick<KeyRow, 'note' | 'name'>): string {
  return litellmFacts(row.note === null ? null : JSON.parse(row.note)).key_alias ?? row.name
}

async function keysNamed(db: Db, access: Access, alias: string): Promise<KeyRow[]> {
  const facts = containing(`"key_alias":${JSON.stringify(alias)}`)
  const rows = await visible(db, access)
    .where((where) => where.or([where('name', '=', nameOf(alias, '')), sql<boolean>`note like ${facts} escape '\\'`]))
    .selectAll()
    .orderBy('id', 'desc')
    .execute()
  return rows.filter((row) => aliasOf(row) === alias)
}

/** A pattern for `like`. Notes are stored as `JSON.stringify` writes them. */
function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

function visible(db: Db, { workspaces }: Access) {
  const rows = db.selectFrom('keys').where('kind', '=', 'live').where('revoked_at', 'is', null)
  return workspaces === null ? rows : rows.where('workspace', 'in', namesIn(workspaces))
}

export interface KeySearch {
  alias?: string | undefined
  workspace?: string | undefined
  userId?: string | undefined
  hash?: string | undefined
}

/** A page of the keys that the caller may see, newest first, and how many there are. */
export async function searchKeys(
  db: Db,
  access: Access,
  { alias, workspace, userId, hash }: KeySearch,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: KeyRow[]; total: number }> {
  if (alias !== undefined) {
    const rows = (await keysNamed(db, access, alias)).filter((row) => (workspace ?? row.workspace) === row.workspace)
    return { rows: rows.slice(offset, offset + limit), total: rows.length }
  }
  let found = visible(db, access)
  if (workspace !== undefined) found = found.where('workspace', '=', workspace)
  if (userId !== undefined) {
    const facts = containing(`"user_id":${JSON.stringify(userId)}`)
    found = found.where(sql<boolean>`note like ${facts} escape '\\'`)
  }
  if (hash !== undefined) {
    found = found.where('id', 'in', db.selectFrom('key_values').select('key_id').where('hash', '=', hash))
  }
  const { count } = await found.select(db.fn.countAll().as('count')).executeTakeFirstOrThrow()
  const rows = await found.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute()
  return { rows, total: Number(count) }
}

/** Of their newest values, by key id. */
export async function newestHashes(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const values = await db
    .selectFrom('key_values')
    .select(['key_id', 'hash'])
    .where('key_id', 'in', [...ids])
    .orderBy('id')
    .execute()
  return new Map(values.map(({ key_id, hash }) => [key_id, hash]))
}
