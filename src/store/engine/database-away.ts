import { setTimeout as sleep } from 'node:timers/promises'
import { errorText, StoreError, type StoreLog } from './store-error.ts'

/** The database cannot be asked now. Nothing is wrong with the question: the same one may work in a moment. */
export class DatabaseAwayError extends StoreError {}

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  // A name may be unknown only until the server's container has started.
  'ENOTFOUND',
  'EAI_AGAIN',
])

/**
 * What PostgreSQL says itself (appendix A of its manual): connection exceptions, too many connections, too slow, shutting down,
 * crashed, starting up; and that it is a standby, which it is for a moment when another one takes over.
 */
const SQL_STATES = /^(08...|53300|57014|57P0[123]|25006)$/

/** What the client says; it has no codes for these. */
const CLIENT_WORDS =
  /^(Connection terminated|timeout expired$|timeout exceeded when trying|Query read timeout$|Client (was closed|has encountered))|^the connection to PostgreSQL ended$/

/** A wrong password, an unknown database or a mistake of ours is none of these: waiting would not mend it. */
export function isAway(error: unknown): boolean {
  if (error instanceof DatabaseAwayError) return true
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return NETWORK.has(code) || SQL_STATES.test(code) || CLIENT_WORDS.test(error.message)
}

/** One line about it; an address with several numbers fails with an empty message of its own. */
export function awayText(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : []
  return errorText(first ?? error)
}

export interface Patience {
  log: StoreLog
  /** Ends the wait. */
  signal?: AbortSignal | undefined
}

const RETRY_MS = 500
const SAY_MS = 5_000

/**
 * The gateway may start together with its database, or before it: retries until it is reachable, and logs that every
 * few seconds.
 */
export async function onceReachable<T>(work: () => Promise<T>, { log, signal }: Patience): Promise<T> {
  let saidAt = Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isAway(error) || signal?.aborted) throw error
      if (performance.now() - saidAt >= SAY_MS) {
        log.warn({ error: awayText(error) }, 'waiting for PostgreSQL')
        saidAt = performance.now()
      }
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {
        throw error
      })
    }
  }
}
