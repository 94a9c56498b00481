import type { Kysely } from 'kysely'
import { hashKey, keyPrefix } from '../../domain/key.ts'
import { newId } from '../../domain/new-id.ts'
import type { Database, KeyRow, KeyValueRow } from '../engine/schema.ts'

/** The first value of a key has the id of the key. */
export function firstValue({ id, prefix, created_at }: KeyRow, hash: string): KeyValueRow {
  return { id, key_id: id, hash, prefix, created_at, ends_at: null, last_used_at: null }
}

/** Newest first. */
export async function valuesOf(db: Kysely<Database>, { id }: KeyRow): Promise<KeyValueRow[]> {
  return db.selectFrom('key_values').selectAll().where('key_id', '=', id).orderBy('id', 'desc').execute()
}

/** The value with this hash and the key it belongs to. */
export async function findByHash(
  db: Kysely<Database>,
  hash: string,
): Promise<{ key: KeyRow; value: KeyValueRow } | null> {
  const value = await db.selectFrom('key_values').selectAll().where('hash', '=', hash).executeTakeFirst()
  if (value === undefined) return null
  return {
    key: await db.selectFrom('keys').selectAll().where('id', '=', value.key_id).executeTakeFirstOrThrow(),
    value,
  }
}

export function worksAt(value: KeyValueRow, now: number): boolean {
  return value.ends_at === null || value.ends_at > now
}

/** One more value for the key; its others stay as they are. */
export async function addValue(
  db: Kysely<Database>,
  key: KeyRow,
  secret: string,
  now: number,
  prefix = keyPrefix(secret),
): Promise<KeyValueRow> {
  const value = { ...firstValue(key, hashKey(secret)), id: newId(now), prefix, created_at: now }
  await db.insertInto('key_values').values(value).execute()
  await showNewest(db, key, now)
  return value
}

/** Lets the values that `which` names end at that time, unless they do so before; returns them as they are then. */
export async function endValues(
  db: Kysely<Database>,
  key: KeyRow,
  { which, at, now }: { which: (value: KeyValueRow) => boolean; at: number; now: number },
): Promise<KeyValueRow[]> {
  const ending = (await valuesOf(db, key)).filter((value) => worksAt(value, now) && which(value))
  if (ending.length === 0) return []
  const ends = ending.map((value) => ({ ...value, ends_at: Math.min(at, value.ends_at ?? at) }))
  for (const { id, ends_at } of ends) {
    await db.updateTable('key_values').set({ ends_at }).where('id', '=', id).execute()
  }
  await showNewest(db, key, now)
  return ends
}

/** Works as long as its key from now on, regardless of an earlier end. */
export async function reviveValue(db: Kysely<Database>, key: KeyRow, value: KeyValueRow, now: number): Promise<void> {
  await db.updateTable('key_values').set({ ends_at: null }).where('id', '=', value.id).execute()
  await showNewest(db, key, now)
}

/** A key is shown with the prefix of the newest value that works. */
async function showNewest(db: Kysely<Database>, key: KeyRow, now: number): Promise<void> {
  const newest = (await valuesOf(db, key)).find((value) => worksAt(value, now))
  if (newest === undefined) return
  await db.updateTable('keys').set({ prefix: newest.prefix }).where('id', '=', key.id).execute()
}
