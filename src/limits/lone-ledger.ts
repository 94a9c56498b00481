import type { MemoryLedger } from './memory-ledger.ts'
import { bindingOf } from './policy.ts'
import type { SpendLedger } from './spend-ledger.ts'

const NOT_HERE =
  'Another gateway on this database enforces the limits; this one cannot check them. ' +
  'Set REDIS_URL on every gateway to share the counters.'

/**
 * Several gateways without shared counters: one of them enforces limits from its memory, the others refuse calls that a
 * limit applies to. `memory` returns a new ledger after this node has taken over.
 */
export function createLoneLedger(
  memory: () => MemoryLedger,
  options: { enforces(): boolean; onRefused(): void },
): SpendLedger {
  return {
    isShared: false,
    admit(payer, hold, id) {
      if (bindingOf(payer) === 'nothing' || options.enforces()) return memory().admit(payer, hold, id)
      options.onRefused()
      return { kind: 'unavailable', reason: NOT_HERE }
    },
    opened() {},
    settle: (call, use) => memory().settle(call, use),
    release: (call) => memory().release(call),
    allowance: (payer) => memory().allowance(payer),
    status: (scopes) => memory().status(scopes),
    scopes: () => memory().scopes(),
    leases: async () => [],
    now: () => memory().now(),
  }
}
