import type { Kysely } from 'kysely'
import { hashKey, keyPrefix } from '../../domain/key.ts'
import { newId } from '../../domain/new-id.ts'
import type { Database, KeyRow, KeyValueRow } from '../engine/schema.ts'

/** As a new key has it, and every key from before there were several. */
export function firstValue({ id, hash, prefix, created_at }: KeyRow): KeyValueRow {
  return { id, key_id: id, hash, prefix, created_at, ends_at: null, last_used_at: null }
}

/** With those of keys that a gateway of the version before has made meanwhile: it writes none. */
export function allValues(keys: readonly KeyRow[], values: readonly KeyValueRow[]): KeyValueRow[] {
  const known = new Set(values.map(({ hash }) => hash))
  return [...values, ...keys.filter(({ hash }) => !known.has(hash)).map(firstValue)]
}

/** Newest first. */
export async function valuesOf(db: Kysely<Database>, key: KeyRow): Promise<KeyValueRow[]> {
  const rows = await db.selectFrom('key_values').selectAll().where('key_id', '=', key.id).execute()
  return allValues([key], rows).sort((a, b) => (a.id < b.id ? 1 : -1))
}

/** The value with this hash and the key it belongs to. */
export async function findByHash(
  db: Kysely<Database>,
  hash: string,
): Promise<{ key: KeyRow; value: KeyValueRow } | null> {
  const value = await db.selectFrom('key_values').selectAll().where('hash', '=', hash).executeTakeFirst()
  const key = await (value === undefined
    ? db.selectFrom('keys').selectAll().where('hash', '=', hash).executeTakeFirst()
    : db.selectFrom('keys').selectAll().where('id', '=', value.key_id).executeTakeFirst())
  return key === undefined ? null : { key, value: value ?? firstValue(key) }
}

export function worksAt(value: KeyValueRow, now: number): boolean {
  return value.ends_at === null || value.ends_at > now
}

/** One more value for the key; its others stay as they are. */
export async function addValue(db: Kysely<Database>, key: KeyRow, secret: string, now: number): Promise<KeyValueRow> {
  await keepFirst(db, key)
  const value = {
    ...firstValue(key),
    id: newId(now),
    hash: hashKey(secret),
    prefix: keyPrefix(secret),
    created_at: now,
  }
  await db.insertInto('key_values').values(value).execute()
  await pointAtNewest(db, key, now)
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
  await keepFirst(db, key)
  const ends = ending.map((value) => ({ ...value, ends_at: Math.min(at, value.ends_at ?? at) }))
  for (const { id, ends_at } of ends) {
    await db.updateTable('key_values').set({ ends_at }).where('id', '=', id).execute()
  }
  await pointAtNewest(db, key, now)
  return ends
}

/** Works as long as its key from now on, whatever end it had. */
export async function reviveValue(db: Kysely<Database>, key: KeyRow, value: KeyValueRow, now: number): Promise<void> {
  await db.updateTable('key_values').set({ ends_at: null }).where('id', '=', value.id).execute()
  await pointAtNewest(db, key, now)
}

/** A key that a gateway of the version before has made gets the row that it lacks. */
async function keepFirst(db: Kysely<Database>, key: KeyRow): Promise<void> {
  await db
    .insertInto('key_values')
    .values(firstValue(key))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Gateways of the version before know one value, the one in the row of the key. */
async function pointAtNewest(db: Kysely<Database>, key: KeyRow, now: number): Promise<void> {
  const newest = (await valuesOf(db, key)).find((value) => worksAt(value, now))
  if (newest === undefined) return
  const { hash, prefix } = newest
  await db.updateTable('keys').set({ hash, prefix }).where('id', '=', key.id).execute()
}
