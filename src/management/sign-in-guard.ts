import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayError } from '../domain/errors.ts'
import { afterFailure, delayMs, LONGEST_DELAY_MS, NO_FAILURES } from '../domain/sign-in-delay.ts'

export interface SignInGuard {
  /** What `check` returns, at once; what it throws, after a delay that grows with the wrong keys of late. */
  attempt<T>(check: () => T): Promise<T>
}

export interface GuardDeps {
  /** Milliseconds of a steady clock. */
  now(): number
  pause(milliseconds: number): Promise<void>
}

/** With the longest delay this is four guesses a second, from however many places they come. */
const MOST_WAITING = 20

/**
 * Slows down whoever guesses keys. It counts all callers together: behind a proxy they look alike. A caller who leaves
 * still takes up a place until the delay is over, or leaving early would be a way around it.
 */
export function createSignInGuard({ now, pause }: GuardDeps): SignInGuard {
  let failures = NO_FAILURES
  let waiting = 0
  return {
    async attempt(check) {
      if (waiting >= MOST_WAITING) {
        throw new GatewayError('too_many_attempts', undefined, { retryAfterSeconds: LONGEST_DELAY_MS / 1000 })
      }
      try {
        return check()
      } catch (error) {
        failures = afterFailure(failures, now())
        waiting++
        await pause(delayMs(failures)).finally(() => waiting--)
        throw error
      }
    },
  }
}

/** A pause that ends early when the gateway is told to stop. */
export function pauseUnless(stopping: AbortSignal): GuardDeps['pause'] {
  return (milliseconds) => sleep(milliseconds, undefined, { signal: stopping }).catch(() => {})
}
