import type { Kysely } from 'kysely'
import type { ClaimedCall } from '../../domain/idempotency.ts'
import type { Database } from '../../store/engine/schema.ts'
import { findIdempotent } from '../search/find-idempotent.ts'
import type { StorePast } from './store-past.ts'

interface Logged {
  reads: Kysely<Database>
  past: Pick<StorePast, 'mayHave' | 'settled'>
}

/**
 * The call in the log that has used an `Idempotency-Key`. One that an earlier process may have made, and that the
 * database does not have yet, is waited for.
 */
export function findLogged(
  { reads, past }: Logged,
  { orAway }: { orAway<T>(work: Promise<T>): Promise<T> },
): (keyId: string, idempotencyKey: string, since: number) => Promise<ClaimedCall | null> {
  return async (keyId, idempotencyKey, since) => {
    const find = () => orAway(findIdempotent(reads, { keyId, idempotencyKey, since }))
    const found = await find()
    if (found !== null || !past.mayHave(keyId, idempotencyKey)) return found
    await orAway(past.settled())
    return find()
  }
}
