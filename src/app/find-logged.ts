import type { IdempotencyOptions } from '../calls/idempotency/idempotency.ts'
import { findIdempotent } from '../request-log/search/find-idempotent.ts'
import type { LiveSnapshot } from '../store/control/live-snapshot.ts'
import type { Store } from './open-store.ts'

/** The call in the log that has used an `Idempotency-Key`. */
export function findLogged({ reads }: Store, live: LiveSnapshot): IdempotencyOptions['find'] {
  return (keyId, idempotencyKey, since) => live.orAway(findIdempotent(reads, { keyId, idempotencyKey, since }))
}
