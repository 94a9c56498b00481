import type { Standby } from './slots/slot-book.ts'

/** The right to enforce limits alone: one gateway of a database has it at a time. */
export interface EnforcerLock {
  /** False for good once another gateway may have it. */
  held(): boolean
  release(): Promise<void>
}

/** Whether the holder of the lock may enforce, or which node has still to deliver what it spent. */
export type EnforcerClaim = { kind: 'granted'; wasOurs: boolean } | { kind: 'waiting'; for: string }

export interface ElectionOptions {
  /** Null: another gateway has it. */
  tryLock(onLost: () => void): Promise<EnforcerLock | null>
  /** Asked with the lock in hand. */
  claim(): Promise<EnforcerClaim>
  /** Fills the ledger with what the log says by now. */
  refill(): Promise<void>
  standby: Standby
  log: { info(message: string): void; warn(details: object, message: string): void }
}

export interface Election {
  enforces(): boolean
  stop(): Promise<void>
}

const RETRY_MS = 2_000

const STILL_ANOTHERS =
  'the gateway that enforced the limits has not delivered its rows: start it again, deliver its spool (switchyard spool ' +
  'ship) or forget it (switchyard nodes forget)'

/**
 * Several gateways on one database without shared counters: the one with the lock enforces limits, the others refuse
 * calls that a limit applies to. When it has stopped, another one takes over with what the log says. Resolves after the
 * first attempt.
 */
export async function openElection({ tryLock, claim, refill, standby, log }: ElectionOptions): Promise<Election> {
  let lock: EnforcerLock | null = null
  let isStopped = false
  let waitingFor = ''
  const enforces = () => lock?.held() === true
  /** All threads enforce while this one does. */
  const tell = () => void Atomics.store(standby, 0, enforces() ? 0 : 1)
  async function tryToEnforce(): Promise<void> {
    const taken = await tryLock(tell)
    if (taken === null) return
    try {
      const claimed = await claim()
      if (claimed.kind === 'granted') {
        // The gateway that enforced until its connection closed continues with what it knows: no other one did in
        // between.
        if (lock === null || !claimed.wasOurs) await refill()
        lock = taken
        tell()
        log.info('this gateway enforces the limits')
        return
      }
      if (claimed.for !== waitingFor) log.warn({ node: claimed.for }, STILL_ANOTHERS)
      waitingFor = claimed.for
    } catch {
      // The database is down again.
    }
    await taken.release()
  }
  tell()
  let attempt = tryToEnforce().catch(() => {})
  await attempt
  const retry = setInterval(() => {
    if (!enforces() && !isStopped) attempt = attempt.then(tryToEnforce).catch(() => {})
  }, RETRY_MS).unref()
  return {
    enforces,
    async stop() {
      isStopped = true
      clearInterval(retry)
      await attempt
      await lock?.release()
    },
  }
}
