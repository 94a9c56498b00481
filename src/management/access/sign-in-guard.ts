import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayError } from '../../domain/errors.ts'
import { afterFailure, delayMs, type Failures, LONGEST_DELAY_MS, NO_FAILURES } from './sign-in-delay.ts'

export interface SignInGuard {
  /** What `check` returns, at once; what it throws, after a delay that grows with the source's wrong keys of late. */
  attempt<T>(source: string, check: () => T): Promise<T>
}

export interface GuardDeps {
  /** Milliseconds of a steady clock. */
  now(): number
  pause(milliseconds: number): Promise<void>
  mostSources?: number
}

/** With the longest delay these are four guesses a second from one source. */
const MOST_WAITING = 20
/** So that somebody with many addresses does not fill the memory. */
const MOST_SOURCES = 10_000

interface Source {
  failures: Failures
  waiting: number
}

/**
 * Slows down whoever guesses keys, and nobody else. A caller who leaves still takes up a place until the delay is over,
 * or leaving early would be a way around it. While all places are taken no key is looked at: a right one that passed
 * would tell the guesser as much as an answer.
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
      if ((sources.get(name)?.waiting ?? 0) >= MOST_WAITING) {
        throw new GatewayError('too_many_attempts', undefined, { retryAfterSeconds: LONGEST_DELAY_MS / 1000 })
      }
      try {
        return check()
      } catch (error) {
        // A gateway key that is known and may not do this is no guess.
        if (error instanceof GatewayError && error.code === 'forbidden') throw error
        const source = countFailure(name)
        source.waiting++
        await pause(delayMs(source.failures)).finally(() => source.waiting--)
        throw error
      }
    },
  }
}

/** A pause that ends early when the gateway is told to stop. */
export function pauseUnless(stopping: AbortSignal): GuardDeps['pause'] {
  return (milliseconds) => sleep(milliseconds, undefined, { signal: stopping }).catch(() => {})
}
