import { DatabaseAwayError } from '../../store/engine/database-away.ts'
import type { LeftCost } from '../left-costs.ts'
import type { OpenedFold, RequestLog } from '../open-spool.ts'
import type { Past } from './read-past.ts'

/** What earlier processes have left in the spools. Until the database has it, it is known from there. */
export interface StorePast {
  /** As the spools were at the start; before `begin`. */
  read(now: number): Promise<Past>
  /** From here on it is moved into the database, and then what comes. */
  begin(): void
  /** The database has all of it, and calls that were cut off are closed. */
  inOrder: Promise<void>
  /** The same; rejects when that takes too long to be waited for. */
  settled(): Promise<void>
  /** Whether it may have a call with this `Idempotency-Key` that the database does not have. */
  mayHave(keyId: string, idempotencyKey: string): boolean
  /** The same log; a wait for its rows includes these. */
  before(log: RequestLog): RequestLog
  /** Costs of streams that were cut off, as far as the database may not have them. */
  left(): readonly LeftCost[]
}

/** As long as for calls that have just been answered. */
const LONGEST_WAIT_MS = 30_000

export function storePast(
  fold: Pick<OpenedFold, 'begin' | 'inOrder'>,
  readPast: (now: number) => Promise<Past>,
  held: Promise<void>,
): StorePast {
  let past: Past | null = null
  let isInOrder = false
  const inOrder = fold.inOrder.then(() => {
    isInOrder = true
    past = null
  })
  async function settled(): Promise<void> {
    if (isInOrder) return
    const { promise: late, reject } = Promise.withResolvers<never>()
    const error = new DatabaseAwayError('the database does not have all calls of the last run yet')
    const timer = setTimeout(() => reject(error), LONGEST_WAIT_MS).unref()
    await Promise.race([inOrder, late]).finally(() => clearTimeout(timer))
  }
  return {
    async read(now) {
      past = await readPast(now)
      return past
    },
    begin: () => void held.then(fold.begin),
    inOrder,
    settled,
    before: (log) => ({ ...log, caughtUp: () => settled().then(log.caughtUp) }),
    mayHave: (keyId, idempotencyKey) => !isInOrder && (past === null || past.mayHave(keyId, idempotencyKey)),
    left: () => past?.left ?? [],
  }
}
