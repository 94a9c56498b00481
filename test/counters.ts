import { Bookings, type CountedCall } from '../src/limits/counters/bookings.ts'
import { type Connection, openConnection } from '../src/limits/counters/connection.ts'
import { CountersLedger } from '../src/limits/counters/ledger.ts'
import { defineScript } from '../src/limits/counters/script.ts'
import { BEGIN, COMPLETE } from '../src/limits/counters/scripts/rebuild.ts'
import type { SpendLedger } from '../src/limits/spend-ledger.ts'

export const FLUSH = defineScript('flush', `redis.call('FLUSHDB') return { 1 }`)

export async function connectTo(url: string, prefix = '{test}:'): Promise<Connection> {
  const up = Promise.withResolvers<void>()
  const connection = openConnection({ url, prefix, waitMs: 5_000, onUp: () => up.resolve(), onDown() {} })
  await up.promise
  return connection
}

/** An empty ledger on an empty server. */
export async function beginLedger(connection: Connection, generation = 7): Promise<void> {
  await connection.run(FLUSH, [])
  await connection.run(BEGIN, ['token'])
  await connection.run(COMPLETE, ['token', String(generation)])
}

/** A ledger on counters that are always there unless the test says otherwise, with a clock of the test's; nobody renews, reaps or rebuilds. */
export function ledgerOn(
  connection: Connection,
  node: string,
  clock: () => number,
  serverClock?: '',
  { isUsable = (): boolean => true, settleWaitMs = 10_000 } = {},
): SpendLedger {
  const running = new Map<string, CountedCall>()
  const parts = {
    connection,
    node,
    running,
    clock: () => serverClock ?? String(clock()),
    now: clock,
    isUsable,
    onLost() {},
    onSequence() {},
    onOverflow() {},
    isLogged: async () => true,
    unbooked: { note() {} },
  }
  const bookings = new Bookings({ ...parts, most: 1_000 })
  const events = { onUnchecked() {}, onRefused() {}, observe() {} }
  return new CountersLedger({ ...parts, bookings, policy: null, events, settleWaitMs })
}
