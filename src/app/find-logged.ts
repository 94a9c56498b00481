import type { IdempotencyOptions } from '../calls/idempotency/idempotency.ts'
import { findIdempotent } from '../request-log/search/find-idempotent.ts'
import type { LiveSnapshot } from '../store/control/live-snapshot.ts'
import type { Store } from './open-store.ts'

/**
 * The call in the log that has used an `Idempotency-Key`. One that an earlier process may have made, and that the
 * database does not have yet, is waited for.
 */
export function findLogged({ reads, past }: Store, live: LiveSnapshot): IdempotencyOptions['find'] {
  return async (keyId, idempotencyKey, since) => {
    const find = () => live.orAway(findIdempotent(reads, { keyId, idempotencyKey, since }))
    const found = await find()
    if (found !== null || !past.mayHave(keyId, idempotencyKey)) return found
    await live.orAway(past.settled())
    return find()
  }
}
