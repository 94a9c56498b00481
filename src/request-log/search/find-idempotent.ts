import { type Kysely, sql } from 'kysely'
import { INTERRUPTED } from '../../domain/errors.ts'
import type { ClaimedCall } from '../../domain/idempotency.ts'
import { asPicodollars } from '../../domain/pricing/price.ts'
import type { Database } from '../../store/engine/schema.ts'

export interface IdempotentSearch {
  keyId: string
  idempotencyKey: string
  /** Unix milliseconds: calls that started then or earlier no longer count. */
  since: number
}

/** The call that holds a key: one that was charged, may have been, or still runs. The others freed the key. */
export async function findIdempotent(db: Kysely<Database>, search: IdempotentSearch): Promise<ClaimedCall | null> {
  const row = await db
    .selectFrom('requests')
    .select(['id', 'body_hash', 'state', 'code', 'streamed', 'first_content_ms', 'cost_picodollars'])
    .where('key_id', '=', search.keyId)
    .where('idempotency_key', '=', search.idempotencyKey)
    .where('started_at', '>', search.since)
    // An open row has no code either. A stream that was cut has one, and costs what it has sent.
    .where((where) =>
      where.or([
        where('code', 'is', null),
        where('code', '=', sql.lit(INTERRUPTED.code)),
        where('first_content_ms', 'is not', null),
        where('cost_picodollars', '>', sql.lit(0)),
      ]),
    )
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return null
  const isUncertain = row.code === INTERRUPTED.code && row.first_content_ms === null
  const state = row.state === 'open' ? 'running' : isUncertain ? 'uncertain' : 'answered'
  const isCut = state === 'answered' && row.streamed === 1 && row.code !== null
  const cost = row.cost_picodollars
  const cut = { picodollars: cost === null ? null : asPicodollars(BigInt(cost)) }
  return { requestId: row.id, bodyHash: row.body_hash ?? '', state, ...(isCut && { cut }) }
}
