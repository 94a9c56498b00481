import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayError } from '../../domain/errors.ts'
import { afterFailure, delayMs, type Failures, LONGEST_DELAY_MS, NO_FAILURES } from './sign-in-delay.ts'

export interface SignInGuard {
  /**
   * Returns what `check` returns at once; throws what it throws after a delay that grows with the source's recent wrong
   * keys.
   */
  attempt<T>(source: string, check: () => T): Promise<T>
}

export interface GuardDeps {
  /** Milliseconds of a steady clock. */
  now(): number
  pause(milliseconds: number): Promise<void>
  mostSources?: number
}

/** Wrong keys of one source beyond these are answered at once, and no longer cost memory. */
const MOST_WAITING = 20
/** Keeps a client with many addresses from filling the memory. */
const MOST_SOURCES = 10_000

interface Source {
  failures: Failures
  waiting: number
}

/**
 * Slows down wrong keys, and only those: an operator behind the same address as a guesser gets in at once. A caller who
 * leaves still takes up a place until the delay ends, or leaving early would be a way around it.
 */
export function createSignInGuard({ now, pause, mostSources = MOST_SOURCES }: GuardDeps): SignInGuard {
  /** In the order of their newest wrong keys. */
  const sources = new Map<string, Source>()

  function countFailure(name: string): Source {
    const source = sources.get(name) ?? { failures: NO_FAILURES, waiting: 0 }
    source.failures = afterFailure(source.failures, now())
    sources.delete(name)
    sources.set(name, source)
    const [quietest = name] = sources.keys()
    if (sources.size > mostSources) sources.delete(quietest)
    return source
  }

  return {
    async attempt(name, check) {
      try {
        return check()
      } catch (error) {
        // A gateway key that is known and may not do this is no guess.
        if (error instanceof GatewayError && error.code === 'forbidden') throw error
        const source = countFailure(name)
        if (source.waiting >= MOST_WAITING) {
          throw new GatewayError('too_many_attempts', undefined, { retryAfterSeconds: LONGEST_DELAY_MS / 1000 })
        }
        source.waiting++
        await pause(delayMs(source.failures)).finally(() => source.waiting--)
        throw error
      }
    },
  }
}

/** A pause that ends early when the gateway stops. */
export function pauseUnless(stopping: AbortSignal): GuardDeps['pause'] {
  return (milliseconds) => sleep(milliseconds, undefined, { signal: stopping }).catch(() => {})
}
