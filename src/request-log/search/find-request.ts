import type { Kysely } from 'kysely'
import { timeOfId } from '../../domain/new-id.ts'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import { isPartitioned } from '../retention/partitions.ts'
import { HOUR_MS } from '../usage/rollup.ts'
import { newestFirst } from './windows.ts'

/**
 * One request. Its id contains its arrival time, close to its start except for the time to read it and clock
 * differences: so usually one partition is queried, and all of them only if it is not there.
 */
export async function findRequest(db: Kysely<Database>, id: string): Promise<RequestRow | undefined> {
  const rows = db.selectFrom('requests').selectAll().where('id', '=', id)
  if (!isPartitioned(db)) return rows.executeTakeFirst()
  const time = timeOfId(id)
  if (time !== null) {
    const near = rows.where('started_at', '>=', time - HOUR_MS).where('started_at', '<', time + HOUR_MS)
    const found = await near.executeTakeFirst()
    if (found !== undefined) return found
  }
  for await (const { from, to } of newestFirst(db, { from: null, to: null })) {
    let some = rows
    if (from !== null) some = some.where('started_at', '>=', from)
    if (to !== null) some = some.where('started_at', '<', to)
    const found = await some.executeTakeFirst()
    if (found !== undefined) return found
  }
  return undefined
}

/** Those of them that the log has. */
export async function findRequests(db: Kysely<Database>, ids: readonly string[]): Promise<RequestRow[]> {
  if (!isPartitioned(db)) return db.selectFrom('requests').selectAll().where('id', 'in', ids).execute()
  const found = await Promise.all(ids.map((id) => findRequest(db, id)))
  return found.flatMap((row) => row ?? [])
}
