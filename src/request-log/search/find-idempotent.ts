import { type Kysely, sql } from 'kysely'
import { INTERRUPTED } from '../../domain/errors.ts'
import type { ClaimedCall } from '../../domain/idempotency.ts'
import type { Database } from '../../store/engine/schema.ts'

export interface IdempotentSearch {
  keyId: string
  idempotencyKey: string
  /** Unix milliseconds: calls that started then or earlier no longer count. */
  since: number
}

/** The call that a key stands for: one that was charged, may have been, or still runs. The others freed the key. */
export async function findIdempotent(db: Kysely<Database>, search: IdempotentSearch): Promise<ClaimedCall | null> {
  const row = await db
    .selectFrom('requests')
    .select(['id', 'body_hash', 'state', 'code'])
    .where('key_id', '=', search.keyId)
    .where('idempotency_key', '=', search.idempotencyKey)
    .where('started_at', '>', search.since)
    // An open row has no code either.
    .where((where) => where.or([where('code', 'is', null), where('code', '=', sql.lit(INTERRUPTED.code))]))
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return null
  const state = row.state === 'open' ? 'running' : row.code === null ? 'answered' : 'uncertain'
  return { requestId: row.id, bodyHash: row.body_hash ?? '', state }
}
